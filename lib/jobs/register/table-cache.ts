import type { ManifestList } from '../../append/manifest-list.ts';
import type { LedgerMemory } from '../../ledger/ledger-memory.ts';
import { keepLast } from '../../memo.ts';
import { branchHead, type TableState } from '../../spec/table-state.ts';

/**
 * What a warm container keeps of a table from one commit to the next. Using it when stale is safe: the assertions refuse the
 * commit (I8).
 */
export interface CachedTable {
  readonly state: TableState;
  /** The manifest list of the branch's head, its entries encoded. */
  readonly list: ManifestList | undefined;
  readonly loadedAtMs: number;
  /**
   * How likely it is that others write to the table: 0 means nobody does, and from {@link DOUBTED} on it is loaded before every
   * commit.
   */
  readonly doubt: number;
  /** The dataset's longest footer so far, which the next suffix read should cover. */
  readonly footerBytes: number;
  readonly memory: LedgerMemory;
}

/** Cached tables by key. `lib/wire.ts` owns it: what a warm container knows of its tables. */
export type TableCache = Map<string, CachedTable>;

const MAX_AGE_MS = 60_000;
/** From this much doubt on, a table is loaded before every commit. */
export const DOUBTED = 2;
/**
 * Set when the state was found stale. It may have been a single compaction: after four loads in a row without another writer's
 * commit the table is trusted again.
 */
export const SOME_DOUBT = DOUBTED + 3;
/**
 * Set when another writer's commit is met while doubt is left. With several handlers on one table each sees only its own commit
 * now and then, so nine loads must agree that nobody else writes.
 */
export const MOST_DOUBT = DOUBTED + 8;

/** Whether more than one commit of another writer was found in any cached table. */
export function hasShared(cache: TableCache): boolean {
  return cache.values().some(({ doubt }) => doubt > SOME_DOUBT);
}

/** Whether a commit may begin on this state without loading the table. */
export function isUsable(cached: CachedTable | undefined, nowMs: number): cached is CachedTable {
  return cached !== undefined && nowMs - cached.loadedAtMs <= MAX_AGE_MS && cached.doubt < DOUBTED;
}

/** Size of the first suffix read, before any footer of the dataset is known. */
const FIRST_READ_AHEAD_BYTES = 64 * 1024;
const LEAST_READ_AHEAD_BYTES = 4 * 1024;
/**
 * Upper limit of a suffix read. Larger footers take a second request, so that one giant footer does not enlarge every later
 * read.
 */
const MOST_READ_AHEAD_BYTES = 1024 * 1024;

/** How many bytes to read from a segment's end: the dataset's footer size so far, and a quarter more. */
export function readAheadBytes(cached: Pick<CachedTable, 'footerBytes'> | undefined): number {
  if (cached === undefined || cached.footerBytes === 0) return FIRST_READ_AHEAD_BYTES;
  const wanted = Math.ceil(cached.footerBytes * 1.25);
  return Math.min(MOST_READ_AHEAD_BYTES, Math.max(LEAST_READ_AHEAD_BYTES, wanted));
}

/**
 * The cached list, if it belongs to the branch's head in this state. Compared by path, since two attempts of one snapshot have
 * two lists.
 */
export function listOfHead(
  cached: CachedTable | undefined,
  state: TableState,
  branch: string,
): ManifestList | undefined {
  const list = cached?.list;
  return list !== undefined && list.path === branchHead(state, branch)?.manifestList ? list : undefined;
}

/** Caches a table. A container may register in many tables, so the least recently used one is dropped. */
export function remember(cache: TableCache, key: string, table: CachedTable): void {
  keepLast(cache, key, table, MAX_TABLES);
}

const MAX_TABLES = 32;
