import type { Snapshot } from './snapshot.ts';

/** The snapshots of a table by ID. */
export type Snapshots = ReadonlyMap<bigint, Snapshot>;

/**
 * A map of snapshots that grows without being copied. All states of a table share one log, and each sees the part up to its own
 * size, so an older state still sees what it saw.
 */
interface SnapshotLog extends Snapshots {
  readonly [LOG]: Log;
}

interface Log {
  readonly positions: Map<bigint, number>;
  readonly entries: (readonly [bigint, Snapshot])[];
}

const LOG = Symbol('log');

/**
 * Appends snapshots; undefined if one of them is there already. Costs as much as is added, unless the state was already
 * extended differently.
 */
export function extendSnapshots(snapshots: Snapshots, added: readonly Snapshot[]): Snapshots | undefined {
  const known = logOf(snapshots);
  const log = known?.entries.length === snapshots.size ? known : newLog(snapshots);
  const ids = new Set(added.map(({ snapshotId }) => snapshotId));
  if (ids.size < added.length || added.some(({ snapshotId }) => snapshots.has(snapshotId))) return undefined;
  for (const snapshot of added) {
    log.positions.set(snapshot.snapshotId, log.entries.length);
    log.entries.push([snapshot.snapshotId, snapshot]);
  }
  return view(log, log.entries.length);
}

/** Whether `later` is the same map or continues it. False proves nothing. */
export function isContinued(snapshots: Snapshots, later: Snapshots): boolean {
  if (snapshots === later) return true;
  const log = logOf(snapshots);
  return log !== undefined && log === logOf(later) && snapshots.size <= later.size;
}

function logOf(snapshots: Snapshots): Log | undefined {
  return LOG in snapshots ? (snapshots as SnapshotLog)[LOG] : undefined;
}

function newLog(snapshots: Snapshots): Log {
  const entries = [...snapshots];
  return { entries, positions: new Map(entries.map(([id], at) => [id, at])) };
}

function view(log: Log, size: number): SnapshotLog {
  const find = (id: bigint) => {
    const at = log.positions.get(id);
    return at !== undefined && at < size ? log.entries[at] : undefined;
  };
  const entries = () => log.entries.values().take(size) as MapIterator<[bigint, Snapshot]>;
  const self: SnapshotLog = {
    [LOG]: log,
    size,
    has: (id) => find(id) !== undefined,
    get: (id) => find(id)?.[1],
    entries,
    keys: () => entries().map(([id]) => id) as MapIterator<bigint>,
    values: () => entries().map(([, snapshot]) => snapshot) as MapIterator<Snapshot>,
    forEach: (visit) => {
      for (const [id, snapshot] of entries()) visit(snapshot, id, self);
    },
    [Symbol.iterator]: entries,
  };
  return self;
}
