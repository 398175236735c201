import type { CommitEnd } from '../../commit/attempt-loop.ts';
import type { LedgerMemory } from '../../ledger/ledger-memory.ts';
import { branchHead, type TableState } from '../../spec/table-state.ts';
import type { SegmentRead } from './read-footers.ts';
import type { StagedBatch } from './staging.ts';
import { type CachedTable, DOUBTED, listOfHead, MOST_DOUBT, SOME_DOUBT } from './table-cache.ts';

/** How a registration began and ended, as far as it matters for the cache. */
export interface RegistrationEnd {
  readonly cached: CachedTable | undefined;
  /** Whether other tables of this container are known to be written to by others too. */
  readonly amongShared: boolean;
  /** The state it began with, and whether that came from the cache without a load. */
  readonly begun: { readonly warm: boolean; readonly state: TableState };
  readonly branch: string;
  readonly segments: readonly SegmentRead[];
  readonly end: CommitEnd<StagedBatch>;
  readonly memory: LedgerMemory;
  readonly nowMs: number;
}

/**
 * The state on which the next commit begins. Undefined if the branch is not at our snapshot or the schema ID is not the
 * predicted one: the catalog then did something else, and the next registration loads the table.
 */
export function keepWarm({
  cached,
  amongShared,
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
    footerBytes: segments.reduce(
      (longest, { read }) => Math.max(longest, read.bytes.length),
      cached?.footerBytes ?? 0,
    ),
    doubt: doubt(cached, amongShared, begun, end.attempts, branch),
  };
  if (end.outcome === 'nothing') {
    // Using a cached state does not make it younger.
    const loadedAtMs = begun.warm ? (cached?.loadedAtMs ?? nowMs) : nowMs;
    return { ...kept, loadedAtMs, list: listOfHead(cached, end.state, branch) };
  }
  const { snapshotId, staged, judgement } = end.result;
  const asPredicted =
    branchHead(end.state, branch)?.snapshotId === snapshotId &&
    end.state.currentSchema['schema-id'] === judgement.merge.schema['schema-id'];
  return asPredicted ? { ...kept, list: staged.list } : undefined;
}

/**
 * How much to doubt the cached state next time. Meeting another writer's commit while doubt is left sets it to the maximum;
 * each load that shows none reduces it. A table that is new here is doubted at first where others turned out to be shared: then
 * several handlers are at work, and they take whatever table comes.
 */
function doubt(
  cached: CachedTable | undefined,
  amongShared: boolean,
  begun: RegistrationEnd['begun'],
  attempts: number,
  branch: string,
): number {
  const before = cached?.doubt ?? (amongShared ? SOME_DOUBT : 0);
  if (attempts > 1) return before === 0 ? SOME_DOUBT : MOST_DOUBT;
  if (begun.warm) return 0;
  const isForeign =
    cached !== undefined &&
    branchHead(cached.state, branch)?.snapshotId !== branchHead(begun.state, branch)?.snapshotId;
  if (isForeign) return before < DOUBTED ? before : MOST_DOUBT;
  return Math.max(0, before - 1);
}
