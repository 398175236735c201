import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { lostCommits } from '../../../lib/jobs/lost-commits.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { clientSecret, type OAuth2Server, startOAuth2Server } from '../../fakes/oauth2-server.ts';
import { restore } from '../../jobs/restored-catalog.ts';
import { type Lake, openLake } from '../schema/lake.ts';
import { capability } from '../services/capability.ts';
import { createBucket } from '../services/create-bucket.ts';
import { describeWith } from '../services/describe-with.ts';
import { lakekeeperOnHost, lakekeeperWarehouse } from '../services/lakekeeper.ts';
import type { CatalogService, Running } from '../services/service.ts';
import { installedFolder } from '../services/services.ts';
import { storeSettings } from '../services/settings.ts';
import { writesWithVendedCredentials } from './vended.ts';

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

  /** A warehouse that hands out credentials, on a bucket of its own. */
  async function vendingWarehouse(): Promise<CatalogService> {
    const store = { ...service.store, bucket: `vending-${randomUUID()}` };
    await createBucket(store);
    const endpoint = store.networkEndpoint ?? store.endpoint;
    const server = service.uri.replace(/\/catalog$/, '');
    return lakekeeperWarehouse(server, store.bucket, store, endpoint, { role: store.role });
  }

  test('hands engines credentials that end at the table’s location: they read segments there, and no others', async () => {
    const vending = await vendingWarehouse();
    const lake = await oneTable(vending);
    await lake.expectRows(schema);
    const apart = await openLake(vending, {
      table_location: `s3://${vending.store.bucket}/apart/{dataset}`,
    });
    await apart.ship(schema, [{ id: 1n }]);
    await expect(apart.expectRows(schema)).rejects.toThrow(/ACCESS_DENIED/);
  });

  writesWithVendedCredentials('lakekeeper', async () => {
    const vending = await vendingWarehouse();
    return { lake: await openLake(vending), store: vending.store };
  });
});

const binary = process.env['LAKEKEEPER_BINARY'];
if (binary === undefined) {
  // In a container it does not reach this process.
  test.skip('NOT RUN, no LAKEKEEPER_BINARY: Lakekeeper that asks an OAuth2 server who calls', () =>
    undefined);
} else {
  describeWith('Lakekeeper that asks an OAuth2 server who calls', ['lakekeeper'], ({ lakekeeper }) => {
    const audience = 'urn:lake';
    const tokenSeconds = 4;
    let tokens: OAuth2Server;
    let guarded: Running<CatalogService>;
    let scratch: string;
    beforeAll(async () => {
      vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      vi.spyOn(console, 'info').mockImplementation(() => undefined);
      tokens = await startOAuth2Server(audience, tokenSeconds);
      const store = { ...lakekeeper.store, bucket: `guarded-${randomUUID()}` };
      await createBucket(store);
      scratch = mkdtempSync(join(tmpdir(), 'iceberg-registrar-lakekeeper-'));
      const logs = join(installedFolder, 'logs');
      mkdirSync(logs, { recursive: true });
      guarded = await lakekeeperOnHost({ installed: installedFolder, logs, scratch }, binary, store, {
        environment: {
          LAKEKEEPER__OPENID_PROVIDER_URI: tokens.issuer,
          LAKEKEEPER__OPENID_AUDIENCE: audience,
        },
        headers: { authorization: `Bearer ${await tokenOf(tokens)}` },
      });
    });
    afterAll(async () => {
      vi.restoreAllMocks();
      await guarded?.stop();
      tokens?.close();
      rmSync(scratch, { recursive: true, force: true });
    });

    const credential = (changed: Readonly<Record<string, string | undefined>> = {}) => ({
      catalog_credential: {
        client_id: 'by-form',
        client_secret: clientSecret,
        oauth2_server_uri: `${tokens.issuer}/token`,
        ...changed,
      },
    });

    capability('lakekeeper', 'OAuth2', 'takes client credentials, across the end of a token', async () => {
      const lake = await openLake(guarded.service, credential());
      await lake.ship(schema, [{ id: 1n }]);
      await sleep((tokenSeconds + 1) * 1000);
      await lake.ship(schema, [{ id: 2n }]);
      expect((await lake.state()).snapshots.size).toBe(2);
    });

    test.each([
      ['no token', () => ({})],
      ['a token of nobody', () => ({ catalog_token: 'not-a-token' })],
      ['a token for another audience', () => credential({ resource: 'urn:other' })],
    ])('refuses %s: auth.failed', async (_, settings) => {
      const lake = await openLake(guarded.service, settings());
      expect(await lake.offer(schema, [{ id: 1n }])).toMatchObject({
        kind: 'failed',
        error: { code: 'auth.failed' },
      });
    });

    test('has no token endpoint of its own: without oauth2_server_uri it is auth.failed', async () => {
      const lake = await openLake(guarded.service, credential({ oauth2_server_uri: undefined }));
      expect(await lake.offer(schema, [{ id: 1n }])).toMatchObject({
        kind: 'failed',
        error: {
          code: 'auth.failed',
          message: expect.stringMatching(/\/catalog\/v1\/oauth\/tokens".* 401 MissingAuthorizationHeader/),
        },
      });
    });
  });
}

async function tokenOf({ issuer }: OAuth2Server): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'by-form',
      client_secret: clientSecret,
    }),
  });
  return ((await response.json()) as { readonly access_token: string }).access_token;
}
