import type { PartitionSpec } from './partition-spec.ts';
import type { Schema } from './schema.ts';
import type { Snapshot, SnapshotRef } from './snapshot.ts';
import type { TableIdentifier } from './table-identifier.ts';
import type { HistoryText } from './table-metadata-text.ts';

/** The parts of a loaded table that the stages need, independent of the format version and read from the metadata once. */
export interface TableState {
  readonly identifier: TableIdentifier;
  readonly metadataLocation: string | undefined;
  /** Size of the metadata as received, if known. */
  readonly metadataBytes?: number;
  readonly formatVersion: 1 | 2 | 3;
  readonly uuid: string;
  /** Without a slash at its end. */
  readonly location: string;
  readonly lastSequenceNumber: bigint;
  readonly lastUpdatedMs: bigint;
  readonly lastColumnId: number;
  readonly schemas: readonly Schema[];
  readonly currentSchema: Schema;
  readonly specs: readonly PartitionSpec[];
  readonly defaultSpec: PartitionSpec;
  /** Source columns of the default sort order. */
  readonly sortColumnIds: readonly number[];
  readonly properties: Readonly<Record<string, string>>;
  readonly snapshots: ReadonlyMap<bigint, Snapshot>;
  /** The JSON text that the history was read from, so that a later answer can be compared with it byte by byte. */
  readonly historyText?: HistoryText;
  readonly refs: Readonly<Record<string, SnapshotRef>>;
  /** v3 only. */
  readonly nextRowId?: bigint;
}

/** The columns by which readers prune: sources of the default sort order and of the default partition spec. */
export function prunedColumnIds({ sortColumnIds, defaultSpec }: TableState): readonly number[] {
  return [...sortColumnIds, ...defaultSpec.fields.map((field) => field['source-id'])];
}

/** The snapshot that a branch points at; undefined if the branch does not exist (an empty table has no `main`). */
export function branchHead(state: TableState, branch: string): Snapshot | undefined {
  const ref = state.refs[branch];
  return ref?.type === 'branch' ? state.snapshots.get(ref.snapshotId) : undefined;
}

/** The snapshot and its retained ancestors, newest first, until a parent has expired or there is none. */
export function* ancestors(state: TableState, head: Snapshot | undefined): Generator<Snapshot> {
  const seen = new Set<bigint>();
  for (let at = head; at !== undefined && !seen.has(at.snapshotId); ) {
    seen.add(at.snapshotId);
    yield at;
    at = at.parentSnapshotId === undefined ? undefined : state.snapshots.get(at.parentSnapshotId);
  }
}

/** The snapshots that are not in the branch's retained history: rolled back, or on another branch. */
export function snapshotsOutside(state: TableState, branch: string): readonly Snapshot[] {
  const ancestry = new Set(ancestors(state, branchHead(state, branch)).map(({ snapshotId }) => snapshotId));
  return [...state.snapshots.values()].filter(({ snapshotId }) => !ancestry.has(snapshotId));
}
