import { describe, expect, test } from 'vitest';
import { ownFileTest, rememberedPaths } from '../../lib/route/table-paths.ts';
import { metadataDirectory } from '../../lib/spec/metadata-directory.ts';
import { tableState } from '../fakes/table-state.ts';

const remembered = (...paths: string[]) => ({ 'iceberg-registrar.ignored-paths': JSON.stringify(paths) });

describe('ownFileTest (I11)', () => {
  const isOwnFile = ownFileTest(
    tableState({
      location: 's3://lake/orders',
      properties: { 'write.data.path': 's3a://lake/compacted/', ...remembered('s3n://lake/old/') },
    }),
    's3://lake/orders',
  );

  test.each([
    's3://lake/orders/data/x.parquet',
    's3a://lake/orders/metadata/x.avro',
    's3://lake/compacted/x.parquet',
    's3://lake/old/x.parquet',
  ])('has %s, however the table spells its paths', (uri) => {
    expect(isOwnFile(uri)).toBe(true);
  });

  test.each([
    's3://lake/orders/x.parquet',
    's3://lake/compacted-not/x',
    's3://lake/data/x',
    'gs://lake/old/x',
  ])('leaves %s to the shipper', (uri) => {
    expect(isOwnFile(uri)).toBe(false);
  });
});

test.each([
  ['no JSON', '{', false],
  ['no list', '{"path":"s3://lake/old/"}', false],
  ['a list with other things between the paths', '[7,null,"s3://lake/old/"]', true],
])('ownFileTest: of remembered paths that are %s, those that are paths count', (_, text, isOwn) => {
  const state = tableState({ properties: { 'iceberg-registrar.ignored-paths': text } });
  expect(ownFileTest(state, 's3://lake/orders')('s3://lake/old/x.parquet')).toBe(isOwn);
});

test.each(['s3://lake/in/orders/', 's3a://lake/in/', 's3://lake/'])(
  'own files in %s, and no segment of s3://lake/in/orders can be told from them',
  (path) => {
    const now = tableState({ location: 's3://lake/t', properties: { 'write.object-storage.path': path } });
    const earlier = tableState({ location: 's3://lake/t', properties: remembered(path) });
    for (const state of [now, earlier]) {
      expect(() => ownFileTest(state, 's3://lake/in/orders')).toThrow(
        expect.objectContaining({ code: 'table.unsupported' }),
      );
      expect(() => ownFileTest(state, 's3://other/in/orders')).not.toThrow();
    }
  },
);

test('the paths of a table are read in one pass, however many slashes a catalog puts into them', () => {
  const path = `s3://lake/${'/'.repeat(1_000_000)}x`;
  const state = tableState({ location: 's3://lake/t', properties: { 'write.metadata.path': `${path}/` } });
  expect(ownFileTest(state, 's3://lake/t')(`${path}/1.avro`)).toBe(true);
  expect(metadataDirectory(state)).toBe(path);
});

describe('rememberedPaths', () => {
  test('another spelling of a path is no new path', () => {
    const location = 's3a://lake/orders';
    const properties = remembered('s3://lake/orders/data/', 's3n://lake/orders/metadata/');
    expect(rememberedPaths(tableState({ location, properties }))).toBeUndefined();
  });

  test.each([['s3://lake/old/'], ['s3://lake/orders/data/', 's3://lake/old/']])(
    'a path that is not there yet joins those that are: %s',
    (...known) => {
      const properties = remembered(...known);
      const paths = rememberedPaths(tableState({ location: 's3://lake/orders', properties }));
      expect(JSON.parse(Object.values(paths ?? {})[0] ?? '[]')).toEqual([
        's3://lake/orders/data/',
        's3://lake/orders/metadata/',
        's3://lake/old/',
      ]);
    },
  );
});
