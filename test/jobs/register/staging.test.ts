import { afterEach, beforeEach, expect, test } from 'vitest';
import { manifestFiles, readManifestList } from '../../../lib/append/manifest-list.ts';
import { branchHead } from '../../../lib/spec/table-state.ts';
import { optional, required, schema } from '../../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { type Registration, startRegistration } from '../registration.ts';

const dataset = schema(required(1, 'id', 'int'), optional(2, 'region', 'string'));
const identifier = { namespace: ['lake'], name: 'orders' };

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration();
});
afterEach(() => registration.close());

/** A manifest is used again only for the default spec that it was written for: a data file belongs where the table now puts it. */
test('stagingOf: another default spec since the cached state, and the manifest is written anew for it', async () => {
  const ship = (id: number) =>
    registration.deliver([
      registration.upload(
        `thadam/v1/plant/orders/${id}.parquet`,
        writeParquet(dataset, [{ id, region: 'eu' }]),
      ),
    ]);
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
  const state = await registration.table('orders');
  const list = state && branchHead(state, 'main')?.manifestList;
  const bytes = registration.stack.objects.get('lake', (list ?? '').replace('s3://lake/', ''))?.bytes;
  const specIds = manifestFiles(readManifestList(bytes ?? Buffer.alloc(0), list ?? '')).map(
    ({ partitionSpecId }) => partitionSpecId,
  );
  expect(specIds).toEqual([1, 0]);
});
