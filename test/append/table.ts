import { randomUUID } from 'node:crypto';
import type { ListedManifest } from '../../lib/append/manifest-file-type.ts';
import { prepareAppend } from '../../lib/append/prepare.ts';
import { stageAppend } from '../../lib/append/stage.ts';
import type { DataFile } from '../../lib/spec/manifest.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import type { TableUpdate } from '../../lib/spec/table-update.ts';
import { javaSchema, javaSpecs, SNAPSHOT_ID } from './java-inputs.ts';

/** An empty table with the schema of `java-inputs.ts`. */
export function emptyTable(formatVersion: 1 | 2 | 3, change: Partial<TableState> = {}): TableState {
  return {
    identifier: { namespace: ['analytics'], name: 'orders' },
    metadataLocation: 's3://bucket/table/metadata/00000-a.metadata.json',
    formatVersion,
    uuid: '9c12d441-03fe-4693-9a96-a0705ddf69c1',
    location: 's3://bucket/table',
    lastSequenceNumber: 0n,
    lastUpdatedMs: 1_700_000_000_000n,
    lastColumnId: 19,
    schemas: [javaSchema],
    currentSchema: javaSchema,
    specs: [javaSpecs.unpartitioned, javaSpecs.partitioned],
    sortColumnIds: [],
    defaultSpec: javaSpecs.unpartitioned,
    properties: {},
    snapshots: new Map(),
    refs: {},
    ...(formatVersion === 3 && { nextRowId: 0n }),
    ...change,
  };
}

/** A data manifest as a list has it, of two files that Java added. */
export function listedManifest(change: Partial<ListedManifest> = {}): ListedManifest {
  return {
    manifestPath: 's3://bucket/metadata/m0.avro',
    manifestLength: 1n,
    partitionSpecId: 0,
    content: 0,
    sequenceNumber: 5n,
    minSequenceNumber: 5n,
    addedSnapshotId: SNAPSHOT_ID,
    addedFilesCount: 2,
    existingFilesCount: 0,
    deletedFilesCount: 0,
    addedRowsCount: 21n,
    existingRowsCount: 0n,
    deletedRowsCount: 0n,
    partitions: [],
    ...change,
  };
}

export function dataFile(name: string, recordCount = 10n): DataFile {
  return {
    filePath: `s3://bucket/data/${name}.parquet`,
    fileSizeInBytes: 1000n,
    specId: 0,
    partition: [],
    recordCount,
    columnSizes: new Map(),
    valueCounts: new Map(),
    nullValueCounts: new Map(),
    lowerBounds: new Map(),
    upperBounds: new Map(),
    splitOffsets: [4n],
  };
}

/** Prepares and stages the first append of a table. */
export function firstAppend(state: TableState, dataFiles: readonly DataFile[]) {
  const { currentSchema: schema } = state;
  const prepared = prepareAppend({ state, schema, dataFiles, snapshotId: 7n, uuid: randomUUID() });
  const staged = stageAppend({
    state,
    branch: 'main',
    prepared,
    parentList: undefined,
    schemaId: 0,
    attempt: 1,
    uuid: randomUUID(),
    timestampMs: 1_800_000_000_000n,
    summary: {},
  });
  return { prepared, staged };
}

/** The state that a catalog would have after these updates. */
export function afterCommit(state: TableState, updates: readonly TableUpdate[]): TableState {
  let next = state;
  for (const update of updates) {
    if (update.action === 'add-snapshot') {
      const { snapshot } = update;
      const nextRowId = (state.nextRowId ?? 0n) + (snapshot['added-rows'] ?? 0n);
      next = {
        ...next,
        lastSequenceNumber: snapshot['sequence-number'],
        lastUpdatedMs: snapshot['timestamp-ms'],
        snapshots: new Map(next.snapshots).set(snapshot['snapshot-id'], {
          snapshotId: snapshot['snapshot-id'],
          parentSnapshotId: snapshot['parent-snapshot-id'],
          sequenceNumber: snapshot['sequence-number'],
          timestampMs: snapshot['timestamp-ms'],
          manifestList: snapshot['manifest-list'],
          summary: snapshot.summary,
          schemaId: snapshot['schema-id'],
        }),
        ...(state.formatVersion === 3 && { nextRowId }),
      };
    } else if (update.action === 'set-snapshot-ref') {
      const { action: _action, 'ref-name': name, 'snapshot-id': snapshotId, ...ref } = update;
      next = { ...next, refs: { ...next.refs, [name]: { ...ref, snapshotId } } };
    }
  }
  return next;
}
