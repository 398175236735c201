import type { Catalog, CommitResult, Random, Timers } from '../ports.ts';
import type { TableIdentifier } from '../spec/table-identifier.ts';
import { ancestors, branchHead, type TableState } from '../spec/table-state.ts';
import type { TableCommit } from '../spec/table-update.ts';
import { conflict, missing, outOfTime, refused, throttled } from './cannot-commit.ts';

/** What one attempt wants to commit; `result` is returned when it lands. */
export interface StagedCommit<R> {
  readonly commit: TableCommit;
  readonly snapshotId: bigint;
  readonly result: R;
}

/** A state to stage on, and whether this attempt itself loaded it. */
export interface Loaded {
  readonly state: TableState;
  readonly fresh: boolean;
}

export interface Attempt extends Loaded {
  /** Counted from 1. Part of every manifest list's name, so that none is ever overwritten (I1). */
  readonly number: number;
  /**
   * An earlier attempt's outcome is unknown and its snapshot was not found. A segment that cannot be proven absent may belong to
   * that commit.
   */
  readonly afterUnknown: boolean;
  /**
   * It is not proven that the previous attempt did not land. It may have landed, been rolled back and expired by now, with its
   * manifests deleted, so none of them may be reused.
   */
  readonly mayHaveLanded: boolean;
}

export interface CommitPorts {
  readonly catalog: Pick<Catalog, 'commit'>;
  readonly timers: Timers;
  readonly random: Random;
}

export interface CommitOptions<R> {
  readonly table: TableIdentifier;
  readonly branch: string;
  /**
   * The state to begin with. One that an earlier commit left is safe: if it is stale, the assertions refuse the commit (I8).
   */
  readonly initial: Loaded;
  /** @param before the state that the new one replaces; the parts that the catalog repeats are not parsed again */
  readonly reload: (before: TableState) => Promise<TableState>;
  /** @param asserted the state that the commit was staged on */
  readonly read: (landed: CommitResult & { outcome: 'landed' }, asserted: TableState) => TableState;
  /**
   * Checks the ledger, merges the schema, writes the manifests and stages a commit on this state. `nothing` means that no segment
   * is left to commit, `reload` that the decision needs a freshly loaded state (never returned for a fresh one).
   */
  readonly stage: (attempt: Attempt) => Promise<StagedCommit<R> | 'nothing' | 'reload'>;
  readonly retry: RetryLimits;
  /** Milliseconds that the invocation has left. */
  readonly remainingMs: () => number;
}

export interface RetryLimits {
  readonly maxAttempts: number;
  readonly initialMs: number;
  readonly maxMs: number;
  /** From 0 (none) to 1 (anything between nothing and the full wait). */
  readonly jitter: number;
}

export type CommitEnd<R> =
  | {
      readonly outcome: 'landed';
      readonly state: TableState;
      readonly attempts: number;
      readonly result: R;
    }
  | { readonly outcome: 'nothing'; readonly state: TableState; readonly attempts: number };

/** No attempt is started with less time left than this: the catalog needs time to answer. */
const ATTEMPT_MS = 3_000;

/**
 * The attempt loop (ARCHITECTURE.md, "How one table is registered"): stage on a state, send once, and settle which of the three
 * outcomes it had (I7). A catalog that throttles has done nothing (429): the next attempt waits as long as it asks, within the
 * invocation's time.
 *
 * @throws `catalog.conflict` when attempts or time run out, `catalog.unavailable` when that is because the catalog throttles,
 *   `invocation.timeout` when there is no time to begin with; `catalog.refused` when the catalog refuses what was staged on
 *   unchanged metadata; `table.missing`; and whatever `stage`, `reload` or the catalog throw.
 */
export async function commitInAttempts<R>(
  ports: CommitPorts,
  options: CommitOptions<R>,
): Promise<CommitEnd<R>> {
  const { table, branch, retry } = options;
  let { state, fresh } = options.initial;
  let afterUnknown = false;
  let mayHaveLanded = false;
  let refusedOn: string | undefined;
  let message = '';

  for (let number = 1; number <= retry.maxAttempts; number += 1) {
    if (options.remainingMs() < ATTEMPT_MS) {
      if (number === 1) throw outOfTime(table, ATTEMPT_MS);
      break;
    }
    let staged = await options.stage({ state, fresh, number, afterUnknown, mayHaveLanded });
    if (staged === 'reload') {
      state = await options.reload(state);
      fresh = true;
      staged = await options.stage({ state, fresh, number, afterUnknown, mayHaveLanded });
    }
    if (staged === 'nothing') return { outcome: 'nothing', state, attempts: number - 1 };
    if (staged === 'reload') throw new TypeError('stage asked to reload a state that was loaded for it');

    const answer = await ports.catalog.commit(table, staged.commit, { known: state.historyText });
    const answered = answer.outcome === 'landed' ? options.read(answer, state) : undefined;
    if (answered?.snapshots.has(staged.snapshotId)) {
      return { outcome: 'landed', state: answered, attempts: number, result: staged.result };
    }
    // A success status alone proves nothing: the metadata in the answer must contain the snapshot (I3; cases.md D18).
    const result = answer.outcome === 'landed' ? unproven(staged.snapshotId) : answer;
    message = result.message;
    if (result.outcome === 'refused' && result.reason === 'missing') throw missing(table, message);

    const askedMs = throttledMs(result);
    if (askedMs !== undefined) {
      if (number === retry.maxAttempts || options.remainingMs() < askedMs + ATTEMPT_MS)
        throw throttled(table, message, askedMs);
    }
    // A cached state that was stale is no contention, so no wait. All other cases wait before the reload, not after it: a loaded
    // state would grow old during the wait.
    if (result.outcome === 'unknown' || askedMs !== undefined || fresh)
      await ports.timers.sleep(Math.max(askedMs ?? 0, backoffMs(number, retry, ports.random)));
    const asserted = state;
    const wasFresh = fresh;
    state = await options.reload(state);
    fresh = true;
    mayHaveLanded = result.outcome === 'unknown' || !isProvenRefused(asserted, state, staged.snapshotId);
    if (result.outcome === 'unknown') {
      const settled = settle(asserted, state, branch, staged.snapshotId);
      if (settled === 'landed') return { outcome: 'landed', state, attempts: number, result: staged.result };
      if (settled === 'unsettled') afterUnknown = true;
      refusedOn = undefined;
    } else if (askedMs !== undefined) {
      refusedOn = undefined;
    } else {
      const unchanged = sameMetadata(asserted, state);
      const isFinal = result.reason === 'invalid' ? wasFresh : refusedOn === state.metadataLocation;
      if (unchanged && isFinal) throw refused(table, message);
      refusedOn = unchanged ? state.metadataLocation : undefined;
    }
  }
  throw conflict(table, retry.maxAttempts, message);
}

function unproven(snapshotId: bigint): CommitResult & { readonly outcome: 'unknown' } {
  return {
    outcome: 'unknown',
    message: `the catalog accepts the commit and answers metadata without its snapshot ${snapshotId}`,
  };
}

/**
 * What became of a commit whose answer was lost (I7). If its own snapshot is in the metadata, it landed. If a walk from the
 * branch's head reaches the asserted head without meeting it, it did not land, and its assertions keep it from landing later.
 */
function settle(
  asserted: TableState,
  now: TableState,
  branch: string,
  snapshotId: bigint,
): 'landed' | 'refused' | 'unsettled' {
  if (now.snapshots.has(snapshotId)) return 'landed';
  const assertedHead = branchHead(asserted, branch)?.snapshotId;
  const head = branchHead(now, branch);
  if (head === undefined) return assertedHead === undefined ? 'refused' : 'unsettled';
  for (const snapshot of ancestors(now, head)) {
    if (snapshot.snapshotId === assertedHead) return 'refused';
    if (snapshot.parentSnapshotId === undefined) {
      // The next one is the branch's first. A later one has lost its parent, as every head has with Nessie.
      const isNext = snapshot.sequenceNumber <= asserted.lastSequenceNumber + 1n;
      return assertedHead === undefined && isNext ? 'refused' : 'unsettled';
    }
    if (snapshot.parentSnapshotId === assertedHead) return 'refused';
  }
  return 'unsettled';
}

/**
 * Whether a commit that was reported as refused really was: a 409 may answer the repetition of a request that landed when first
 * sent (cases.md D3). It is proven if nobody has taken its sequence number yet, or if a snapshot that is not ours has it.
 */
function isProvenRefused(asserted: TableState, now: TableState, snapshotId: bigint): boolean {
  if (now.formatVersion === 1 || now.snapshots.has(snapshotId)) return false;
  const sequenceNumber = asserted.lastSequenceNumber + 1n;
  if (now.lastSequenceNumber < sequenceNumber) return true;
  return now.snapshots.values().some((snapshot) => snapshot.sequenceNumber === sequenceNumber);
}

/** How long a throttling catalog asks to wait; 0 if it does not say, undefined if it does not throttle. */
function throttledMs(result: CommitResult): number | undefined {
  return result.outcome === 'refused' && result.reason === 'throttled'
    ? (result.retryAfterMs ?? 0)
    : undefined;
}

function sameMetadata(a: TableState, b: TableState): boolean {
  return a.metadataLocation !== undefined && a.metadataLocation === b.metadataLocation;
}

/** Doubles from `initialMs` to `maxMs`. The jitter is the random share of it, so that many writers spread out. */
function backoffMs(attempt: number, retry: RetryLimits, random: Random): number {
  const full = Math.min(retry.maxMs, retry.initialMs * 2 ** (attempt - 1));
  return Math.round(full * (1 - retry.jitter * random.next()));
}
