import { describe, expect, test } from 'vitest';
import { checkedChunk } from '../../lib/segment/column-chunk.ts';
import { type ColumnChunk, decodeFooter } from '../../lib/segment/footer.ts';
import { schemaTree } from '../../lib/segment/parquet-schema.ts';
import { flatFooter } from './flat-footer.ts';

const footer = decodeFooter(flatFooter([{ name: 'c', physical: 1 }], [{ rows: 3, statistics: [undefined] }]));
const [leaf] = schemaTree(footer.schema).leaves;
const [group] = footer.rowGroups();
const chunk = group?.columns[0];
if (leaf === undefined || chunk?.metaData === undefined) throw new Error('the footer has one column chunk');
const { metaData } = chunk;

/** Checks the chunk in a file of 3 rows, whose data end at byte 104. */
const check = (change: Partial<ColumnChunk>, numRows = 3) =>
  checkedChunk({ ...chunk, ...change }, leaf, numRows, 104);
const withMetaData = (change: Partial<typeof metaData>): Partial<ColumnChunk> => ({
  metaData: { ...metaData, ...change },
});

describe('checkedChunk', () => {
  test('returns where a chunk starts: at its dictionary page, if that is earlier', () => {
    expect(check({}).start).toBe(4);
    const dictionary = { dataPageOffset: 20, totalCompressedSize: 50 };
    expect(check(withMetaData({ ...dictionary, dictionaryPageOffset: 6 })).start).toBe(6);
    expect(check(withMetaData({ ...dictionary, dictionaryPageOffset: 0 })).start).toBe(20);
  });

  test.each<[string, Partial<ColumnChunk>, string, RegExp]>([
    ['encrypted with a key of its own', { cryptoMetaData: true }, 'segment.unreadable', /encrypt/],
    [
      'whose metadata is encrypted',
      { encryptedMetaData: true, metaData: undefined },
      'segment.unreadable',
      /encrypt/,
    ],
    ['without metadata', { metaData: undefined }, 'segment.inconsistent', /no metadata/],
    ['in another file', { filePath: Buffer.from('other.parquet') }, 'segment.inconsistent', /another file/],
    ['of another type (A27)', withMetaData({ type: 2 }), 'segment.inconsistent', /type 1 .* 2/],
    ['of another column (A27)', withMetaData({ path: [Buffer.from('d')] }), 'segment.inconsistent', /"d"/],
    [
      'of a nested column',
      withMetaData({ path: [Buffer.from('c'), Buffer.from('d')] }),
      'segment.inconsistent',
      /"c.d"/,
    ],
    [
      'with fewer values than rows',
      withMetaData({ numValues: 2 }),
      'segment.inconsistent',
      /2 values for 3 rows/,
    ],
    [
      'with more values than rows',
      withMetaData({ numValues: 4 }),
      'segment.inconsistent',
      /4 values for 3 rows/,
    ],
    ['of a negative size', withMetaData({ totalCompressedSize: -1 }), 'segment.inconsistent', /4 to 3/],
    ['that begins in the magic', withMetaData({ dataPageOffset: 3 }), 'segment.inconsistent', /3 to 103/],
    [
      'that ends in the footer (A27)',
      withMetaData({ totalCompressedSize: 101 }),
      'segment.inconsistent',
      /4 to 105.*4 to 104/,
    ],
    [
      'with more values than any file has (C23)',
      withMetaData({ numValues: 2 ** 62 }),
      'segment.inconsistent',
      /4611686018427388000 values/,
    ],
  ])('refuses one %s', (_, change, code, message) => {
    expect(() => check(change, change.metaData?.numValues === 2 ** 62 ? 2 ** 62 : 3)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
    expect(() => check(change)).toThrow(/"c"/);
  });

  test('refuses a chunk without rows that is larger than the file (C23)', () => {
    const large = withMetaData({ numValues: 0, totalCompressedSize: 2 ** 63 - 1 });
    expect(() => check(large, 0)).toThrow(expect.objectContaining({ code: 'segment.inconsistent' }));
  });

  test('does not check the position of a chunk without rows', () => {
    expect(check(withMetaData({ numValues: 0, dataPageOffset: 0, totalCompressedSize: 0 }), 0).start).toBe(0);
  });
});
