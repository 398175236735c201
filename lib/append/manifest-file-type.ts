import { RegistrarError } from '../errors.ts';
import type { ManifestFile } from '../spec/manifest.ts';
import {
  type AvroType,
  array,
  boolean,
  bytes,
  field,
  int,
  long,
  optional,
  type RecordField,
  record,
  string,
} from './avro/avro-type.ts';
import type { Columns, Row } from './avro/row-reader.ts';
import type { FieldSummary } from './partition-summary.ts';

/** An entry of a manifest list with all its fields (`manifest_file`; spec, "Manifest Lists"). */
export interface ListedManifest extends ManifestFile {
  /** One summary per field of the manifest's partition spec; undefined if the writer left them out. */
  readonly partitions: readonly FieldSummary[] | undefined;
  readonly keyMetadata?: Uint8Array | undefined;
}

const fieldSummary = record<FieldSummary>('r508', [
  field(509, 'contains_null', boolean, (summary) => summary.containsNull),
  field(518, 'contains_nan', optional(boolean), (summary) => summary.containsNan),
  field(510, 'lower_bound', optional(bytes), (summary) => summary.lowerBound),
  field(511, 'upper_bound', optional(bytes), (summary) => summary.upperBound),
]);

const identity: readonly RecordField<ListedManifest>[] = [
  field(500, 'manifest_path', string, (manifest) => manifest.manifestPath),
  field(501, 'manifest_length', long, (manifest) => manifest.manifestLength),
  field(502, 'partition_spec_id', int, (manifest) => manifest.partitionSpecId),
];
const addedSnapshotId = field(
  503,
  'added_snapshot_id',
  long,
  (manifest: ListedManifest) => manifest.addedSnapshotId,
);
const partitions = field(
  507,
  'partitions',
  optional(array(508, fieldSummary)),
  (manifest: ListedManifest) => manifest.partitions,
);
const keyMetadata = field(
  519,
  'key_metadata',
  optional(bytes),
  (manifest: ListedManifest) => manifest.keyMetadata,
);

const v1 = record<ListedManifest>('manifest_file', [
  ...identity,
  addedSnapshotId,
  field(504, 'added_files_count', optional(int), (manifest) => manifest.addedFilesCount),
  field(505, 'existing_files_count', optional(int), (manifest) => manifest.existingFilesCount),
  field(506, 'deleted_files_count', optional(int), (manifest) => manifest.deletedFilesCount),
  partitions,
  field(512, 'added_rows_count', optional(long), (manifest) => manifest.addedRowsCount),
  field(513, 'existing_rows_count', optional(long), (manifest) => manifest.existingRowsCount),
  field(514, 'deleted_rows_count', optional(long), (manifest) => manifest.deletedRowsCount),
  keyMetadata,
]);

const v2Fields: readonly RecordField<ListedManifest>[] = [
  ...identity,
  field(517, 'content', int, (manifest) => manifest.content),
  field(515, 'sequence_number', long, (manifest) => manifest.sequenceNumber),
  field(516, 'min_sequence_number', long, (manifest) => manifest.minSequenceNumber),
  addedSnapshotId,
  field(504, 'added_files_count', int, (manifest) => counted(manifest, manifest.addedFilesCount)),
  field(505, 'existing_files_count', int, (manifest) => counted(manifest, manifest.existingFilesCount)),
  field(506, 'deleted_files_count', int, (manifest) => counted(manifest, manifest.deletedFilesCount)),
  field(512, 'added_rows_count', long, (manifest) => counted(manifest, manifest.addedRowsCount)),
  field(513, 'existing_rows_count', long, (manifest) => counted(manifest, manifest.existingRowsCount)),
  field(514, 'deleted_rows_count', long, (manifest) => counted(manifest, manifest.deletedRowsCount)),
  partitions,
  keyMetadata,
];

const v3 = record<ListedManifest>('manifest_file', [
  ...v2Fields,
  field(520, 'first_row_id', optional(long), (manifest) => manifest.firstRowId),
]);

/** The Avro type of an entry in each format version, with the fields in the order that Java writes. */
export const MANIFEST_FILE_TYPES: Readonly<Record<1 | 2 | 3, AvroType<ListedManifest>>> = {
  1: v1,
  2: record('manifest_file', v2Fields),
  3: v3,
};

/** Counts are optional in v1 and required since v2. A missing count is unknown, never 0 (cases.md C11). @throws `table.unsupported` */
export function counted<T>(manifest: ManifestFile, count: T | undefined): T {
  if (count !== undefined) return count;
  throw new RegistrarError(
    'table.unsupported',
    `Cannot list manifest "${manifest.manifestPath}" in a snapshot of format version 2 or 3: its writer left out file and row counts; ` +
      'rewrite the manifests once (Spark: rewrite_manifests)',
  );
}

/** The fields of an entry by ID, because writers give them different names (cases.md C18). */
export const MANIFEST_FILE_COLUMNS = {
  manifestPath: { id: 500, as: 'string' },
  manifestLength: { id: 501, as: 'long' },
  partitionSpecId: { id: 502, as: 'int' },
  addedSnapshotId: { id: 503, as: 'long' },
  addedFilesCount: { id: 504, as: 'int' },
  existingFilesCount: { id: 505, as: 'int' },
  deletedFilesCount: { id: 506, as: 'int' },
  partitions: {
    id: 507,
    each: {
      containsNull: { id: 509, as: 'boolean' },
      lowerBound: { id: 510, as: 'bytes' },
      upperBound: { id: 511, as: 'bytes' },
      containsNan: { id: 518, as: 'boolean' },
    },
  },
  addedRowsCount: { id: 512, as: 'long' },
  existingRowsCount: { id: 513, as: 'long' },
  deletedRowsCount: { id: 514, as: 'long' },
  sequenceNumber: { id: 515, as: 'long' },
  minSequenceNumber: { id: 516, as: 'long' },
  content: { id: 517, as: 'int' },
  keyMetadata: { id: 519, as: 'bytes' },
  firstRowId: { id: 520, as: 'long' },
} as const satisfies Columns;

/** Fields that v1 lists lack (sequence numbers, content) are 0. @throws TypeError if a required field is missing */
export function listedManifest(row: Row<typeof MANIFEST_FILE_COLUMNS>): ListedManifest {
  const { manifestPath, manifestLength, partitionSpecId, addedSnapshotId, content = 0 } = row;
  if (
    manifestPath === undefined ||
    manifestLength === undefined ||
    partitionSpecId === undefined ||
    addedSnapshotId === undefined ||
    (content !== 0 && content !== 1)
  ) {
    throw new TypeError('an entry lacks field 500, 501, 502 or 503, or its content (517) is neither 0 nor 1');
  }
  return {
    manifestPath,
    manifestLength,
    partitionSpecId,
    addedSnapshotId,
    content,
    sequenceNumber: row.sequenceNumber ?? 0n,
    minSequenceNumber: row.minSequenceNumber ?? 0n,
    addedFilesCount: row.addedFilesCount,
    existingFilesCount: row.existingFilesCount,
    deletedFilesCount: row.deletedFilesCount,
    addedRowsCount: row.addedRowsCount,
    existingRowsCount: row.existingRowsCount,
    deletedRowsCount: row.deletedRowsCount,
    partitions: row.partitions?.map((summary) => ({
      containsNull: summary.containsNull ?? true,
      containsNan: summary.containsNan,
      lowerBound: summary.lowerBound,
      upperBound: summary.upperBound,
    })),
    keyMetadata: row.keyMetadata,
    firstRowId: row.firstRowId,
  };
}
