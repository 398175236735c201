import { readContainer, records } from '../../lib/append/avro/object-container.ts';
import { type Columns, rowReader } from '../../lib/append/avro/row-reader.ts';
import type { ListedManifest } from '../../lib/append/manifest-file-type.ts';
import { FIRST_PARTITION_FIELD_ID } from '../../lib/spec/partition-spec.ts';

const DELETED = 2;

const COLUMNS = {
  status: { id: 0, as: 'int' },
  snapshotId: { id: 1, as: 'long' },
  sequenceNumber: { id: 3, as: 'long' },
  fileSequenceNumber: { id: 4, as: 'long' },
  filePath: { id: 100, as: 'string' },
  recordCount: { id: 103, as: 'long' },
  firstRowId: { id: 142, as: 'long' },
  partition: { id: FIRST_PARTITION_FIELD_ID, as: 'long' },
  /** The partition field of a table whose catalog renumbered the columns and therefore replaced the spec. */
  newPartition: { id: FIRST_PARTITION_FIELD_ID + 1, as: 'long' },
} as const satisfies Columns;

export interface EntryIdentity {
  /** The snapshot that added the entry, both sequence numbers, which decide which deletes apply, and its partition. */
  readonly text: string;
  readonly firstRowId: bigint | undefined;
  /** The single value of its partition; undefined if the table is not partitioned. */
  readonly partition: bigint | undefined;
}

/**
 * The path of each live entry of a manifest, and how a reader interprets the entry (spec, "Manifest Entry Fields"). The identity remains
 * when the entry moves to another manifest.
 */
export function entryIdentities(
  manifest: ListedManifest,
  bytes: Uint8Array,
): readonly (readonly [path: string, EntryIdentity])[] {
  const identities: [string, EntryIdentity][] = [];
  let rowId = manifest.firstRowId;
  for (const row of records(readContainer(bytes), (shape) => rowReader(shape, COLUMNS))) {
    if (row.status === DELETED) continue;
    const { addedSnapshotId, sequenceNumber } = manifest;
    const partition = row.partition ?? row.newPartition;
    const identity = [
      row.snapshotId ?? addedSnapshotId,
      row.sequenceNumber ?? sequenceNumber,
      row.fileSequenceNumber ?? sequenceNumber,
      partition,
    ];
    const firstRowId = row.firstRowId ?? rowId;
    identities.push([row.filePath ?? '', { text: identity.join('/'), firstRowId, partition }]);
    if (row.firstRowId === undefined && rowId !== undefined) rowId += row.recordCount ?? 0n;
  }
  return identities;
}
