import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inventoryObjects } from '../../../lib/jobs/backfill/inventory.ts';
import { fakeStore } from '../../fakes/store.ts';
import { virtualTime } from '../../fakes/time.ts';

const store = () => fakeStore(virtualTime().clock);
const manifest = (overrides: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({
    sourceBucket: 'lake',
    destinationBucket: 'arn:aws-cn:s3:::inventories',
    version: '2016-11-30',
    fileFormat: 'CSV',
    fileSchema: 'Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, ETag',
    files: [{ key: 'lake/daily/data/1.csv.gz', size: 1, MD5checksum: '' }],
    ...overrides,
  });
const MANIFEST = 's3://inventories/lake/daily/2026-01-31T01-00Z/manifest.json';
const DATA = 's3://inventories/lake/daily/data/1.csv.gz';

const read = (files: Readonly<Record<string, string | Uint8Array>>, name: string) => {
  const from = store();
  for (const [uri, content] of Object.entries(files)) from.upload(uri, content);
  return Array.fromAsync(inventoryObjects(name, () => from));
};

describe('inventoryObjects', () => {
  test('reads the data files named by a manifest according to its schema: current versions only, keys decoded once', async () => {
    const rows = [
      '"lake","in/a%20b+c%2Bd%25.parquet","v2","true","false","12","e1"',
      '"lake","in/old.parquet","v1","false","false","12","e2"',
      '"lake","in/gone.parquet","v3","true","true","","e3"',
      '"lake","in/%C3%A9%22.parquet","","true","false","",""',
    ];
    const files = { [MANIFEST]: manifest(), [DATA]: gzipSync(`${rows.join('\r\n')}\r\n`) };
    expect(await read(files, MANIFEST)).toEqual([
      { uri: 's3://lake/in/a b c+d%.parquet', sizeBytes: 12, etag: 'e1' },
      { uri: 's3://lake/in/é".parquet' },
    ]);
  });

  test('reads a single data file: bucket and key', async () => {
    expect(await read({ 'rows.csv': 'lake,in/a.parquet\n"lake","in/b.parquet",3\n' }, 'rows.csv')).toEqual([
      { uri: 's3://lake/in/a.parquet' },
      { uri: 's3://lake/in/b.parquet' },
    ]);
  });

  test('reads a large file in parts that may end within a gzip member or a line', async () => {
    const rows = Array.from({ length: 300_000 }, (_, at) => `"lake","in/${at}-é.parquet"\n`);
    const half = rows.length / 2;
    const bytes = Buffer.concat([
      gzipSync(rows.slice(0, half).join(''), { level: 0 }),
      gzipSync(rows.slice(half).join(''), { level: 0 }),
    ]);
    expect(bytes.length).toBeGreaterThan(2 * 4 * 1024 * 1024);
    const objects = await read({ 'rows.csv.gz': bytes }, 'rows.csv.gz');
    expect(objects.length).toBe(rows.length);
    expect(objects.at(-1)).toEqual({ uri: 's3://lake/in/299999-é.parquet' });
  });

  test.each([
    ['a manifest that is not there', {}, 'the store says missing'],
    ['another format', { [MANIFEST]: manifest({ fileFormat: 'ORC' }) }, 'fileFormat is "ORC"'],
    ['no JSON', { [MANIFEST]: '<xml>' }, 'it is not JSON'],
    ['a schema without a key', { [MANIFEST]: manifest({ fileSchema: 'Bucket, Size' }) }, '"Bucket, Size"'],
    ['a data file that is not there', { [MANIFEST]: manifest() }, 'the store says missing'],
    ['a row without a key', { [MANIFEST]: manifest(), [DATA]: gzipSync('"lake"\n') }, 'a row is ["lake"]'],
    [
      'a key that is not encoded',
      { [MANIFEST]: manifest(), [DATA]: gzipSync('"lake","100%"\n') },
      'a row is ["lake","100%"]',
    ],
  ])('refuses %s', async (_what, files, message) => {
    await expect(read(files, MANIFEST)).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining(message),
    });
  });

  test('refuses a truncated data file', async () => {
    const cut = gzipSync('"lake","a"\n'.repeat(1_000)).subarray(0, -20);
    await expect(read({ [MANIFEST]: manifest(), [DATA]: cut }, MANIFEST)).rejects.toThrow('unexpected end');
  });
});
