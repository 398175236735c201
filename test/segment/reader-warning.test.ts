import { describe, expect, test } from 'vitest';
import { readerWarning } from '../../lib/segment/reader-warning.ts';
import { type FlatColumn, type FlatStatistics, flatFooter, int32, segmentFrom } from './flat-footer.ts';

const [INT32, UINT_16, UINT_32] = [1, 12, 13];

/** One file with these columns and, for each, these statistics over ten rows. */
function warningOf(
  columns: readonly Partial<FlatColumn>[],
  ...statistics: readonly (FlatStatistics | undefined)[]
): string | undefined {
  const named = columns.map((column, index) => ({ name: `c${index}`, physical: INT32, ...column }));
  return readerWarning([segmentFrom(flatFooter(named, [{ rows: 10, statistics }]))]);
}

const unsigned = { converted: UINT_32 };
const upTo = (max: number): FlatStatistics => ({ nulls: 0, min: int32(0), max: int32(max) });

describe('readerWarning', () => {
  test.each<[string, FlatStatistics | undefined]>([
    ['values from 2^31 on', upTo(-1)],
    ['no statistics', undefined],
    ['bounds in the signed order of old writers', { nulls: 0, oldMin: int32(0), oldMax: int32(7) }],
  ])('names a column in UINT_32 with %s', (_, statistics) => {
    expect(warningOf([unsigned], statistics)).toMatch(/^UINT_32 in "c0": .*Trino and Flink.*Spark refuses/);
  });

  test.each<[string, Partial<FlatColumn>, FlatStatistics | undefined]>([
    ['a UINT_32 whose greatest value is 2^31 - 1', unsigned, upTo(2 ** 31 - 1)],
    ['a UINT_32 of nothing but nulls', unsigned, { nulls: 10 }],
    ['a UINT_16', { converted: UINT_16 }, undefined],
    ['a signed integer', {}, undefined],
  ])('says nothing of %s', (_, column, statistics) => {
    expect(warningOf([column], statistics)).toBeUndefined();
  });

  test('names a column that Spark takes for a metadata column, beside any other warning', () => {
    const deleted = { name: '_deleted' };
    expect(warningOf([deleted])).toMatch(/^reserved name "_deleted": Spark cannot read.*rename/);
    expect(warningOf([unsigned, deleted])).toMatch(/^UINT_32 in "c0": .*\. reserved name "_deleted"/);
    expect(warningOf([{ name: 'deleted' }])).toBeUndefined();
  });

  test('names the codecs that some engines come without', () => {
    const [SNAPPY, LZO, BROTLI, ZSTD] = [1, 3, 4, 6];
    expect(warningOf([{ codec: BROTLI }, { codec: LZO }, { codec: ZSTD }])).toMatch(
      /^compressed with LZO: Spark, DuckDB and PyIceberg, with BROTLI: Spark and Trino come without the codec/,
    );
    expect(warningOf([{ codec: SNAPPY }, { codec: ZSTD }])).toBeUndefined();
  });

  test('names five columns and counts the rest, each once however many files have it', () => {
    const segment = segmentFrom(
      flatFooter(
        Array.from({ length: 7 }, (_, index) => ({ name: `c${index}`, physical: INT32, ...unsigned })),
        [{ rows: 1, statistics: [] }],
      ),
    );
    expect(readerWarning([segment, segment])).toContain(
      'UINT_32 in "c0", "c1", "c2", "c3", "c4" and 2 more:',
    );
  });

  test.each([
    ['s3://lake/in//a.parquet', true],
    ['s3://lake//a.parquet', true],
    ['gs://lake/in/./a.parquet', true],
    ['s3://lake/in/../a.parquet', true],
    ['s3://lake/in/a\n.parquet', true],
    ['s3://lake/in/..a/.b/c d+%2F.parquet', false],
    ['../in//a.parquet', false],
  ])('says of the path %j whether PyArrow refuses it: %s', (uri, refused) => {
    const segment = {
      ...segmentFrom(flatFooter([{ name: 'a', physical: INT32 }], [{ rows: 1, statistics: [] }])),
      uri,
    };
    if (refused)
      expect(readerWarning([segment])).toMatch(/^path ".*": PyIceberg and Polars cannot read a table/s);
    else expect(readerWarning([segment])).toBeUndefined();
  });
});
