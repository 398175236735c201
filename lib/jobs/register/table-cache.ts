import type { ManifestList } from '../../append/manifest-list.ts';
import type { LedgerMemory } from '../../ledger/ledger-memory.ts';
import { keepLast } from '../../spec/keep-last.ts';
import { branchHead, type TableState } from '../../spec/table-state.ts';

/** What a warm container keeps of a table from one commit to the next. Stale is safe: the assertions refuse it (I8). */
export interface CachedTable {
  readonly state: TableState;
  /** The manifest list of the branch's head, its entries encoded. */
  readonly list: ManifestList | undefined;
  readonly loadedAtMs: number;
  /** How likely somebody else writes to the table: 0 is nobody, and from {@link DOUBTED} on it is loaded before every commit. */
  readonly doubt: number;
  /** The longest footer of the dataset so far: what one suffix read should ask for. */
  readonly footerBytes: number;
  readonly memory: LedgerMemory;
}

/** By table, as `lib/wire.ts` keeps it: the one state that outlives an invocation. */
export type TableCache = Map<string, CachedTable>;

const MAX_AGE_MS = 60_000;
/** From so much doubt on a table is loaded before every commit. */
export const DOUBTED = 2;
/** Found stale: it may have been a compaction, and four loads in a row that show nobody else's commit say that it was. */
export const SOME_DOUBT = DOUBTED + 3;
/** Of several handlers of one table each meets its own commit now and then: where others do write, nine loads must say so. */
export const MOST_DOUBT = DOUBTED + 8;

/** Whether a commit may begin on this state without loading the table. */
export function isUsable(cached: CachedTable | undefined, nowMs: number): cached is CachedTable {
  return cached !== undefined && nowMs - cached.loadedAtMs <= MAX_AGE_MS && cached.doubt < DOUBTED;
}

/** What a first suffix read asks for before any footer of the dataset is known. */
const FIRST_READ_AHEAD_BYTES = 64 * 1024;
const LEAST_READ_AHEAD_BYTES = 4 * 1024;
/** A larger footer is read by a second request, so that one giant does not make every later read one. */
const MOST_READ_AHEAD_BYTES = 1024 * 1024;

/** Bytes to ask for at a segment's end: what the dataset's footers were, and a quarter more. */
export function readAheadBytes(cached: Pick<CachedTable, 'footerBytes'> | undefined): number {
  if (cached === undefined || cached.footerBytes === 0) return FIRST_READ_AHEAD_BYTES;
  const wanted = Math.ceil(cached.footerBytes * 1.25);
  return Math.min(MOST_READ_AHEAD_BYTES, Math.max(LEAST_READ_AHEAD_BYTES, wanted));
}

/** The cached list when it is that of the branch's head in this state: by path, since two attempts of one snapshot have two lists. */
export function listOfHead(
  cached: CachedTable | undefined,
  state: TableState,
  branch: string,
): ManifestList | undefined {
  const list = cached?.list;
  return list !== undefined && list.path === branchHead(state, branch)?.manifestList ? list : undefined;
}

/** The tables that a container meets in its life may be many: the longest unused goes. */
export function remember(cache: TableCache, key: string, table: CachedTable): void {
  keepLast(cache, key, table, MAX_TABLES);
}

const MAX_TABLES = 32;
