import type { Schema } from '../../lib/spec/schema.ts';
import type { Snapshot } from '../../lib/spec/snapshot.ts';
import type { TableState } from '../../lib/spec/table-state.ts';

const emptySchema: Schema = { type: 'struct', 'schema-id': 0, fields: [] };

/** An unpartitioned v2 table without snapshots; everything can be said otherwise. */
export function tableState(overrides: Partial<TableState> = {}): TableState {
  const spec = { 'spec-id': 0, fields: [] };
  return {
    identifier: { namespace: ['lake'], name: 'orders' },
    metadataLocation: 's3://lake/orders/metadata/00000-a.metadata.json',
    formatVersion: 2,
    uuid: 'f1b34a5e-0000-4000-8000-000000000001',
    location: 's3://lake/orders',
    lastSequenceNumber: 0n,
    lastUpdatedMs: 0n,
    lastColumnId: 0,
    schemas: [emptySchema],
    currentSchema: emptySchema,
    specs: [spec],
    defaultSpec: spec,
    sortColumnIds: [],
    properties: {},
    snapshots: new Map(),
    refs: {},
    ...overrides,
  };
}

/** A snapshot of that table; its sequence number is its ID unless said otherwise. */
export function snapshot(snapshotId: bigint, overrides: Partial<Snapshot> = {}): Snapshot {
  return {
    snapshotId,
    parentSnapshotId: undefined,
    sequenceNumber: snapshotId,
    timestampMs: 0n,
    manifestList: `s3://lake/orders/metadata/snap-${snapshotId}-1-x.avro`,
    summary: { operation: 'append' },
    schemaId: 0,
    ...overrides,
  };
}

/** A table whose `main` is this line of snapshots, oldest first, each the parent of the next. */
export function tableWithHistory(
  snapshots: readonly Snapshot[],
  overrides: Partial<TableState> = {},
): TableState {
  const line = snapshots.map((one, index) => {
    const parent = snapshots[index - 1];
    return parent === undefined ? one : { ...one, parentSnapshotId: parent.snapshotId };
  });
  const head = line.at(-1);
  return tableState({
    snapshots: new Map(line.map((one) => [one.snapshotId, one])),
    refs: head === undefined ? {} : { main: { type: 'branch', snapshotId: head.snapshotId } },
    lastSequenceNumber: head?.sequenceNumber ?? 0n,
    ...overrides,
  });
}
