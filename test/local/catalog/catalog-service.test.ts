import { beforeEach, describe, expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../lib/spec/json.ts';
import { type CatalogSettings, handleCatalog } from '../../../local/catalog/catalog-service.ts';
import { appended, creation, openFixture, orders, schema, type TablesFixture } from './tables-fixture.ts';

let fixture: TablesFixture;
let settings: CatalogSettings;

beforeEach(() => {
  fixture = openFixture();
  settings = {};
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> | undefined;
  readonly etag: string | undefined;
}

/** One request over the protocol; `body` is JSON, or text as it is. */
async function call(
  method: string,
  target: string,
  body?: object | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const url = new URL(target, 'http://catalog');
  const sent = typeof body === 'string' ? body : body === undefined ? '' : stringifyJson(body);
  const response = await handleCatalog(fixture.tables, settings, {
    method,
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: Buffer.from(sent),
    signal: new AbortController().signal,
  });
  const text = Buffer.from(response.body ?? '').toString();
  const parsed = text === '' ? undefined : (parseJson(text) as Record<string, unknown>);
  return { status: response.status, body: parsed, etag: response.headers?.['etag'] };
}

describe('configuration and access', () => {
  test('lists endpoints as the specification spells them', async () => {
    const { body } = await call('GET', '/v1/config?warehouse=any');
    expect(body).toMatchObject({ defaults: {}, overrides: {} });
    expect(body?.['endpoints']).toEqual(
      expect.arrayContaining([
        'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}',
        'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}',
        'POST /v1/{prefix}/namespaces/{namespace}/register',
        'HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}',
      ]),
    );
  });

  test('a prefix is announced, and then needed', async () => {
    settings = { prefix: 'main%7Cwarehouse' };
    expect((await call('GET', '/v1/config')).body).toMatchObject({
      overrides: { prefix: 'main%7Cwarehouse' },
    });
    expect(await call('GET', '/v1/main%7Cwarehouse/namespaces')).toMatchObject({ status: 200 });
    expect(await call('GET', '/v1/namespaces')).toMatchObject({ status: 404 });
  });

  test('a token is needed when there is one, and a credential buys it', async () => {
    settings = { token: 'secret', credential: { clientId: 'id', clientSecret: 's' } };
    const refused = { status: 401, body: { error: { type: 'NotAuthorizedException', code: 401 } } };
    expect(await call('GET', '/v1/config')).toMatchObject(refused);
    expect(await call('GET', '/v1/namespaces', undefined, { authorization: 'Bearer other' })).toMatchObject(
      refused,
    );
    const form = (secret: string) => `grant_type=client_credentials&client_id=id&client_secret=${secret}`;
    expect(await call('POST', '/v1/oauth/tokens', form('wrong'))).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    const { body } = await call('POST', '/v1/oauth/tokens', form('s'));
    const authorization = `Bearer ${String(body?.['access_token'])}`;
    expect(await call('GET', '/v1/namespaces', undefined, { authorization })).toMatchObject({ status: 200 });
  });

  test.each([
    ['GET', '/v1/nowhere', undefined, 404],
    ['PUT', '/v1/namespaces', {}, 404],
    ['POST', '/v1/namespaces', 'not JSON', 400],
    ['POST', '/v1/namespaces', '[]', 400],
    ['POST', '/v1/namespaces', {}, 400],
  ])('%s %s %j is a %i in the error model', async (method, target, body, status) => {
    const answer = await call(method, target, body);
    expect(answer).toMatchObject({
      status,
      body: { error: { code: status, type: expect.any(String), message: expect.any(String) } },
    });
  });
});

describe('namespaces', () => {
  test('are created, listed level by level, loaded, changed and dropped', async () => {
    expect(await call('POST', '/v1/namespaces', { namespace: ['a', 'b.c'] })).toMatchObject({ status: 200 });
    expect((await call('GET', '/v1/namespaces')).body).toEqual({ namespaces: [['analytics']] });
    expect((await call('GET', '/v1/namespaces?parent=a')).status).toBe(404);
    const path = '/v1/namespaces/a%1Fb.c';
    expect(await call('HEAD', path)).toMatchObject({ status: 204, body: undefined });
    await call('POST', `${path}/properties`, { updates: { x: '1', y: '2' } });
    const changed = await call('POST', `${path}/properties`, { updates: { z: '3' }, removals: ['x', 'q'] });
    expect(changed.body).toEqual({ updated: ['z'], removed: ['x'], missing: ['q'] });
    expect((await call('GET', path)).body).toEqual({
      namespace: ['a', 'b.c'],
      properties: { y: '2', z: '3' },
    });
    expect(await call('DELETE', path)).toMatchObject({ status: 204 });
    expect(await call('HEAD', path)).toMatchObject({ status: 404 });
  });
});

describe('tables', () => {
  const path = '/v1/namespaces/analytics/tables';
  const table = `${path}/orders`;

  test('are made, listed, loaded and dropped', async () => {
    expect(await call('GET', table)).toMatchObject({
      status: 404,
      body: { error: { type: 'NoSuchTableException' } },
    });
    expect(await call('HEAD', table)).toMatchObject({ status: 404 });
    const made = await call('POST', path, { name: 'orders', schema });
    expect(made.body).toMatchObject({ 'metadata-location': expect.stringContaining('/00000-'), config: {} });
    expect((await call('GET', path)).body).toEqual({ identifiers: [orders] });
    expect(await call('HEAD', table)).toMatchObject({ status: 204 });
    expect((await call('GET', table)).body?.['metadata']).toEqual(made.body?.['metadata']);
    expect(await call('DELETE', `${table}?purgeRequested=true`)).toMatchObject({ status: 400 });
    expect(await call('DELETE', `${table}?purgeRequested=false`)).toMatchObject({ status: 204 });
    expect(await call('GET', table)).toMatchObject({ status: 404 });
  });

  test('whose names hold any character are found by them', async () => {
    const name = 'a/b c?d#e%2F';
    await call('POST', path, { name, schema });
    expect((await call('GET', `${path}/${encodeURIComponent(name)}`)).status).toBe(200);
  });

  test('are committed with 63-bit IDs intact, both ways (C14)', async () => {
    const id = 8_656_952_484_400_131_532n;
    await call('POST', table, creation());
    const requirements = [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null }];
    const committed = await call('POST', table, { requirements, updates: appended(id) });
    expect(committed.body).toMatchObject({ metadata: { 'current-snapshot-id': id } });
    const stale = await call('POST', table, { requirements, updates: appended(id + 1n) });
    expect(stale).toMatchObject({ status: 409, body: { error: { type: 'CommitFailedException' } } });
    expect((await call('GET', table)).body).toMatchObject({ metadata: { 'current-snapshot-id': id } });
  });

  test('can be loaded with the snapshots of refs only', async () => {
    await call('POST', table, creation({ updates: appended(5) }));
    const next = { 'parent-snapshot-id': 5, 'sequence-number': 2 };
    await call('POST', table, { requirements: [], updates: appended(6, next) });
    const snapshots = async (query: string) => {
      const { metadata } = (await call('GET', `${table}${query}`)).body as {
        metadata: { snapshots: object[] };
      };
      return metadata.snapshots.length;
    };
    expect(await snapshots('')).toBe(2);
    expect(await snapshots('?snapshots=all')).toBe(2);
    expect(await snapshots('?snapshots=refs')).toBe(1);
  });

  test('have an ETag that holds until the next commit, another one for refs', async () => {
    await call('POST', table, creation());
    const { etag = '' } = await call('GET', table);
    expect(await call('GET', table, undefined, { 'if-none-match': etag })).toMatchObject({ status: 304 });
    expect((await call('GET', `${table}?snapshots=refs`, undefined, { 'if-none-match': etag })).status).toBe(
      200,
    );
    await call('POST', table, { requirements: [], updates: appended(5) });
    expect((await call('GET', table, undefined, { 'if-none-match': etag })).status).toBe(200);
  });

  test('are registered, renamed and take metrics', async () => {
    const made = await call('POST', table, creation());
    const register = { name: 'again', 'metadata-location': made.body?.['metadata-location'] };
    expect(await call('POST', '/v1/namespaces/analytics/register', register)).toMatchObject({ status: 200 });
    const rename = { source: { ...orders, name: 'again' }, destination: { ...orders, name: 'moved' } };
    expect(await call('POST', '/v1/tables/rename', rename)).toMatchObject({ status: 204 });
    expect((await call('GET', path)).body).toMatchObject({
      identifiers: [{ name: 'moved' }, { name: 'orders' }],
    });
    expect(await call('POST', `${table}/metrics`, { 'report-type': 'commit-report' })).toMatchObject({
      status: 204,
    });
  });

  test('tell how to reach their files', async () => {
    settings = { tableConfig: { 's3.endpoint': 'http://127.0.0.1:1' } };
    const { body } = await call('POST', path, { name: 'orders', schema });
    expect(body).toMatchObject({ config: { 's3.endpoint': 'http://127.0.0.1:1' } });
  });
});
