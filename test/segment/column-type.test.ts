import { describe, expect, test } from 'vitest';
import { RegistrarError } from '../../lib/errors.ts';
import { binary, boolean, i8, i32, struct, type ThriftValue } from '../fuzz/compact-writer.ts';
import { type FlatColumn, flatFooter, segmentFrom } from './flat-footer.ts';

const [BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED] = [0, 1, 2, 3, 4, 5, 6, 7];
const nothing = struct({});
const logical = (kind: number, parameters: ThriftValue = nothing): Partial<FlatColumn> => ({
  logical: struct({ [kind]: parameters }),
});
const integer = (bits: number, isSigned: boolean) =>
  logical(10, struct({ 1: i8(bits), 2: boolean(isSigned) }));
const time = (kind: 7 | 8, unit: number, isUtc: boolean) =>
  logical(kind, struct({ 1: boolean(isUtc), 2: struct({ [unit]: nothing }) }));
const decimal = (precision: number, scale: number) =>
  logical(5, struct({ 1: i32(scale), 2: i32(precision) }));
const crs = (name: string) => struct({ 1: binary(name) });
const converted = (type: number): Partial<FlatColumn> => ({ converted: type });
const [MILLIS, MICROS, NANOS] = [1, 2, 3];

const unsupported = 'sink.iceberg_unsupported_type';
const inconsistent = 'segment.inconsistent';

/**
 * The mapping of Parquet types (Iceberg spec, Appendix A; parquet-format, LogicalTypes.md). A single result holds for format
 * versions 2 and 3.
 */
const matrix: readonly [
  title: string,
  physical: number,
  annotation: Partial<FlatColumn>,
  v2: string,
  v3?: string,
][] = [
  ['BOOLEAN', BOOLEAN, {}, 'boolean'],
  ['INT32', INT32, {}, 'int'],
  ['INT64', INT64, {}, 'long'],
  ['INT96 (A12)', INT96, {}, 'timestamptz'],
  ['FLOAT', FLOAT, {}, 'float'],
  ['DOUBLE', DOUBLE, {}, 'double'],
  ['BYTE_ARRAY', BYTE_ARRAY, {}, 'binary'],
  ['FIXED(5)', FIXED, { typeLength: 5 }, 'fixed[5]'],
  ['FIXED(0)', FIXED, { typeLength: 0 }, inconsistent],
  ['no such physical type', 8, {}, inconsistent],
  ['int8', INT32, integer(8, true), 'int'],
  ['int16', INT32, integer(16, true), 'int'],
  ['int32', INT32, integer(32, true), 'int'],
  ['int64', INT64, integer(64, true), 'long'],
  ['uint8 (A11)', INT32, integer(8, false), 'int'],
  ['uint16 (A11)', INT32, integer(16, false), 'int'],
  ['uint32 (A11)', INT32, integer(32, false), 'long'],
  ['uint64 (A11)', INT64, integer(64, false), unsupported],
  ['int64 on INT32', INT32, integer(64, true), inconsistent],
  ['int7', INT32, integer(7, true), unsupported],
  ['converted INT_8', INT32, converted(15), 'int'],
  ['converted INT_16', INT32, converted(16), 'int'],
  ['converted INT_32', INT32, converted(17), 'int'],
  ['converted INT_64', INT64, converted(18), 'long'],
  ['converted UINT_8', INT32, converted(11), 'int'],
  ['converted UINT_16', INT32, converted(12), 'int'],
  ['converted UINT_32', INT32, converted(13), 'long'],
  ['converted UINT_64', INT64, converted(14), unsupported],
  ['date', INT32, logical(6), 'date'],
  ['converted DATE', INT32, converted(6), 'date'],
  ['date on INT64', INT64, logical(6), inconsistent],
  ['time in micros (A15)', INT64, time(7, MICROS, true), 'time'],
  ['local time in micros', INT64, time(7, MICROS, false), 'time'],
  ['converted TIME_MICROS', INT64, converted(8), 'time'],
  ['time in millis (A16)', INT32, time(7, MILLIS, true), unsupported],
  ['converted TIME_MILLIS', INT32, converted(7), unsupported],
  ['time in nanos (A13)', INT64, time(7, NANOS, true), unsupported],
  ['timestamp in micros, UTC (A15)', INT64, time(8, MICROS, true), 'timestamptz'],
  ['timestamp in micros, local (A15)', INT64, time(8, MICROS, false), 'timestamp'],
  ['converted TIMESTAMP_MICROS is UTC (A15)', INT64, converted(10), 'timestamptz'],
  ['timestamp in millis (A14)', INT64, time(8, MILLIS, true), unsupported],
  ['converted TIMESTAMP_MILLIS (A14)', INT64, converted(9), unsupported],
  ['timestamp in nanos, UTC (A13)', INT64, time(8, NANOS, true), unsupported, 'timestamptz_ns'],
  ['timestamp in nanos, local (A13)', INT64, time(8, NANOS, false), unsupported, 'timestamp_ns'],
  ['timestamp in a unit of the future', INT64, time(8, 4, false), unsupported],
  ['decimal on INT32 (A17)', INT32, decimal(9, 2), 'decimal(9,2)'],
  ['decimal on INT64', INT64, decimal(18, 0), 'decimal(18,0)'],
  ['decimal on FIXED', FIXED, { ...decimal(38, 10), typeLength: 16 }, 'decimal(38,10)'],
  ['decimal on BYTE_ARRAY', BYTE_ARRAY, decimal(20, 3), 'decimal(20,3)'],
  ['converted DECIMAL', INT32, { converted: 5, precision: 7, scale: 2 }, 'decimal(7,2)'],
  ['converted DECIMAL without a precision', INT32, { converted: 5 }, inconsistent],
  ['decimal with 10 digits on INT32', INT32, decimal(10, 2), inconsistent],
  ['decimal with 19 digits on INT64', INT64, decimal(19, 2), inconsistent],
  ['decimal with 5 digits on FIXED(2)', FIXED, { ...decimal(5, 2), typeLength: 2 }, inconsistent],
  ['decimal with a scale beyond its precision', INT32, decimal(3, 4), inconsistent],
  ['decimal without digits', INT32, decimal(0, 0), inconsistent],
  ['decimal with 39 digits', BYTE_ARRAY, decimal(39, 2), unsupported],
  ['decimal on DOUBLE', DOUBLE, decimal(9, 2), inconsistent],
  ['string', BYTE_ARRAY, logical(1), 'string'],
  ['converted UTF8', BYTE_ARRAY, converted(0), 'string'],
  ['string on INT32', INT32, logical(1), inconsistent],
  ['enum (A20)', BYTE_ARRAY, logical(4), 'string'],
  ['converted ENUM', BYTE_ARRAY, converted(4), 'string'],
  ['JSON (A20)', BYTE_ARRAY, logical(12), 'string'],
  ['converted JSON', BYTE_ARRAY, converted(19), 'string'],
  ['BSON (A20)', BYTE_ARRAY, logical(13), 'binary'],
  ['converted BSON', BYTE_ARRAY, converted(20), 'binary'],
  ['interval (A20)', FIXED, { converted: 21, typeLength: 12 }, unsupported],
  ['interval as Arrow writes it', FIXED, { ...logical(11), converted: 21, typeLength: 12 }, unsupported],
  ['UUID (A18)', FIXED, { ...logical(14), typeLength: 16 }, 'uuid'],
  ['UUID of 15 bytes', FIXED, { ...logical(14), typeLength: 15 }, inconsistent],
  ['float16 (A19)', FIXED, { ...logical(15), typeLength: 2 }, unsupported],
  ['null (A22)', INT32, logical(11), unsupported],
  ['geometry (A21)', BYTE_ARRAY, logical(17), unsupported, 'geometry'],
  [
    'geography (A21)',
    BYTE_ARRAY,
    logical(18, struct({ 2: i32(4) })),
    unsupported,
    'geography(OGC:CRS84, karney)',
  ],
  ['geometry with the default system', BYTE_ARRAY, logical(17, crs('OGC:CRS84')), unsupported, 'geometry'],
  [
    'geometry with another system',
    BYTE_ARRAY,
    logical(17, crs('srid:3857')),
    unsupported,
    'geometry(srid:3857)',
  ],
  [
    'geometry with a system that no catalog reads back',
    BYTE_ARRAY,
    logical(17, crs('{"name":"UTM (32N)"}')),
    unsupported,
  ],
  ['geometry with a blank system', BYTE_ARRAY, logical(17, crs(' ')), unsupported],
  ['geometry with a NUL in its system', BYTE_ARRAY, logical(17, crs('a\0b')), unsupported],
  [
    'geometry with a system in JSON',
    BYTE_ARRAY,
    logical(17, crs('{"a":1,"b":2}')),
    unsupported,
    'geometry({"a":1,"b":2})',
  ],
  [
    'geography with a comma in its system, which no catalog reads back',
    BYTE_ARRAY,
    logical(18, crs('a,b')),
    unsupported,
  ],
  ['geography with the default system', BYTE_ARRAY, logical(18, crs('OGC:CRS84')), unsupported, 'geography'],
  ['geography with edges of the future', BYTE_ARRAY, logical(18, struct({ 2: i32(9) })), unsupported],
  ['a logical type of the future (A22)', BYTE_ARRAY, logical(60), unsupported],
  ['a converted type of the future', BYTE_ARRAY, converted(99), unsupported],
  ['a leaf annotated as a list', INT32, converted(3), inconsistent],
];

const verdict = (column: FlatColumn, formatVersion: 2 | 3): string => {
  try {
    const footer = flatFooter([column], [{ rows: 1, statistics: [undefined] }]);
    return String(segmentFrom(footer, { formatVersion }).schema.fields[0]?.type);
  } catch (error) {
    if (!(error instanceof RegistrarError)) throw error;
    expect(error.message).toContain('"c"');
    return error.code;
  }
};

describe('columnType', () => {
  test.each(matrix)('%s', (_, physical, annotation, v2, v3 = v2) => {
    const column = { name: 'c', physical, ...annotation };
    expect([verdict(column, 2), verdict(column, 3)]).toEqual([v2, v3]);
  });

  test('names column, both types and the way out for uint64 (A11)', () => {
    const footer = flatFooter(
      [{ name: 'n', physical: 2, converted: 14 }],
      [{ rows: 1, statistics: [undefined] }],
    );
    expect(() => segmentFrom(footer)).toThrow(/"n".*UINT\(64\) on INT64.*Iceberg long.*signed integers/);
  });

  test('accepts milliseconds with timestamp_millis: accept, with bounds in microseconds (A14)', () => {
    const millis = new Uint8Array(BigInt64Array.of(1754856293080n).buffer);
    const footer = flatFooter(
      [{ name: 't', physical: 2, converted: 9 }],
      [{ rows: 1, statistics: [{ nulls: 0, min: millis, max: millis }] }],
    );
    const segment = segmentFrom(footer, { timestampMillis: 'accept' });
    expect(segment.schema.fields[0]?.type).toBe('timestamptz');
    const bound = segment.columns[0]?.lower?.bytes ?? new Uint8Array();
    expect(Buffer.from(bound).readBigInt64LE()).toBe(1754856293080000n);
  });
});
