import type { RefRetention } from './table-update.ts';

/** A retained snapshot as the table's metadata has it (spec, "Snapshots"). */
export interface Snapshot {
  readonly snapshotId: bigint;
  readonly parentSnapshotId: bigint | undefined;
  /** 0 in v1 tables. */
  readonly sequenceNumber: bigint;
  readonly timestampMs: bigint;
  /** Undefined in old v1 tables, whose metadata lists the manifests itself. */
  readonly manifestList: string | undefined;
  readonly summary: Readonly<Record<string, string>>;
  readonly schemaId: number | undefined;
  readonly firstRowId?: bigint;
  readonly addedRows?: bigint;
}

/** A branch or tag, its retention as loaded. */
export interface SnapshotRef extends RefRetention {
  readonly type: 'branch' | 'tag';
  readonly snapshotId: bigint;
}
