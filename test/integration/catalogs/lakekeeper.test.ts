import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { lostCommits } from '../../../lib/jobs/health/lost-commits.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { restore } from '../../jobs/restored-catalog.ts';
import { type Lake, openLake } from '../schema/lake.ts';
import { capability } from '../services/capability.ts';
import { createBucket } from '../services/create-bucket.ts';
import { describeWith } from '../services/describe-with.ts';
import { lakekeeperWarehouse } from '../services/lakekeeper.ts';
import { reader } from '../services/seaweedfs.ts';
import type { CatalogService } from '../services/service.ts';
import { storeSettings } from '../services/settings.ts';

const schema: Schema = {
  type: 'struct',
  fields: [{ id: 10, name: 'id', required: false, type: 'long' }],
};

describeWith('Lakekeeper', ['lakekeeper'], ({ lakekeeper: service }) => {
  async function oneTable(catalog: CatalogService = service): Promise<Lake> {
    const lake = await openLake(catalog);
    await lake.ship(schema, [{ id: 1n }]);
    return lake;
  }

  async function configuration() {
    const response = await fetch(`${service.uri}/v1/config?warehouse=${service.warehouse}`);
    return (await response.json()) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  }

  async function urlOf({ table }: Lake): Promise<string> {
    const { defaults = {} } = await configuration();
    return `${service.uri}/v1/${defaults['prefix']}/namespaces/${table.namespace[0]}/tables/${table.name}`;
  }

  /** A commit as it is, with a key of ours; the properties that are answered. */
  async function setColour(lake: Lake, key: string, colour: string, more: object[] = []) {
    const response = await fetch(await urlOf(lake), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({
        requirements: more,
        updates: [{ action: 'set-properties', updates: { colour } }],
      }),
    });
    const answer = (await response.json()) as {
      readonly metadata?: { readonly properties: Readonly<Record<string, string>> };
    };
    return { status: response.status, colour: answer.metadata?.properties['colour'] };
  }

  test('says among its overrides that it knows an Idempotency-Key', async () => {
    const { overrides } = await configuration();
    expect(overrides).toMatchObject({ 'idempotency-key-lifetime': 'PT30M' });
  });

  test('does a commit once, however often it arrives with the same Idempotency-Key, and answers the table as it is now', async () => {
    const lake = await oneTable();
    const key = randomUUID();
    expect(await setColour(lake, key, 'red')).toStrictEqual({ status: 200, colour: 'red' });
    expect(await setColour(lake, randomUUID(), 'blue')).toStrictEqual({ status: 200, colour: 'blue' });
    expect(await setColour(lake, key, 'red')).toStrictEqual({ status: 200, colour: 'blue' });
  });

  test('forgets the Idempotency-Key of a commit that it refused', async () => {
    const lake = await oneTable();
    const key = randomUUID();
    const stale = [{ type: 'assert-current-schema-id', 'current-schema-id': 9 }];
    expect(await setColour(lake, key, 'red', stale)).toMatchObject({ status: 409 });
    expect(await setColour(lake, key, 'red')).toStrictEqual({ status: 200, colour: 'red' });
  });

  test('answers unchanged (304) those alone who say that they want no credentials, and a registrar can say so', async () => {
    const catalog_headers = { 'X-Iceberg-Access-Delegation': 'client-managed' };
    const lake = await openLake(service, { catalog_headers });
    await lake.ship(schema, [{ id: 1n }]);
    await lake.ship(schema, [{ id: 2n }]);
    const url = await urlOf(lake);
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    const again = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(url, { headers: { 'if-none-match': etag, ...headers } })).status;
    expect([await again({}), await again(catalog_headers)]).toStrictEqual([200, 304]);
  });

  test('lists the snapshots of a table in any order', async () => {
    const lake = await oneTable();
    for (let at = 0; at < 7; at += 1) await lake.ship(schema, [{ id: BigInt(at) }]);
    const url = await urlOf(lake);
    const orders = new Set<string>();
    for (let at = 0; at < 8; at += 1) {
      const { metadata } = (await (await fetch(url)).json()) as {
        readonly metadata: { readonly snapshots: readonly Readonly<Record<string, unknown>>[] };
      };
      orders.add(metadata.snapshots.map((snapshot) => snapshot['sequence-number']).join());
    }
    expect(orders.size).toBeGreaterThan(1);
  });

  test('numbers its metadata files, so that what a restored catalog lost is told by them', async () => {
    const lake = await oneTable();
    const { defaults = {} } = await configuration();
    const backup = (await lake.state()).metadataLocation ?? '';
    expect(backup).toMatch(/\/metadata\/00001-[^/]+\.gz\.metadata\.json$/);
    await lake.ship(schema, [{ id: 2n }]);
    await lake.ship(schema, [{ id: 3n }]);
    const newest = (await lake.state()).metadataLocation;
    const [namespace = ''] = lake.table.namespace;
    const { name } = lake.table;
    await restore(`${service.uri}/v1/${defaults['prefix']}`, { namespace, name }, backup);
    const services = { catalog: lake.catalog, store: s3Store(storeSettings(service.store)) };
    expect(await lostCommits(lake.table, await lake.state(), services)).toEqual({
      metadataLocation: newest,
      snapshots: 2,
      registrations: 2,
    });
  });

  /**
   * A registrar whose own keys may write nothing, on a table that is there, and a segment that waits for it; in a warehouse that hands
   * out credentials.
   */
  async function withoutWriting(access_delegation: string) {
    const store = { ...service.store, bucket: `vending-${randomUUID()}` };
    await createBucket(store);
    const endpoint = store.networkEndpoint ?? store.endpoint;
    const server = service.uri.replace(/\/catalog$/, '');
    const vending = await lakekeeperWarehouse(server, store.bucket, store, endpoint, store.role);
    const lake = await oneTable(vending);
    const key = await lake.upload(schema, [{ id: 2n }]);
    const settings = { access_delegation, store: storeSettings({ ...store, ...reader }) };
    const [outcome] = await (await lake.another(settings)).register([key]);
    return { lake, outcome };
  }

  capability('lakekeeper', 'vended', 'writes manifests with the credentials that it hands out', async () => {
    const { lake, outcome } = await withoutWriting('vended-credentials');
    expect(outcome).toMatchObject({ kind: 'committed' });
    expect((await lake.state()).snapshots.size).toBe(2);
  });

  test('writes no manifest where none are asked for and one’s own may not: auth.failed', async () => {
    const { lake, outcome } = await withoutWriting('none');
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'auth.failed' } });
    expect((await lake.state()).snapshots.size).toBe(1);
  });
});
