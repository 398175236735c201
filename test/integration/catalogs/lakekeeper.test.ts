import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Schema } from '../../../lib/spec/schema.ts';
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

  /** A commit as it is, with a key of ours; the properties that are answered. */
  async function setColour({ table }: Lake, key: string, colour: string, more: object[] = []) {
    const { defaults = {} } = await configuration();
    const path = `namespaces/${table.namespace[0]}/tables/${table.name}`;
    const response = await fetch(`${service.uri}/v1/${defaults['prefix']}/${path}`, {
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
