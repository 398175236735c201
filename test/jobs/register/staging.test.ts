import { afterEach, beforeEach, expect, test } from 'vitest';
import { readEntryMetrics } from '../../../lib/append/manifest.ts';
import { manifestFiles, readManifestList } from '../../../lib/append/manifest-list.ts';
import type { ManifestFile } from '../../../lib/spec/manifest.ts';
import { branchHead } from '../../../lib/spec/table-state.ts';
import { optional, required, schema } from '../../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { type Registration, startRegistration } from '../registration.ts';

const identifier = { namespace: ['lake'], name: 'orders' };

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration();
});
afterEach(() => registration.close());

const ship = (id: number, name = 'region', key = String(id)) =>
  registration.deliver([
    registration.upload(
      `thadam/v1/plant/orders/${key}.parquet`,
      writeParquet(schema(required(1, 'id', 'int'), optional(2, name, 'string')), [{ id, [name]: 'eu' }]),
    ),
  ]);

/** The manifests of `main`, the newest first. */
async function manifests(): Promise<readonly ManifestFile[]> {
  const state = await registration.table('orders');
  const list = (state && branchHead(state, 'main')?.manifestList) ?? '';
  return manifestFiles(readManifestList(bytesOf(list), list));
}

function bytesOf(uri: string): Buffer {
  return registration.stack.objects.get('lake', uri.replace('s3://lake/', ''))?.bytes ?? Buffer.alloc(0);
}

/** A manifest is used again only for the default spec that it was written for: a data file belongs where the table now puts it. */
test('stagingOf: another default spec since the cached state, and the manifest is written anew for it', async () => {
  await ship(1);
  const [entry] = registration.ports.entries;
  if (entry === undefined) throw new Error('no entry');
  await registration.ports.portsOf(entry).catalog.commit(identifier, {
    requirements: [],
    updates: [
      {
        action: 'add-spec',
        spec: {
          'spec-id': 1,
          fields: [{ 'source-id': 2, 'field-id': 1000, name: 'region', transform: 'identity' }],
        },
      },
      { action: 'set-default-spec', 'spec-id': -1 },
    ],
  });
  await ship(2);
  expect((await manifests()).map(({ partitionSpecId }) => partitionSpecId)).toEqual([1, 0]);
});

test('stagingOf: a manifest list, a manifest and a merged one are written only where there is none (I1)', async () => {
  await registration.close();
  registration = await startRegistration({ table_properties: { 'commit.manifest.min-count-to-merge': '2' } });
  await ship(1);
  await ship(2);
  const writes: unknown[] = [];
  registration.around = ({ store, ...services }) => ({
    ...services,
    store: {
      ...store,
      write: (uri, bytes, options) => {
        writes.push(options);
        return store.write(uri, bytes, options);
      },
    },
  });
  await ship(3);
  expect(writes).toEqual(Array(3).fill({ ifAbsent: true }));
});

/** Column properties follow a rename in the commit that renames: its own data files go by them already. */
test('stagingOf: a renamed column without metrics has none in the very commit that renames it', async () => {
  await registration.close();
  registration = await startRegistration({
    table_properties: { 'write.metadata.metrics.column.region': 'none' },
  });
  await ship(1);
  await ship(2, 'area');
  const counted = (await manifests()).map(({ manifestPath }, index) => {
    const file = `s3://lake/in/thadam/v1/plant/orders/${2 - index}.parquet`;
    return [...(readEntryMetrics(bytesOf(manifestPath), manifestPath, file)?.valueCounts.keys() ?? [])];
  });
  expect(counted).toEqual([[1], [1]]);
});

test('stagingOf: a partition column has bounds even where so many columns leave it without (A33)', async () => {
  await registration.close();
  registration = await startRegistration({
    partition_by: ['region'],
    table_properties: { 'write.metadata.metrics.max-inferred-column-defaults': '1' },
  });
  await ship(1);
  const [path = ''] = (await manifests()).map(({ manifestPath }) => manifestPath);
  const metrics = readEntryMetrics(bytesOf(path), path, 's3://lake/in/thadam/v1/plant/orders/1.parquet');
  expect([...(metrics?.lowerBounds.keys() ?? [])]).toEqual([1, 2]);
});

/** Otherwise all of them would be taken for the table's own files and acknowledged (I11). */
test('judge: a path of the table around the directory of its segments fails their messages, until it is elsewhere', async () => {
  await ship(1);
  const [entry] = registration.ports.entries;
  if (entry === undefined) throw new Error('no entry');
  const { catalog } = registration.ports.portsOf(entry);
  const setDataPath = (path: string) =>
    catalog.commit(identifier, {
      requirements: [],
      updates: [{ action: 'set-properties', updates: { 'write.data.path': path } }],
    });
  await setDataPath('s3a://lake/in/thadam/');
  await registration.coldStart();
  expect((await ship(2)).batchItemFailures).toHaveLength(1);
  expect(registration.log).toContainEqual(
    expect.objectContaining({
      event: 'table-failed',
      error: expect.objectContaining({
        code: 'table.unsupported',
        message: expect.stringMatching(
          /"s3:\/\/lake\/in\/thadam\/".*"s3:\/\/lake\/in\/thadam\/v1\/plant\/orders"/,
        ),
      }),
    }),
  );
  await setDataPath('s3://lake/in/thadam/v1/plant/orders/compacted');
  expect((await ship(2)).batchItemFailures).toEqual([]);
  expect((await ship(3, 'region', 'compacted/3')).batchItemFailures).toEqual([]);
  expect(await manifests()).toHaveLength(2);
});
