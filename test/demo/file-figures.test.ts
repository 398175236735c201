import { describe, expect, test } from 'vitest';
import { fileDifferences, type ShippedSegment } from '../../local/demo/file-figures.ts';
import type { LiveFile } from '../../local/demo/manifest-entries.ts';
import { optional, required, schema } from '../../local/shipper/schema-notation.ts';
import { logRows } from '../../local/shipper/segment-log.ts';

const table = schema(
  required(1, 'seq', 'long'),
  optional(2, 'price', 'decimal(9,2)'),
  optional(3, 'name', 'string'),
);
const log = logRows(table, [
  { seq: 1n, price: -250n, name: 'a name of more than sixteen letters' },
  { seq: 2n, price: null, name: 'b' },
]);
const segment: ShippedSegment = { uri: 's3://lake/a.parquet', sizeBytes: 900, log };
const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const file: LiveFile = {
  uri: segment.uri,
  rows: 2,
  sizeBytes: 900,
  valueCounts: new Map([1, 2, 3].map((id) => [id, 2])),
  nullCounts: new Map([
    [1, 0],
    [2, 1],
    [3, 0],
  ]),
  lowerBounds: new Map([
    [1, bytes('0100000000000000')],
    [2, bytes('ff06')],
    [3, Buffer.from('a name of more t')],
  ]),
  upperBounds: new Map([
    [1, bytes('0200000000000000')],
    [2, bytes('ff06')],
    [3, Buffer.from('b')],
  ]),
};
const check = (files: readonly LiveFile[]): readonly string[] =>
  fileDifferences('shop', table, [segment], files);

describe('fileDifferences', () => {
  test('is empty when every figure agrees, a cut-off text bound included', () => {
    expect(check([file])).toEqual([]);
  });

  test.each<[string, Partial<LiveFile>, string]>([
    ['record_count', { rows: 3 }, 'record_count: 3, expected 2'],
    ['file_size_in_bytes', { sizeBytes: 901 }, 'file_size_in_bytes: 901, expected 900'],
    [
      'a null count',
      { nullCounts: new Map([...file.nullCounts, [2, 0]]) },
      'column price: null_value_count: 0, expected 1',
    ],
    [
      'a value count',
      { valueCounts: new Map([...file.valueCounts, [3, 1]]) },
      'column name: value_count: 1, expected 2',
    ],
    [
      'an absent null count',
      { nullCounts: new Map() },
      'column seq: null_value_count: undefined, expected 0',
    ],
    [
      'an upper bound',
      { upperBounds: new Map([...file.upperBounds, [1, bytes('0100000000000000')]]) },
      'column seq: upper_bound is "1", its greatest value "2"',
    ],
    [
      'a decimal bound',
      { lowerBounds: new Map([...file.lowerBounds, [2, bytes('06')]]) },
      'column price: lower_bound is "6", its least value "-250"',
    ],
    [
      'a text bound',
      { lowerBounds: new Map([...file.lowerBounds, [3, Buffer.from('b')]]) },
      'column name: lower_bound is "b", its least value "a name of',
    ],
    ['an absent bound', { upperBounds: new Map() }, 'column seq: upper_bound is absent'],
  ])('names %s that differs', (_, changed, line) => {
    expect(check([{ ...file, ...changed }]).join('\n')).toContain(`shop, "s3://lake/a.parquet": ${line}`);
  });

  test('names a file that is missing, there twice, or shipped by nobody (I2)', () => {
    expect(check([])).toEqual(['shop: "s3://lake/a.parquet" is not in the table']);
    expect(check([file, file])).toEqual(['shop: "s3://lake/a.parquet" is in the table 2 times']);
    expect(check([file, { ...file, uri: 's3://lake/b.parquet' }])).toEqual([
      'shop: nobody shipped "s3://lake/b.parquet"',
    ]);
  });
});
