import { expect, test } from 'vitest';
import { restCatalog } from '../../../lib/drivers/rest-catalog/rest-catalog.ts';
import { parseJson } from '../../../lib/spec/json.ts';
import type { TableCommit } from '../../../lib/spec/table-update.ts';
import { json } from '../../fakes/http.ts';
import { seededRandom } from '../../fakes/random.ts';
import { failure, scriptedCatalog } from './scripted-catalog.ts';

const table = { namespace: ['analytics'], name: 'orders' };
const path = '/v1/namespaces/analytics/tables/orders';
const snapshotId = 8_656_952_484_400_131_533n;
const commit: TableCommit = {
  requirements: [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': snapshotId }],
  updates: [{ action: 'set-properties', updates: { a: '1' } }],
};

/** A catalog whose table is answered so. */
function answering(answer: ReturnType<typeof json> | 'reset') {
  return scriptedCatalog({ answer: (line) => (line.includes('/v1/config') ? undefined : answer) });
}

test('load and commit keep 63-bit numbers both ways (C14)', async () => {
  const body = `{"metadata":{"current-snapshot-id":${snapshotId}},"config":{"a":"b"}}`;
  const { catalog, server } = await answering({ status: 200, body });
  expect(await catalog.load(table)).toStrictEqual({
    metadataLocation: undefined,
    metadataText: expect.anything(),
    metadata: { 'current-snapshot-id': snapshotId },
    config: { a: 'b' },
  });
  await catalog.commit(table, commit);
  expect(parseJson(server.requests.at(-1)?.body.toString() ?? '')).toStrictEqual({
    identifier: table,
    ...commit,
  });
});

test.each([
  [409, { outcome: 'refused', reason: 'conflict' }],
  [400, { outcome: 'refused', reason: 'invalid' }],
  [422, { outcome: 'refused', reason: 'invalid' }],
  [404, { outcome: 'refused', reason: 'missing' }],
  [500, { outcome: 'unknown' }],
  [502, { outcome: 'unknown' }],
  [503, { outcome: 'unknown' }],
  [504, { outcome: 'unknown' }],
])('commit answered by %i is %j, and is sent once (I7, D3)', async (status, result) => {
  const { catalog, requested, sleeps } = await answering(failure(status));
  expect(await catalog.commit(table, commit)).toMatchObject({
    ...result,
    message: `${status} SomeException: told`,
  });
  expect(requested()).toStrictEqual([`POST ${path}`]);
  expect(sleeps).toStrictEqual([]);
});

test('commit whose answer is lost is unknown, and is sent once (I7, D3)', async () => {
  const { catalog, requested } = await answering('reset');
  expect(await catalog.commit(table, commit)).toMatchObject({ outcome: 'unknown' });
  expect(requested()).toStrictEqual([`POST ${path}`]);
});

test.each([
  ['nothing', ''],
  ['a web page', '<html></html>'],
  ['no metadata', '{"metadata-location":"s3://lake/1.json"}'],
])('commit answered by 200 with %s is unknown: only looking tells', async (_, body) => {
  const { catalog } = await answering({ status: 200, body });
  expect(await catalog.commit(table, commit)).toMatchObject({ outcome: 'unknown' });
});

test('commit that could not be sent is catalog.unavailable, not unknown', async () => {
  const { catalog, server } = await scriptedCatalog({ answer: () => json(200, {}, { connection: 'close' }) });
  await catalog.supports('commit');
  await server.close();
  await expect(catalog.commit(table, commit)).rejects.toMatchObject({
    code: 'catalog.unavailable',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('commit answered by 429 is refused, sent once, and tells how long to wait', async () => {
  const { catalog, requested } = await answering({ status: 429, headers: { 'retry-after': '7' } });
  expect(await catalog.commit(table, commit)).toStrictEqual({
    outcome: 'refused',
    reason: 'throttled',
    message: '429',
    retryAfterMs: 7_000,
  });
  expect(requested()).toStrictEqual([`POST ${path}`]);
});

test('register and create answered by 429 are catalog.unavailable', async () => {
  const { catalog } = await answering({ status: 429, headers: { 'retry-after': '7' } });
  await expect(catalog.register(table, 's3://lake/1.json')).rejects.toMatchObject({
    code: 'catalog.unavailable',
    message: expect.stringContaining('the catalog asks to slow down: 429'),
    context: { retryAfterMs: 7_000 },
  });
});

test('load is tried again while the catalog is unavailable, longer each time', async () => {
  const answers = [failure(503), 'reset' as const, failure(500)];
  const { catalog, requested, sleeps } = await scriptedCatalog({
    answer: (line) => (line.includes('/v1/config') ? undefined : answers.shift()),
  });
  expect(await catalog.load(table)).toBeDefined();
  expect(requested()).toHaveLength(4);
  expect(sleeps).toStrictEqual([100, 200, 400]);
});

test('load is tried four times at most, then catalog.unavailable', async () => {
  const { catalog, requested } = await answering(failure(504));
  await expect(catalog.load(table)).rejects.toMatchObject({
    code: 'catalog.unavailable',
    message: 'Cannot load table "analytics.orders": the catalog answered 504 SomeException: told',
  });
  expect(requested()).toHaveLength(4);
});

test('load waits as a throttling catalog asks, but never beyond retry.max', async () => {
  const answers = [2, 3_600].map((seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } }));
  const { catalog, sleeps } = await scriptedCatalog({
    answer: (line) => (line.includes('/v1/config') ? undefined : answers.shift()),
  });
  await catalog.load(table);
  expect(sleeps).toStrictEqual([2_000, 5_000]);
});

test('load answered by 404 is no table; by 400 it is refused', async () => {
  expect(await (await answering(failure(404))).catalog.load(table)).toBeUndefined();
  const { catalog, requested } = await answering(failure(400));
  await expect(catalog.load(table)).rejects.toMatchObject({ code: 'catalog.refused' });
  expect(requested()).toHaveLength(1);
});

test('create and register find that another was first', async () => {
  const { catalog, server } = await answering(failure(409));
  expect(await catalog.register(table, 's3://lake/1.json')).toBe('exists');
  const schema = { type: 'struct', fields: [] } as const;
  const spec = { 'spec-id': 0, fields: [] };
  const request = { schema, spec, location: undefined, formatVersion: 2, properties: {} };
  expect(await catalog.create(table, request)).toBe('exists');
  // Nessie answers 500 to a request that leaves it out.
  const { body } = server.requests[server.lines.findLastIndex((line) => line.startsWith('POST'))] ?? {};
  expect(JSON.parse(String(body))).toMatchObject({ 'stage-create': false });
});

test('createNamespace makes what is missing level by level, and asks first whether all is there', async () => {
  const namespace = ['a', 'b'];
  const missing = await scriptedCatalog({
    answer: (line) =>
      line.startsWith('GET /v1/namespaces')
        ? failure(404)
        : line.startsWith('POST')
          ? failure(409)
          : undefined,
  });
  await missing.catalog.createNamespace(namespace);
  expect(missing.requested()).toStrictEqual([
    'GET /v1/namespaces/a%1Fb',
    'POST /v1/namespaces',
    'POST /v1/namespaces',
  ]);
  expect(missing.server.requests.slice(-2).map(({ body }) => JSON.parse(body.toString()))).toStrictEqual([
    { namespace: ['a'], properties: {} },
    { namespace: ['a', 'b'], properties: {} },
  ]);
  const there = await scriptedCatalog();
  await there.catalog.createNamespace(namespace);
  expect(there.requested()).toStrictEqual(['GET /v1/namespaces/a%1Fb']);
});

test('createNamespace takes a 500 for the loss of a race when the namespace is there then', async () => {
  let made = false;
  const answer = (line: string) => {
    if (line.startsWith('GET /v1/namespaces')) return made ? undefined : failure(404);
    if (!line.startsWith('POST')) return undefined;
    made = true;
    return failure(500);
  };
  await (await scriptedCatalog({ answer })).catalog.createNamespace(['a']);
  const { catalog } = await scriptedCatalog({
    answer: (line) => (line.includes('/v1/config') ? undefined : failure(line.startsWith('GET') ? 404 : 500)),
  });
  await expect(catalog.createNamespace(['a'])).rejects.toMatchObject({ code: 'catalog.unavailable' });
});

test('every request carries the configured headers', async () => {
  const { catalog, server } = await scriptedCatalog({
    settings: { catalog_headers: { 'Polaris-Realm': 'r' } },
  });
  await catalog.commit(table, commit);
  for (const { headers } of server.requests) {
    expect(headers).toMatchObject({
      'polaris-realm': 'r',
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^iceberg-registrar\/\d/),
    });
  }
  expect(server.requests.at(-1)?.headers['content-type']).toBe('application/json');
});

test.each(['lake', 'ftp://lake/', 'https://user:secret@lake/'])(
  'catalog_uri "%s" is config.invalid',
  (uri) => {
    const ports = {
      clock: { now: () => 0 },
      timers: { sleep: async () => undefined },
      random: seededRandom(),
    };
    const settings = { catalog_uri: uri, retry: { initial_ms: 1, max_ms: 1, jitter: 0 } };
    expect(() => restCatalog(settings, ports)).toThrow(expect.objectContaining({ code: 'config.invalid' }));
    expect(() => restCatalog(settings, ports)).not.toThrow(/secret/);
  },
);

test('a certificate that is not trusted is config.invalid and names why, at once', async () => {
  let sent = 0;
  const catalog = restCatalog(
    { catalog_uri: 'https://lake.example', retry: { initial_ms: 1, max_ms: 1, jitter: 0 } },
    {
      clock: { now: () => 0 },
      timers: { sleep: async () => undefined },
      random: seededRandom(),
      send: async () => {
        sent += 1;
        const cause = Object.assign(new Error('self-signed certificate'), {
          code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
        });
        return { kind: 'unsent', cause };
      },
    },
  );
  await expect(catalog.load(table)).rejects.toMatchObject({
    code: 'config.invalid',
    message: expect.stringMatching(/DEPTH_ZERO_SELF_SIGNED_CERT.*catalog_ca_file/),
  });
  expect(sent).toBe(1);
});
