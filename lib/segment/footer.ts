/**
 * The parts of `FileMetaData` that a registration needs, described as tables of parquet-format's parquet.thrift. Everything
 * else is skipped without being built. Statistics stay raw bytes.
 */
import { RegistrarError } from '../errors.ts';
import { cursorOf, unreadable } from './compact-protocol.ts';
import {
  begunList,
  binary,
  boolean,
  type Decoded,
  elementsOf,
  i8,
  i32,
  i64,
  ignored,
  list,
  optional,
  remembering,
  required,
  struct,
  text,
  union,
} from './thrift-struct.ts';

/** The most schema elements, and so columns, that a file may have, so that a hostile 64 MiB footer cannot fill the memory. */
const maxSchemaElements = 100_000;
/** A path has one name per level of nesting, which `parquet-schema.ts` limits. */
const maxPathLength = 1_000;
const maxRowGroups = 1_000_000;

const nothing = struct('type annotation', {});

const timeUnit = union('TimeUnit', { millis: [1, nothing], micros: [2, nothing], nanos: [3, nothing] });
const time = struct('TimeType', { isAdjustedToUtc: required(1, boolean), unit: required(2, timeUnit) });

const logicalType = union('LogicalType', {
  string: [1, nothing],
  map: [2, nothing],
  list: [3, nothing],
  enum: [4, nothing],
  decimal: [5, struct('DecimalType', { scale: required(1, i32), precision: required(2, i32) })],
  date: [6, nothing],
  time: [7, time],
  timestamp: [8, time],
  integer: [10, struct('IntType', { bitWidth: required(1, i8), isSigned: required(2, boolean) })],
  null: [11, nothing],
  json: [12, nothing],
  bson: [13, nothing],
  uuid: [14, nothing],
  float16: [15, nothing],
  variant: [16, nothing],
  geometry: [17, struct('GeometryType', { crs: optional(1, text) })],
  geography: [18, struct('GeographyType', { crs: optional(1, text), algorithm: optional(2, i32) })],
});
export type LogicalType = Decoded<typeof logicalType>;

const schemaElement = struct('SchemaElement', {
  type: optional(1, i32),
  typeLength: optional(2, i32),
  repetition: optional(3, i32),
  name: required(4, text),
  numChildren: optional(5, i32),
  convertedType: optional(6, i32),
  scale: optional(7, i32),
  precision: optional(8, i32),
  fieldId: optional(9, i32),
  logicalType: optional(10, logicalType),
});
export type SchemaElement = Decoded<typeof schemaElement>;

const statistics = struct('Statistics', {
  max: optional(1, binary),
  min: optional(2, binary),
  nullCount: optional(3, i64),
  maxValue: optional(5, binary),
  minValue: optional(6, binary),
  isMaxValueExact: optional(7, boolean),
  isMinValueExact: optional(8, boolean),
});
export type Statistics = Decoded<typeof statistics>;

const columnMetaData = struct('ColumnMetaData', {
  type: required(1, i32),
  encodings: required(2, ignored('list')),
  path: required(3, list(binary, maxPathLength)),
  codec: required(4, i32),
  numValues: required(5, i64),
  totalUncompressedSize: required(6, ignored('i64')),
  totalCompressedSize: required(7, i64),
  dataPageOffset: required(9, i64),
  dictionaryPageOffset: optional(11, i64),
  statistics: optional(12, statistics),
});

const columnChunk = struct('ColumnChunk', {
  filePath: optional(1, binary),
  metaData: optional(3, columnMetaData),
  cryptoMetaData: optional(8, ignored('struct')),
  encryptedMetaData: optional(9, ignored('binary')),
});
export type ColumnChunk = Decoded<typeof columnChunk>;
export type ColumnMetaData = Decoded<typeof columnMetaData>;

const rowGroup = struct('RowGroup', {
  columns: required(1, list(columnChunk, maxSchemaElements)),
  numRows: required(3, i64),
});
export type RowGroup = Decoded<typeof rowGroup>;

const columnOrder = union('ColumnOrder', {
  typeDefined: [1, nothing],
  ieee754Total: [2, nothing],
  int96Timestamp: [3, nothing],
});
export type ColumnOrder = Decoded<typeof columnOrder>['kind'];

/**
 * Remembers decoded schemas, since most segments of a dataset share one: enough for a few hundred columns of a few datasets.
 */
const schemas = remembering(list(schemaElement, maxSchemaElements), { values: 8, maxBytes: 16 * 1024 });

const fileMetaData = struct('FileMetaData', {
  version: required(1, ignored('i32')),
  schema: required(2, schemas),
  numRows: required(3, i64),
  rowGroups: required(4, begunList(rowGroup, maxRowGroups)),
  createdBy: optional(6, binary),
  columnOrders: optional(7, list(columnOrder, maxSchemaElements)),
  encryptionAlgorithm: optional(8, ignored('struct')),
});

export interface Footer {
  /** The elements in depth-first order, root first. The same bytes give the same array while they are remembered. */
  readonly schema: readonly SchemaElement[];
  readonly numRows: number;
  /** One per leaf; undefined if the writer declared none. */
  readonly columnOrders: readonly ColumnOrder[] | undefined;
  readonly createdBy: string | undefined;
  /** Decodes one row group at a time, so that memory grows with the number of columns, not with columns times row groups. */
  rowGroups(): Generator<RowGroup>;
  /** Number of values that the decoder has met so far, including skipped ones: the cost of the footer. */
  work(): number;
}

/**
 * Decodes the `FileMetaData` of a Parquet file.
 *
 * @param bytes The struct itself, without the length and the magic behind it.
 * @throws `segment.unreadable` for anything but one well-formed struct. Row groups after the first are decoded and checked only on iteration
 */
export function decodeFooter(bytes: Uint8Array): Footer {
  const cursor = cursorOf(bytes);
  const file = fileMetaData.read(cursor, 0);
  if (file.encryptionAlgorithm) {
    throw new RegistrarError(
      'segment.unreadable',
      'Cannot read the segment: its footer declares encrypted columns; write the dataset without encryption',
    );
  }
  if (cursor.at !== bytes.length)
    unreadable(cursor, `the struct ends, ${bytes.length - cursor.at} bytes early,`);
  const cursors = [cursor];
  return {
    schema: file.schema,
    numRows: file.numRows,
    columnOrders: file.columnOrders?.map((order) => order.kind),
    createdBy: file.createdBy && Buffer.from(file.createdBy.subarray(0, 200)).toString('utf8'),
    rowGroups() {
      const rest = cursorOf(bytes, file.rowGroups.restAt);
      cursors.push(rest);
      return elementsOf(file.rowGroups, rest);
    },
    work: () => cursors.reduce((sum, each) => sum + each.nodes, 0),
  };
}
