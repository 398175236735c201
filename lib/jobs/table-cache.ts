import type { ManifestList } from '../append/manifest-list.ts';
import type { CommitEnd } from '../commit/attempt-loop.ts';
import type { LedgerMemory } from '../ledger/ledger-memory.ts';
import { branchHead, type TableState } from '../spec/table-state.ts';
import type { SegmentRead } from './read-footers.ts';
import type { StagedBatch } from './staging.ts';

/** What a warm container keeps of a table from one commit to the next. Stale is safe: the assertions refuse it (I8). */
export interface CachedTable {
  readonly state: TableState;
  /** The manifest list of the branch's head, its entries encoded. */
  readonly list: ManifestList | undefined;
  readonly loadedAtMs: number;
  /** How often in a row the cache was found stale by a refused commit. */
  readonly staleTimes: number;
  /** The longest footer of the dataset so far: what one suffix read should ask for. */
  readonly footerBytes: number;
  readonly memory: LedgerMemory;
}

/** By table, as `lib/wire.ts` keeps it: the one state that outlives an invocation. */
export type TableCache = Map<string, CachedTable>;

const MAX_AGE_MS = 60_000;
const MAX_STALE_TIMES = 2;

/** Whether a commit may begin on this state without loading the table. */
export function isUsable(cached: CachedTable | undefined, nowMs: number): cached is CachedTable {
  return (
    cached !== undefined && nowMs - cached.loadedAtMs <= MAX_AGE_MS && cached.staleTimes < MAX_STALE_TIMES
  );
}

/** What a first suffix read asks for before any footer of the dataset is known. */
const FIRST_READ_AHEAD_BYTES = 64 * 1024;
const LEAST_READ_AHEAD_BYTES = 4 * 1024;
/** A larger footer is read by a second request, so that one giant does not make every later read one. */
const MOST_READ_AHEAD_BYTES = 1024 * 1024;

/** Bytes to ask for at a segment's end: what the dataset's footers were, and a quarter more. */
export function readAheadBytes(cached: CachedTable | undefined): number {
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

/** How a registration began and ended, as far as the cache is concerned. */
export interface RegistrationEnd {
  readonly cached: CachedTable | undefined;
  /** What it began on, and whether that was the cached state, without a load. */
  readonly begun: { readonly warm: boolean; readonly state: TableState };
  readonly branch: string;
  readonly segments: readonly SegmentRead[];
  readonly end: CommitEnd<StagedBatch>;
  readonly memory: LedgerMemory;
  readonly nowMs: number;
}

/**
 * What the next commit begins with; undefined when the branch is not at our snapshot or the schema ID is not the predicted
 * one, since then the catalog has done something else and the table is loaded next time.
 */
export function keepWarm({
  cached,
  begun,
  branch,
  segments,
  end,
  memory,
  nowMs,
}: RegistrationEnd): CachedTable | undefined {
  const kept = {
    state: end.state,
    memory,
    loadedAtMs: nowMs,
    footerBytes: Math.max(cached?.footerBytes ?? 0, ...segments.map(({ read }) => read.bytes.length)),
    staleTimes: staleTimes(cached, begun, end.attempts, branch),
  };
  if (end.outcome === 'nothing') {
    // A state that came from the cache is no younger for having been looked at.
    const loadedAtMs = begun.warm ? (cached?.loadedAtMs ?? nowMs) : nowMs;
    return { ...kept, loadedAtMs, list: listOfHead(cached, end.state, branch) };
  }
  const { snapshotId, staged, judgement } = end.result;
  const asPredicted =
    branchHead(end.state, branch)?.snapshotId === snapshotId &&
    end.state.currentSchema['schema-id'] === judgement.merge.schema['schema-id'];
  return asPredicted ? { ...kept, list: staged.list } : undefined;
}

/** How often in a row a commit met somebody else's: a load that shows none ends the row. */
function staleTimes(
  cached: CachedTable | undefined,
  begun: RegistrationEnd['begun'],
  attempts: number,
  branch: string,
): number {
  const before = cached?.staleTimes ?? 0;
  if (attempts > 1) return before + 1;
  const isForeign =
    cached !== undefined &&
    branchHead(cached.state, branch)?.snapshotId !== branchHead(begun.state, branch)?.snapshotId;
  return begun.warm || !isForeign ? 0 : before;
}

/** The tables that a container meets in its life may be many: the longest unused goes. */
export function remember(cache: TableCache, key: string, table: CachedTable): void {
  cache.delete(key);
  cache.set(key, table);
  const [oldest] = cache.keys();
  if (cache.size > MAX_TABLES && oldest !== undefined) cache.delete(oldest);
}

const MAX_TABLES = 32;
