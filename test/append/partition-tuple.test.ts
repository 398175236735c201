import { describe, expect, it } from 'vitest';
import { summarisePartitions } from '../../lib/append/partition-summary.ts';
import { partitionTuple } from '../../lib/append/partition-tuple.ts';
import { resolvePartitionFields } from '../../lib/append/transform.ts';
import type { ColumnRange } from '../../lib/segment/column-range.ts';
import type { PartitionValue } from '../../lib/spec/partition-spec.ts';

const text = (value: string) => Buffer.from(value);
const long = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
};
const int = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};
const double = (value: number) => Buffer.from(Float64Array.of(value).buffer);

function range(
  lower?: Uint8Array,
  upper: Uint8Array | undefined = lower,
  change: Partial<ColumnRange> = {},
): ColumnRange {
  const exact = (bytes: Uint8Array | undefined) => bytes && { bytes, isExact: true };
  return { lower: exact(lower), upper: exact(upper), nullCount: 0n, valueCount: 10n, ...change };
}

interface Case {
  readonly type: string;
  readonly transform: string;
  readonly range?: ColumnRange;
  readonly key?: string;
  readonly initialDefault?: unknown;
  readonly required?: boolean;
}

function fields({ type, transform, initialDefault, required = false }: Case) {
  return resolvePartitionFields(
    { 'spec-id': 0, fields: [{ 'source-id': 1, 'field-id': 1000, name: 'p', transform }] },
    {
      type: 'struct',
      fields: [{ id: 1, name: 'c', required, type, 'initial-default': initialDefault }],
    },
  );
}

function partition(one: Case): PartitionValue | undefined {
  const [value] = partitionTuple({
    uri: 's3://bucket/k',
    key: one.key ?? 'data/x.parquet',
    fields: fields(one),
    columns: new Map(one.range && [[1, one.range]]),
  });
  return value;
}

const hex = (value: PartitionValue | undefined) => value && Buffer.from(value).toString('hex');
const DAY = 86_400_000_000n;
const JAN_2 = 19724n * DAY;

describe('partitionTuple', () => {
  it.each<[string, Case, PartitionValue]>([
    ['equal bounds', { type: 'string', transform: 'identity', range: range(text('eu')) }, text('eu')],
    [
      'one day',
      { type: 'timestamp', transform: 'day', range: range(long(JAN_2), long(JAN_2 + 5n)) },
      int(19724),
    ],
    [
      'one prefix',
      { type: 'string', transform: 'truncate[2]', range: range(text('eua'), text('euz')) },
      text('eu'),
    ],
    ['a bucket of one value', { type: 'int', transform: 'bucket[16]', range: range(int(34)) }, int(3)],
    ['no column', { type: 'string', transform: 'identity' }, null],
    ['no column under a transform', { type: 'timestamp', transform: 'day' }, null],
    [
      'nulls only',
      { type: 'string', transform: 'identity', range: range(undefined, undefined, { nullCount: 10n }) },
      null,
    ],
    ['void', { type: 'string', transform: 'void', range: range(text('a'), text('b')) }, null],
    [
      'the key, where the column is not in the file',
      { type: 'int', transform: 'identity', key: 'p=7/x' },
      int(7),
    ],
    ['the key, where the bounds are cut', cutBounds('p=eu-west/x'), text('eu-west')],
    [
      'the key, where a NaN may hide',
      { type: 'double', transform: 'identity', range: range(double(1)), key: 'p=1.0/x' },
      double(1),
    ],
    ['the key, where the null count is unknown', unknownNulls('p=eu/x'), text('eu')],
    [
      'the bucket of the key, where both bounds are in it',
      { type: 'int', transform: 'bucket[16]', range: range(int(3), int(34)), key: 'p=3/x' },
      int(3),
    ],
    [
      'the bucket of the key, where the bounds are cut',
      { type: 'string', transform: 'bucket[16]', range: cut('eu', 'ev'), key: 'p=3/x' },
      int(3),
    ],
    [
      'the key, where a zero has no sign',
      { type: 'double', transform: 'identity', range: range(double(-0), double(0)), key: 'p=0.0/x' },
      double(0),
    ],
    [
      'the key, where NaN leaves no bounds',
      { type: 'double', transform: 'identity', range: range(), key: 'p=NaN/x' },
      double(Number.NaN),
    ],
    [
      'the file, where the key says something else',
      { type: 'string', transform: 'identity', range: range(text('eu')), key: 'p=us/x' },
      text('eu'),
    ],
    ['null by Hive', { type: 'string', transform: 'identity', key: 'p=__HIVE_DEFAULT_PARTITION__/x' }, null],
    [
      'a key decoded once (A32)',
      { type: 'timestamp', transform: 'identity', key: 'p=2024-01-02%2000%3A00/x' },
      long(JAN_2),
    ],
    [
      'a percent sign of the value',
      { type: 'string', transform: 'identity', key: 'p=5%2525/x' },
      text('5%25'),
    ],
    ['null by Iceberg', { type: 'int', transform: 'identity', key: 'p=null/x' }, null],
    ['text that reads null', { type: 'string', transform: 'identity', key: 'p=null/x' }, text('null')],
    [
      'the key, where a required column is not in the file',
      { type: 'int', transform: 'identity', required: true, key: 'p=7/x' },
      int(7),
    ],
    ['a plus sign', { type: 'string', transform: 'identity', key: 'p=a+b/x' }, text('a+b')],
  ])('is told by %s', (_what, one, expected) => {
    expect(hex(partition(one))).toBe(hex(expected));
  });

  it.each<[string, Case, RegExp]>([
    [
      'two values (A32)',
      { type: 'string', transform: 'identity', range: range(text('eu'), text('us')) },
      /from "eu" to "us", 0 of 10 are null/,
    ],
    [
      'two values, whatever the key says',
      { type: 'int', transform: 'identity', range: range(int(1), int(5)), key: 'p=9/x' },
      /from 1 to 5.*the key says "p=9"/,
    ],
    [
      'exact bounds on both sides of the value that the key says (A32)',
      { type: 'int', transform: 'identity', range: range(int(1), int(9)), key: 'p=5/x' },
      /from 1 to 9.*the key says "p=5"/,
    ],
    [
      'exact bounds on both sides of the day that the key says (A32)',
      {
        type: 'timestamp',
        transform: 'day',
        range: range(long(JAN_2 - DAY), long(JAN_2 + DAY)),
        key: 'p=2024-01-02/x',
      },
      /the key says "p=2024-01-02"/,
    ],
    [
      'one exact bound outside of the value that the key says, the other cut',
      {
        type: 'string',
        transform: 'identity',
        range: { ...cut('eu', 'ev'), lower: { bytes: text('eu'), isExact: true } },
        key: 'p=eu-west/x',
      },
      /from "eu" to "ev" \(inexact\)/,
    ],
    [
      'exact bounds in another bucket than the key says',
      { type: 'int', transform: 'bucket[16]', range: range(int(3), int(9)), key: 'p=3/x' },
      /the key says "p=3"/,
    ],
    [
      'NaN in the key and numbers in the file',
      { type: 'double', transform: 'identity', range: range(double(1)), key: 'p=NaN/x' },
      /the key says "p=NaN"/,
    ],
    [
      'two days',
      { type: 'timestamp', transform: 'day', range: range(long(JAN_2), long(JAN_2 * 2n)) },
      /day of column "c"/,
    ],
    [
      'an hour that its partition cannot hold',
      { type: 'timestamp', transform: 'hour', range: range(long(JAN_2), long(2n ** 63n - 1n)) },
      /hour of column "c": its values run from 1704153600000000 to 9223372036854775807/,
    ],
    [
      'a prefix below the least number, whatever the key says',
      {
        type: 'int',
        transform: 'truncate[10]',
        range: range(int(-(2 ** 31))),
        key: 'p=-2147483648/x',
      },
      /from -2147483648 to -2147483648/,
    ],
    ['cut bounds with one prefix (A32)', cutBounds(), /\(inexact\)/],
    [
      'a bucket of several values',
      { type: 'int', transform: 'bucket[16]', range: range(int(1), int(2)) },
      /from 1 to 2/,
    ],
    [
      'some nulls',
      { type: 'int', transform: 'identity', range: range(int(1), int(1), { nullCount: 4n }), key: 'p=1/x' },
      /4 of 10 are null/,
    ],
    ['an unknown null count', unknownNulls(), /an unknown number of 10 are null/],
    [
      'no statistics',
      { type: 'int', transform: 'identity', range: range(undefined, undefined, { nullCount: undefined }) },
      /unknown bound/,
    ],
    [
      'a double, which may hide a NaN',
      { type: 'double', transform: 'identity', range: range(double(1)) },
      /from 1 to 1/,
    ],
    [
      'null by Hive with values in the file',
      {
        type: 'int',
        transform: 'identity',
        range: range(int(1), int(2)),
        key: 'p=__HIVE_DEFAULT_PARTITION__/x',
      },
      /HIVE/,
    ],
    [
      'a default that rows without the column have',
      { type: 'int', transform: 'identity', initialDefault: 5 },
      /lacks the column/,
    ],
    [
      'no column, but a day in the key',
      { type: 'timestamp', transform: 'day', key: 'p=2024-01-02/x' },
      /lacks the column/,
    ],
    [
      'a key with two values',
      { type: 'int', transform: 'identity', initialDefault: 5, key: 'p=1/p=2/x' },
      /lacks the column/,
    ],
    [
      'text that is no value',
      { type: 'int', transform: 'identity', initialDefault: 5, key: 'p=2147483648/x' },
      /2147483648/,
    ],
    [
      'no column, and text in the key that is no value: null would lose it',
      { type: 'date', transform: 'identity', key: 'p=20240101/x' },
      /the key says "p=20240101"/,
    ],
    [
      'no column, and a key with two values',
      { type: 'int', transform: 'identity', key: 'p=1/p=2/x' },
      /lacks the column/,
    ],
    [
      'no column, and a broken percent sequence in the key',
      { type: 'string', transform: 'identity', key: 'p=50%/x' },
      /lacks the column/,
    ],
    [
      'a required column that neither file nor key has',
      { type: 'string', transform: 'identity', required: true },
      /lacks the column/,
    ],
    [
      'a required column that the key says is null',
      { type: 'string', transform: 'identity', required: true, key: 'p=__HIVE_DEFAULT_PARTITION__/x' },
      /lacks the column/,
    ],
    [
      'more digits than the decimal has',
      { type: 'decimal(2,0)', transform: 'identity', range: range(Buffer.from('0190', 'hex')) },
      /from 400 to 400/,
    ],
    [
      'a decimal that is truncated to more digits than it has',
      { type: 'decimal(2,0)', transform: 'truncate[1000]', range: range(Buffer.from('fb', 'hex')) },
      /from -5 to -5/,
    ],
    [
      'a day that there is not',
      { type: 'date', transform: 'identity', initialDefault: 5, key: 'p=2024-02-30/x' },
      /2024-02-30/,
    ],
    [
      'a bucket that there is not',
      { type: 'int', transform: 'bucket[4]', range: range(int(1), int(2)), key: 'p=4/x' },
      /p=4/,
    ],
    [
      'a broken percent sequence',
      { type: 'string', transform: 'identity', initialDefault: 'a', key: 'p=%E9/x' },
      /lacks/,
    ],
    [
      'a name in the file name',
      { type: 'int', transform: 'identity', initialDefault: 5, key: 'data/p=1' },
      /lacks/,
    ],
  ])('is undetermined by %s', (_what, one, message) => {
    expect(() => partition(one)).toThrow(message);
    expect(() => partition(one)).toThrow(
      expect.objectContaining({ code: 'sink.iceberg_partition_undetermined' }),
    );
  });
});

function cut(lower: string, upper: string): ColumnRange {
  const bound = (value: string) => ({ bytes: text(value), isExact: false });
  return range(undefined, undefined, { lower: bound(lower), upper: bound(upper) });
}

function cutBounds(key?: string): Case {
  return { type: 'string', transform: 'identity', range: cut('eu', 'ev'), ...(key && { key }) };
}

function unknownNulls(key?: string): Case {
  const unknown = range(text('eu'), text('eu'), { nullCount: undefined });
  return { type: 'string', transform: 'identity', range: unknown, ...(key && { key }) };
}

describe('summarisePartitions', () => {
  const summary = (type: string, values: readonly PartitionValue[]) =>
    summarisePartitions(
      fields({ type, transform: 'identity' }),
      values.map((value) => [value]),
    )[0];

  it('has NaN and null as flags and not as bounds (B26)', () => {
    expect(summary('double', [double(Number.NaN), null, double(2), double(-1)])).toEqual({
      containsNull: true,
      containsNan: true,
      lowerBound: double(-1),
      upperBound: double(2),
    });
    expect(summary('double', [double(Number.NaN)])).toMatchObject({
      lowerBound: undefined,
      upperBound: undefined,
    });
  });

  it.each([
    ['int', int(-1), int(256)],
    ['long', long(-(2n ** 62n)), long(2n ** 62n)],
    ['decimal(9,2)', Buffer.from('80', 'hex'), Buffer.from('0080', 'hex')],
    ['double', double(-0), double(0)],
    ['string', text('\uffee'), text('\u{1f600}')],
    ['uuid', Buffer.alloc(16, 1), Buffer.alloc(16, 0x80)],
  ])('orders values of type %s', (type, lower, upper) => {
    expect(summary(type, [upper, lower])).toMatchObject({ lowerBound: lower, upperBound: upper });
  });
});
