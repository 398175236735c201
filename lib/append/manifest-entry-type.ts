import type { DataFile } from '../spec/manifest.ts';
import {
  type AvroType,
  array,
  bytes,
  field,
  int,
  long,
  mapByColumn,
  optional,
  type RecordField,
  record,
  string,
} from './avro/avro-type.ts';
import { partitionType } from './partition-type.ts';
import type { ResolvedPartitionField } from './transform.ts';

/** Status of an entry whose file is new in the snapshot. */
const ADDED = 1;
/** Format version 1 requires a block size that nobody reads. This is the constant that Java writes. */
const BLOCK_SIZE_IN_BYTES = 64n * 1024n * 1024n;

/**
 * The `manifest_entry` of a data file that a snapshot adds (spec, "Manifests"), with the fields in the order that Java writes.
 * Both sequence numbers and the first row ID are null, so that they are inherited from the manifest list: every attempt writes
 * a new list, but reuses the manifest.
 */
export function manifestEntryType(
  formatVersion: 1 | 2 | 3,
  snapshotId: bigint,
  partitionFields: readonly ResolvedPartitionField[],
): AvroType<DataFile> {
  const { before, after } = DATA_FILE_FIELDS[formatVersion];
  const partition: RecordField<DataFile> = field(
    102,
    'partition',
    partitionType(partitionFields),
    (file) => file.partition,
  );
  return record('manifest_entry', [
    field(0, 'status', int, () => ADDED),
    field(1, 'snapshot_id', optional(long), () => snapshotId),
    ...(formatVersion === 1 ? [] : SEQUENCE_NUMBERS),
    field(2, 'data_file', record('r2', [...before, partition, ...after]), (file) => file),
  ]);
}

/** The fields of `data_file` before and after its partition, by format version. */
interface DataFileFields {
  readonly before: readonly RecordField<DataFile>[];
  readonly after: readonly RecordField<DataFile>[];
}

function dataFileFields(formatVersion: 1 | 2 | 3): DataFileFields {
  const since = (version: number, ...fields: RecordField<DataFile>[]): readonly RecordField<DataFile>[] =>
    formatVersion >= version ? fields : [];
  return {
    before: [
      ...since(
        2,
        field(134, 'content', int, () => 0),
      ),
      field(100, 'file_path', string, (file) => file.filePath),
      field(101, 'file_format', string, () => 'PARQUET'),
    ],
    after: [
      field(103, 'record_count', long, (file) => file.recordCount),
      field(104, 'file_size_in_bytes', long, (file) => file.fileSizeInBytes),
      ...(formatVersion === 1 ? [field(105, 'block_size_in_bytes', long, () => BLOCK_SIZE_IN_BYTES)] : []),
      field(108, 'column_sizes', optional(mapByColumn(117, 118, long)), (file) => known(file.columnSizes)),
      field(109, 'value_counts', optional(mapByColumn(119, 120, long)), (file) => known(file.valueCounts)),
      field(110, 'null_value_counts', optional(mapByColumn(121, 122, long)), (file) =>
        known(file.nullValueCounts),
      ),
      field(137, 'nan_value_counts', optional(mapByColumn(138, 139, long)), absent),
      field(125, 'lower_bounds', optional(mapByColumn(126, 127, bytes)), (file) => known(file.lowerBounds)),
      field(128, 'upper_bounds', optional(mapByColumn(129, 130, bytes)), (file) => known(file.upperBounds)),
      field(131, 'key_metadata', optional(bytes), absent),
      field(132, 'split_offsets', optional(array(133, long)), (file) => file.splitOffsets),
      ...since(2, field(135, 'equality_ids', optional(array(136, int)), absent)),
      // Segments claim no order of their rows: 0 is the order of the unsorted.
      field(140, 'sort_order_id', optional(int), () => 0),
      ...since(3, field(142, 'first_row_id', optional(long), absent)),
      ...since(2, field(143, 'referenced_data_file', optional(string), absent)),
      ...since(
        3,
        field(144, 'content_offset', optional(long), absent),
        field(145, 'content_size_in_bytes', optional(long), absent),
      ),
    ],
  };
}

function absent(): undefined {
  return undefined;
}

/** An empty map is written as null: the metric is known for no column. */
function known<V>(map: ReadonlyMap<number, V>): ReadonlyMap<number, V> | undefined {
  return map.size > 0 ? map : undefined;
}

const SEQUENCE_NUMBERS: readonly RecordField<DataFile>[] = [
  field(3, 'sequence_number', optional(long), absent),
  field(4, 'file_sequence_number', optional(long), absent),
];
const DATA_FILE_FIELDS = { 1: dataFileFields(1), 2: dataFileFields(2), 3: dataFileFields(3) } as const;
