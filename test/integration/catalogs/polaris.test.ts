import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { optional, schema } from '../../../local/shipper/schema-notation.ts';
import { appendTo } from '../../contract/catalog-table.ts';
import { type Lake, openLake } from '../schema/lake.ts';
import { capability } from '../services/capability.ts';
import { createBucket } from '../services/create-bucket.ts';
import { describeWith } from '../services/describe-with.ts';
import { polarisWarehouse } from '../services/polaris.ts';
import { writesWithVendedCredentials } from './vended.ts';

const dataset = schema(optional(10, 'id', 'long'));

describeWith('Polaris', ['polaris'], ({ polaris: service }) => {
  const { catalog_credential: credential } = service.wayIn ?? {};

  /** What becomes of a first segment under these settings. */
  async function offered(settings: Readonly<Record<string, unknown>>) {
    const lake = await openLake(service, settings);
    return lake.offer(dataset, [{ id: 1n }]);
  }

  async function tableWithTwoSnapshots(): Promise<Lake> {
    const lake = await openLake(service);
    await lake.ship(dataset, [{ id: 1n }]);
    await lake.ship(dataset, [{ id: 2n }]);
    return lake;
  }

  function load({ table }: Lake, query = '', headers: Readonly<Record<string, string>> = {}) {
    const path = `namespaces/${table.namespace[0]}/tables/${table.name}${query}`;
    return fetch(`${service.uri}/v1/${service.warehouse}/${path}`, {
      headers: { authorization: `Bearer ${service.token}`, ...headers },
    });
  }

  capability('polaris', 'OAuth2', 'wants the scope of its roles, and the right secret', async () => {
    for (const wrong of [{ scope: undefined }, { client_secret: 'wrong-secret' }]) {
      const outcome = await offered({ catalog_credential: { ...credential, ...wrong } });
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'auth.failed' } });
    }
  });

  writesWithVendedCredentials('polaris', async () => {
    const store = { ...service.store, bucket: `vending-${randomUUID()}` };
    await createBucket(store);
    const server = service.uri.replace(/\/api\/catalog$/, '');
    await polarisWarehouse(server, store.bucket, store, store.networkEndpoint ?? store.endpoint, store.role);
    return { lake: await openLake({ ...service, store, warehouse: store.bucket }), store };
  });

  test('knows its own realms alone, and takes the first one where none is named', async () => {
    const elsewhere = await offered({ catalog_headers: { 'Polaris-Realm': 'elsewhere' } });
    expect(elsewhere).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('404 MissingOrInvalidRealm') },
    });
    expect(await offered({ catalog_headers: undefined })).toMatchObject({ kind: 'committed' });
  });

  test('answers a table that has not changed by 304', async () => {
    const lake = await tableWithTwoSnapshots();
    const etag = (await load(lake)).headers.get('etag') ?? '';
    expect((await load(lake, '', { 'if-none-match': etag })).status).toBe(304);
    await lake.ship(dataset, [{ id: 3n }]);
    expect((await load(lake, '', { 'if-none-match': etag })).status).toBe(200);
  });

  test('answers the heads of branches alone where snapshots=refs asks for them', async () => {
    const answer = await load(await tableWithTwoSnapshots(), '?snapshots=refs');
    expect(await answer.json()).toMatchObject({ metadata: { snapshots: [expect.anything()] } });
  });

  test('takes no metadata file outside of the table’s location, and does not look at manifest lists', async () => {
    const elsewhere = `s3://${service.store.bucket}/elsewhere`;
    const properties = { 'write.metadata.path': elsewhere };
    const refusal = expect.stringContaining('is not allowed outside of table location');
    expect(await offered({ table_properties: properties })).toMatchObject({
      kind: 'failed',
      error: { code: 'catalog.refused', message: refusal },
    });
    const { catalog, table } = await tableWithTwoSnapshots();
    const moved = [{ action: 'set-properties', updates: properties }] as const;
    expect(await catalog.commit(table, { requirements: [], updates: moved })).toMatchObject({
      outcome: 'refused',
      message: refusal,
    });
    const loaded = await catalog.load(table);
    if (loaded === undefined) throw new Error('Expected the table');
    const listed = appendTo(loaded, 77n).map((update) =>
      update.action === 'add-snapshot'
        ? { ...update, snapshot: { ...update.snapshot, 'manifest-list': `${elsewhere}/77.avro` } }
        : update,
    );
    expect(await catalog.commit(table, { requirements: [], updates: listed })).toMatchObject({
      outcome: 'landed',
    });
  });
});
