import { describe, expect, test } from 'vitest';
import { extendManifestList } from '../../../lib/append/manifest-list.ts';
import { prepareAppend } from '../../../lib/append/prepare.ts';
import { smallFilesOf } from '../../../lib/jobs/health/small-files.ts';
import { schema } from '../../../local/shipper/schema-notation.ts';
import { dataFile, emptyTable } from '../../append/table.ts';
import { fakeStore } from '../../fakes/store.ts';
import { virtualTime } from '../../fakes/time.ts';

const MIB = 1024n * 1024n;

/** A table whose manifests have so many files of so many bytes. */
function table(...manifests: readonly (readonly [files: number, bytes: bigint])[]) {
  const store = fakeStore(virtualTime().clock);
  const prepared = manifests.flatMap(([files, fileSizeInBytes], at) => {
    const dataFiles = Array.from({ length: files }, (_, file) => ({
      ...dataFile(`${at}-${file}`),
      fileSizeInBytes,
    }));
    const state = emptyTable(2);
    const uuid = `0f9c2f8e-5f0e-4c5e-9d8e-${String(at).padStart(12, '0')}`;
    return prepareAppend({ state, schema: schema(), dataFiles, snapshotId: BigInt(at), uuid }).manifests;
  });
  for (const { path, bytes } of prepared) store.upload(path, bytes);
  const { list } = extendManifestList({
    path: 's3://bucket/table/metadata/snap-1.avro',
    formatVersion: 2,
    parent: undefined,
    added: prepared.map(({ file }) => ({ ...file, sequenceNumber: 1n, minSequenceNumber: 1n })),
    nextRowId: 0n,
  });
  return { list, store };
}

describe('smallFilesOf', () => {
  test('counts the files below an eighth of the target size', async () => {
    const { list, store } = table([600, 64n * MIB - 1n], [500, 64n * MIB]);
    expect(await smallFilesOf(list, {}, store)).toMatchObject({ looked: 1100, small: 600 });
    const properties = { 'write.target-file-size-bytes': String(8n * MIB) };
    expect(await smallFilesOf(list, properties, store)).toMatchObject({ looked: 1100, small: 0 });
  });

  test('reads nothing of a table with few files', async () => {
    const { list, store } = table([1000, 1n]);
    expect(await smallFilesOf(list, {}, store)).toBeUndefined();
    expect(store.calls).toEqual([]);
  });

  test('reads the eight manifests with most files, however many there are', async () => {
    const { list, store } = table(...Array.from({ length: 12 }, (_, at) => [at < 4 ? 1 : 200, 1n] as const));
    expect(await smallFilesOf(list, {}, store)).toMatchObject({ looked: 1600, small: 1600 });
    expect(store.calls.map(({ operation }) => operation)).toEqual(Array(8).fill('read'));
  });
});
