/** Footers of flat files, for tests that need one exact statistic. */
import { type Segment, type SegmentOptions, segmentOf } from '../../lib/segment/segment.ts';
import { binary, boolean, encode, i32, i64, list, struct, type ThriftValue } from '../fuzz/compact-writer.ts';

export interface FlatColumn {
  readonly name: string;
  /** Parquet's number of the physical type. */
  readonly physical: number;
  /** The position from 1 by default; null for none. */
  readonly id?: number | null;
  readonly isRequired?: boolean;
  readonly typeLength?: number;
  readonly converted?: number;
  readonly precision?: number;
  readonly scale?: number;
  readonly logical?: ThriftValue;
  /** The member of `ColumnOrder`; 1 is the order of the type. */
  readonly order?: number;
  /** The number of the compression codec; 0 is none. */
  readonly codec?: number;
}

export interface FlatStatistics {
  readonly nulls?: number | bigint;
  readonly min?: Uint8Array;
  readonly max?: Uint8Array;
  readonly oldMin?: Uint8Array;
  readonly oldMax?: Uint8Array;
  readonly isMaxExact?: boolean;
}

export interface FlatGroup {
  readonly rows: number;
  /** One a column; undefined for a chunk without statistics. */
  readonly statistics: readonly (FlatStatistics | undefined)[];
}

const chunkBytes = 100;

/** The bytes of a `FileMetaData`. @param withOrders Whether the file declares column orders. */
export function flatFooter(
  columns: readonly FlatColumn[],
  groups: readonly FlatGroup[],
  { withOrders = true }: { readonly withOrders?: boolean } = {},
): Uint8Array {
  let offset = 4;
  return encode(
    struct({
      1: i32(2),
      2: list('struct', [
        struct({ 4: binary('root'), 5: i32(columns.length) }),
        ...columns.map(schemaElement),
      ]),
      3: i64(groups.reduce((sum, { rows }) => sum + rows, 0)),
      4: list(
        'struct',
        groups.map(({ rows, statistics }) => {
          const chunks = columns.map((column, index) => {
            const chunk = columnChunk(column, rows, offset, statistics[index]);
            offset += chunkBytes;
            return chunk;
          });
          return struct({ 1: list('struct', chunks), 2: i64(1), 3: i64(rows) });
        }),
      ),
      7: withOrders
        ? list(
            'struct',
            columns.map(({ order = 1 }) => struct({ [order]: struct({}) })),
          )
        : undefined,
    }),
  );
}

/** A file with such a footer, and zeros where its rows should be. */
export function flatFile(...of: Parameters<typeof flatFooter>): Uint8Array {
  const footer = flatFooter(...of);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(10_000), footer, length, Buffer.from('PAR1')]);
}

/** The segment of a footer, in a file that is large enough for its chunks. */
export function segmentFrom(footer: Uint8Array, options: Partial<SegmentOptions> = {}): Segment {
  const segment = segmentOf(
    { scheme: 's3', bucket: 'lake', key: 'a.parquet' },
    {
      kind: 'footer',
      uri: 's3://lake/a.parquet',
      bytes: footer,
      etag: 'e',
      sizeBytes: 1_000_000 + footer.length,
      lastModifiedMs: 5,
    },
    {
      formatVersion: 2,
      fieldIds: 'checked',
      caseSensitiveNames: false,
      timestampMillis: 'refuse',
      ...options,
    },
  );
  if (segment === 'empty') throw new Error('the footer has no rows');
  return segment;
}

/** The segment of a whole file. */
export function segmentOfFile(file: Uint8Array): Segment {
  const trailer = file.length - 8;
  const length = new DataView(file.buffer, file.byteOffset).getUint32(trailer, true);
  return segmentFrom(file.subarray(trailer - length, trailer));
}

function schemaElement(column: FlatColumn, index: number): ThriftValue {
  const { physical, name, id = index + 1, isRequired = false } = column;
  return struct({
    1: i32(physical),
    2: maybe(column.typeLength),
    3: i32(isRequired ? 0 : 1),
    4: binary(name),
    6: maybe(column.converted),
    7: maybe(column.scale),
    8: maybe(column.precision),
    9: id === null ? undefined : i32(id),
    10: column.logical,
  });
}

const maybe = (value: number | undefined): ThriftValue | undefined =>
  value === undefined ? undefined : i32(value);
const bytes = (value: Uint8Array | undefined): ThriftValue | undefined => value && binary(value);

function columnChunk(
  { physical, name, codec = 0 }: FlatColumn,
  rows: number,
  offset: number,
  statistics: FlatStatistics | undefined,
): ThriftValue {
  const { nulls, isMaxExact } = statistics ?? {};
  const metaData = struct({
    1: i32(physical),
    2: list('i32', [i32(0)]),
    3: list('binary', [binary(name)]),
    4: i32(codec),
    5: i64(rows),
    6: i64(chunkBytes),
    7: i64(chunkBytes),
    9: i64(offset),
    12:
      statistics &&
      struct({
        1: bytes(statistics.oldMax),
        2: bytes(statistics.oldMin),
        3: nulls === undefined ? undefined : i64(nulls),
        5: bytes(statistics.max),
        6: bytes(statistics.min),
        7: isMaxExact === undefined ? undefined : boolean(isMaxExact),
      }),
  });
  return struct({ 2: i64(offset), 3: metaData });
}

export const int32 = (value: number): Uint8Array => new Uint8Array(Int32Array.of(value).buffer);
export const int64 = (value: bigint): Uint8Array => new Uint8Array(BigInt64Array.of(value).buffer);
export const float64 = (value: number): Uint8Array => new Uint8Array(Float64Array.of(value).buffer);
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
