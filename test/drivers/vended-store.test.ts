import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { StoreSettings } from '../../lib/config/entry.ts';
import { type MakeStore, vendedStore } from '../../lib/drivers/vended-store.ts';
import { RegistrarError } from '../../lib/errors.ts';
import type { Store } from '../../lib/ports.ts';
import { storeMaker } from '../../lib/wire/platform-services.ts';
import { makeAuthorities } from '../fakes/certificates.ts';
import { json } from '../fakes/http.ts';
import { loadedTable, scriptedCatalog } from './rest-catalog/scripted-catalog.ts';

const table = { namespace: ['analytics'], name: 'orders' };
const location = 's3://lake/orders';
const nowMs = Date.UTC(2026, 0, 1);

/** Credentials as a catalog hands them out, with an access key that tells them apart. */
function credential(prefix: string, key: string, more: Readonly<Record<string, string>> = {}) {
  const config = {
    's3.access-key-id': key,
    's3.secret-access-key': `${key}-secret`,
    's3.session-token': `${key}-session`,
    ...more,
  };
  return { prefix, config };
}

function googleCredential(prefix: string, token: string, more: Readonly<Record<string, unknown>> = {}) {
  return { prefix, config: { 'gcs.oauth2.token': token, ...more } };
}

/** A store over a scripted catalog whose answer to each load is `answers` in turn; tells with which settings each file was reached. */
async function vending(
  answers: (load: number) => object,
  own: StoreSettings = { region: 'own-region', access_key_id: 'own-key', secret_access_key: 'own-secret' },
  refused: (settings: StoreSettings) => boolean = () => false,
) {
  let loads = 0;
  const { catalog, server } = await scriptedCatalog({
    settings: { access_delegation: 'vended-credentials' },
    answer: (line) => {
      if (line.includes('/v1/config')) return undefined;
      loads += 1;
      return json(200, { ...loadedTable, metadata: { location }, ...answers(loads) }, { etag: '"v"' });
    },
  });
  const reached: { readonly uri: string; readonly settings: StoreSettings; readonly token?: string }[] = [];
  const makeStore: MakeStore = (settings, token): Store => ({
    read: async (uri) => {
      reached.push({ uri, settings, ...(token !== undefined && { token }) });
      if (refused(settings)) throw new RegistrarError('auth.failed', 'ExpiredToken');
      return { kind: 'missing' };
    },
    write: async (uri) => {
      reached.push({ uri, settings, ...(token !== undefined && { token }) });
      return { kind: 'written', version: 'v' };
    },
    async *list() {},
  });
  await catalog.load(table);
  const store = vendedStore(makeStore(own), own, catalog.credentialFor, makeStore);
  return { store, reached, server, loads: () => loads };
}

test('vendedStore takes the credential with the longest prefix, storage-credentials before config', async () => {
  const { store, reached, server } = await vending(() => ({
    'storage-credentials': [credential(`${location}/metadata/`, 'long'), credential('s3a://lake/', 'short')],
    config: credential('', 'config').config,
  }));
  await store.write(`${location}/metadata/m0.avro`, new Uint8Array());
  await store.read('s3://lake/elsewhere');
  await store.read(`${location}/data/1.parquet`);
  await store.read('s3://other/1');
  expect(reached.map(({ settings }) => settings.access_key_id)).toStrictEqual([
    'long',
    'short',
    'config',
    'own-key',
  ]);
  expect(reached[0]?.settings).toMatchObject({
    secret_access_key: 'long-secret',
    session_token: 'long-session',
  });
  expect(server.requests.at(-1)?.headers['x-iceberg-access-delegation']).toBe('vended-credentials');
});

test('vendedStore takes Google’s tokens for gs:// by the same rules, and leaves Amazon’s keys out', async () => {
  const theirs = { 'gcs.service.host': 'https://theirs.example' };
  const { store, reached } = await vending(() => ({
    'storage-credentials': [
      googleCredential('gs://lake/', 'short-token'),
      googleCredential('gcs://lake/orders/metadata/', 'long-token', theirs),
      credential('s3://lake/', 'amazon'),
    ],
  }));
  await store.write('gs://lake/orders/metadata/m0.avro', new Uint8Array());
  await store.read('gcs://lake/elsewhere');
  await store.read('s3://lake/a');
  await store.read('gs://other/a');
  expect(reached.map(({ token, settings }) => token ?? settings.access_key_id)).toStrictEqual([
    'long-token',
    'short-token',
    'amazon',
    'own-key',
  ]);
  expect(reached[0]?.settings).toStrictEqual({ region: 'own-region', endpoint: 'https://theirs.example' });
  expect(reached[1]?.settings).toStrictEqual({ region: 'own-region' });
});

test('vendedStore takes gs and s3 for everything in the cloud, as Java does', async () => {
  const { store, reached } = await vending(() => ({
    'storage-credentials': [googleCredential('gs', 'google-token'), credential('s3', 'amazon')],
  }));
  await store.read('gs://lake/a');
  await store.read('s3://lake/a');
  expect(reached.map(({ token, settings }) => token ?? settings.access_key_id)).toStrictEqual([
    'google-token',
    'amazon',
  ]);
});

test('vendedStore takes what a catalog’s config writes as a boolean or a number', async () => {
  const { store, reached } = await vending(
    () => ({ config: { ...credential('', 'config').config, 's3.path-style-access': true, more: null } }),
    {},
  );
  await store.read(`${location}/data/1.parquet`);
  expect(reached[0]?.settings).toMatchObject({ access_key_id: 'config', path_style: true });
});

test('vendedStore renews a token of Google before it ends', async () => {
  const { store, reached } = await vending((load) => ({
    'storage-credentials': [
      googleCredential('gs://lake/', `google-token-${load}`, {
        'gcs.oauth2.token-expires-at': nowMs + (load === 1 ? 5 * 60_000 : 60 * 60_000),
      }),
    ],
  }));
  await store.read('gs://lake/a');
  await store.read('gs://lake/b');
  expect(reached.map(({ token }) => token)).toStrictEqual(['google-token-2', 'google-token-2']);
});

test.each([
  ['without a secret', credential('s3://lake/', 'k', { 's3.secret-access-key': '' })],
  ['without an access key', credential('s3://lake/', '')],
  ['of another cloud', googleCredential('s3://lake/', 'google-token')],
  ['without a token', googleCredential('gs://lake/', '')],
])(
  'half a credential, %s, is none: nothing of one’s own follows it to the catalog’s endpoint',
  async (_, half) => {
    const theirs = { 's3.endpoint': 'https://theirs.example', 'gcs.service.host': 'https://theirs.example' };
    const { store, reached } = await vending(() => ({
      'storage-credentials': [{ ...half, config: { ...half.config, ...theirs } }],
    }));
    await store.read('s3://lake/a');
    await store.read('gs://lake/a');
    const own = { region: 'own-region', access_key_id: 'own-key', secret_access_key: 'own-secret' };
    expect(reached.map(({ settings }) => settings)).toStrictEqual([own, own]);
  },
);

test("vendedStore takes endpoint, region and path style of one's own before the catalog's, and never mixes keys", async () => {
  const theirs = {
    's3.endpoint': 'https://theirs.example',
    's3.path-style-access': 'true',
    'client.region': 'their-region',
  };
  const answer = () => ({ 'storage-credentials': [credential('s3://lake/', 'vended', theirs)] });
  const without = await vending(answer, {});
  await without.store.read('s3://lake/a');
  expect(without.reached[0]?.settings).toStrictEqual({
    endpoint: 'https://theirs.example',
    region: 'their-region',
    path_style: true,
    access_key_id: 'vended',
    secret_access_key: 'vended-secret',
    session_token: 'vended-session',
  });
  const own = {
    endpoint: 'https://ours.example',
    region: 'our-region',
    path_style: false,
    access_key_id: 'o',
  };
  const withOwn = await vending(answer, { ...own, secret_access_key: 'own-secret' });
  await withOwn.store.read('s3://lake/a');
  expect(withOwn.reached[0]?.settings).toMatchObject({
    endpoint: 'https://ours.example',
    region: 'our-region',
    path_style: false,
    access_key_id: 'vended',
  });
});

test.each(['http', 'HTTP'])(
  'vendedStore sends nothing in the clear to an endpoint of %s:// that the catalog names',
  async (scheme) => {
    const { store } = await vending(
      () => ({
        'storage-credentials': [
          credential('s3://lake/', 'k', { 's3.endpoint': `${scheme}://theirs.example` }),
        ],
      }),
      {},
    );
    await expect(store.read('s3://lake/a')).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining('allow_http'),
    });
  },
);

test('vendedStore asks for a credential anew before it ends, in full: a 304 would bring none', async () => {
  const { store, reached, server, loads } = await vending((load) => ({
    'storage-credentials': [
      credential('s3://lake/', `key-${load}`, {
        's3.session-token-expires-at-ms': String(nowMs + (load === 1 ? 5 * 60_000 : 60 * 60_000)),
      }),
    ],
  }));
  await store.read('s3://lake/a');
  await store.read('s3://lake/b');
  expect(reached.map(({ settings }) => settings.access_key_id)).toStrictEqual(['key-2', 'key-2']);
  expect(loads()).toBe(2);
  expect(server.requests.at(-1)?.headers).not.toHaveProperty('if-none-match');
});

test('vendedStore asks once for a credential that many need, and not again when the same one is given', async () => {
  const soon = String(nowMs + 3 * 60_000);
  const { store, loads } = await vending(() => ({
    'storage-credentials': [credential('s3://lake/', 'key', { 's3.session-token-expires-at-ms': soon })],
  }));
  await Promise.all(Array.from({ length: 16 }, (_, at) => store.read(`s3://lake/${at}`)));
  expect(loads()).toBe(2);
  await store.read('s3://lake/later');
  expect(loads()).toBe(2);
});

test('vendedStore asks for a credential anew once it is refused, and once only', async () => {
  const answers = (load: number) => ({ 'storage-credentials': [credential('s3://lake/', `key-${load}`)] });
  const once = await vending(answers, {}, ({ access_key_id }) => access_key_id === 'key-1');
  expect(await once.store.read('s3://lake/a')).toStrictEqual({ kind: 'missing' });
  expect(once.reached.map(({ settings }) => settings.access_key_id)).toStrictEqual(['key-1', 'key-2']);
  const always = await vending(answers, {}, () => true);
  await expect(always.store.read('s3://lake/a')).rejects.toMatchObject({ code: 'auth.failed' });
  expect(always.loads()).toBe(2);
});

test('credentials are read of an answer without its history, which grows with every commit', async () => {
  const { catalog } = await scriptedCatalog({
    settings: { access_delegation: 'vended-credentials' },
    answer: (line) =>
      line.includes('/v1/config')
        ? undefined
        : {
            status: 200,
            // Whoever parses the snapshots fails.
            body: `{"metadata":{"snapshots":[unread],"location":"${location}"},"config":${JSON.stringify(credential('', 'config').config)},
              "storage-credentials":${JSON.stringify([credential('s3://lake/', 'listed')])}}`,
          },
  });
  await catalog.load(table);
  expect((await catalog.credentialFor('s3://lake/a'))?.config['s3.access-key-id']).toBe('listed');
  expect((await catalog.credentialFor(`${location}/a`))?.config['s3.access-key-id']).toBe('config');
});

test('without access_delegation nothing is asked for, and what is handed out is not used', async () => {
  const { catalog, server } = await scriptedCatalog({
    answer: (line) =>
      line.includes('/v1/config')
        ? undefined
        : json(200, { ...loadedTable, 'storage-credentials': [credential('s3://lake/', 'k')] }),
  });
  await catalog.load(table);
  expect(await catalog.credentialFor('s3://lake/a')).toBeUndefined();
  expect(server.requests.at(-1)?.headers).not.toHaveProperty('x-iceberg-access-delegation');
});

test('a token of the catalog’s is the one that Cloud Storage is sent, over TLS', async () => {
  const authorities = makeAuthorities();
  onTestFinished(authorities.remove);
  const authority = authorities.authority();
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([authority.cert]);
  onTestFinished(() => tls.setDefaultCACertificates(before));
  const sent: (string | undefined)[] = [];
  const service = createServer(authority.sign(), ({ headers }, response) => {
    sent.push(headers.authorization);
    response.setHeader('x-goog-generation', '1').setHeader('last-modified', new Date(nowMs).toUTCString());
    response.end('manifest');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    service.close();
    service.closeAllConnections();
  });
  // An account that there is not: the function's own token is not even asked for.
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { catalog } = await scriptedCatalog({
    settings: { access_delegation: 'vended-credentials' },
    answer: (line) =>
      line.includes('/v1/config')
        ? undefined
        : json(200, {
            ...loadedTable,
            'storage-credentials': [googleCredential('gs://lake/', 'google-token')],
          }),
  });
  await catalog.load(table);
  const makeStore = storeMaker({});
  const own = { endpoint: `https://localhost:${(service.address() as AddressInfo).port}` };
  const store = vendedStore(makeStore(own), own, catalog.credentialFor, makeStore);
  expect(await store.read('gs://lake/orders/metadata/m0.avro')).toMatchObject({ kind: 'object' });
  expect(sent).toStrictEqual(['Bearer google-token']);
  await expect(store.read('gs://other/m0.avro')).rejects.toMatchObject({ code: 'auth.failed' });
  expect(sent).toHaveLength(1);
});
