import { expect, test } from 'vitest';
import { json } from '../../fakes/http.ts';
import { failure, scriptedCatalog } from './scripted-catalog.ts';

const table = { namespace: ['a.b', 'c d'], name: 't/1' };

function configured(config: unknown, path = '', prefix?: string) {
  return scriptedCatalog({
    answer: (line) => (line.includes('/v1/config') ? json(200, config) : undefined),
    path,
    settings: prefix === undefined ? {} : { catalog_prefix: prefix },
  });
}

test('the configuration is asked for once, at the first call, whoever calls', async () => {
  const { catalog, server } = await scriptedCatalog({ settings: { catalog_warehouse: 'arn:1/a & b' } });
  expect(server.lines).toStrictEqual([]);
  await Promise.all([catalog.load(table), catalog.load(table), catalog.supports('commit')]);
  await catalog.load(table);
  expect(server.lines.filter((line) => line.includes('/v1/config'))).toStrictEqual([
    'GET /v1/config?warehouse=arn%3A1%2Fa+%26+b',
  ]);
});

test('a page that answers 200 in the place of a catalog is called that', async () => {
  const { catalog } = await scriptedCatalog({
    answer: () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>log in</html>' }),
  });
  await expect(catalog.load(table)).rejects.toMatchObject({
    code: 'catalog.refused',
    message: expect.stringMatching(
      /is no JSON object, so no Iceberg catalog, but perhaps a page to log in; check catalog_uri$/,
    ),
  });
});

test('a configuration that failed is asked for again by the next call', async () => {
  let failing = true;
  const { catalog } = await scriptedCatalog({
    answer: (line) => (failing && line.includes('/v1/config') ? failure(500) : undefined),
  });
  await expect(catalog.load(table)).rejects.toMatchObject({ code: 'catalog.unavailable' });
  failing = false;
  expect(await catalog.load(table)).toBeDefined();
});

test.each([
  { path: '', config: {}, base: '/v1/' },
  { path: '/', config: {}, base: '/v1/' },
  { path: '/api/catalog', config: {}, base: '/api/catalog/v1/' },
  { path: '/api/catalog//', config: { overrides: { prefix: 'a/b' } }, base: '/api/catalog/v1/a/b/' },
  { path: '', config: { defaults: { prefix: 'main%7Cware' } }, base: '/v1/main%7Cware/' },
  { path: '', config: { defaults: { prefix: 'd' } }, prefix: 'ours', base: '/v1/ours/' },
  {
    path: '',
    config: { defaults: { prefix: 'd' }, overrides: { prefix: 'o' } },
    prefix: 'ours',
    base: '/v1/o/',
  },
  { path: '/x', config: { overrides: { uri: '/y/' } }, base: '/y/v1/' },
  { path: '/x', config: { defaults: { uri: '/y/' } }, base: '/x/v1/' },
])('a catalog at "$path" with $config is called at "$base" (D13)', async ({ path, config, prefix, base }) => {
  const { catalog, requested } = await configured(config, path, prefix);
  await catalog.load(table);
  expect(requested()).toStrictEqual([`GET ${base}namespaces/a.b%1Fc%20d/tables/t%2F1`]);
});

test('levels of a namespace are joined as the catalog says, itself encoded (D11)', async () => {
  const { catalog, requested } = await configured({ overrides: { 'namespace-separator': '%2E' } });
  await catalog.load({ namespace: ['a.b', 'ü'], name: '100%' });
  expect(requested()).toStrictEqual(['GET /v1/namespaces/a.b%2E%C3%BC/tables/100%25']);
});

test('a configuration sets nothing through the names of prototypes', async () => {
  const hostile = JSON.parse(
    '{"__proto__":{"prefix":"p","namespace-separator":"x"},"constructor":{"prototype":{}}}',
  );
  const { catalog } = await configured({ defaults: hostile, overrides: hostile, ...hostile });
  expect(await catalog.prepare()).toMatchObject({ basePath: '/v1', namespaceSeparator: '%1F' });
  expect(({} as { prefix?: string }).prefix).toBeUndefined();
});

test('a path of a million slashes is read in one pass', async () => {
  const slashes = '/'.repeat(1_000_000);
  const { catalog } = await configured({ overrides: { uri: `/y${slashes}x`, prefix: `p${slashes}x` } });
  expect(await catalog.prepare()).toMatchObject({ basePath: `/y${slashes}x/v1/p${slashes}x` });
});

test.each(['.', '..'])(
  'a table named "%s" is not asked for: what lies between would ask for its parent',
  async (name) => {
    const { catalog, requested } = await configured({});
    await expect(catalog.load({ namespace: ['analytics'], name })).rejects.toMatchObject({
      code: 'table.unsupported',
      message: expect.stringContaining(`"analytics.${name}"`),
    });
    await expect(catalog.load({ namespace: [name], name: 'orders' })).rejects.toMatchObject({
      code: 'table.unsupported',
    });
    expect(requested()).toStrictEqual([]);
  },
);

test('a catalog that names another origin gets no credentials there (F15)', async () => {
  const { catalog, requested } = await configured({
    overrides: { uri: 'https://elsewhere.example/catalog' },
  });
  await expect(catalog.load(table)).rejects.toMatchObject({
    code: 'config.invalid',
    message: expect.stringContaining('"https://elsewhere.example"'),
  });
  expect(requested()).toStrictEqual([]);
});

test('prepare tells what the catalog says of itself, its server by name and version', async () => {
  const { catalog } = await scriptedCatalog({
    answer: () =>
      json(
        200,
        {
          overrides: { prefix: 'lake' },
          endpoints: ['GET /v1/{prefix}/namespaces'],
          'idempotency-key-lifetime': 'PT1H',
        },
        { server: 'Catalog/1.2' },
      ),
  });
  expect(await catalog.prepare()).toEqual({
    basePath: '/v1/lake',
    namespaceSeparator: '%1F',
    endpoints: new Set(['GET /v1/namespaces']),
    idempotencyKeys: true,
    server: 'Catalog/1.2',
  });
});

test('supports follows the endpoints that the catalog lists, however it spells them', async () => {
  const { catalog } = await configured({
    endpoints: [
      'GET v1/config',
      'POST https://auth-server.com/token',
      'POST v1/{prefix}/namespaces/{namespace}/register',
    ],
  });
  expect(await catalog.supports('register')).toBe(true);
  expect(await catalog.supports('create')).toBe(false);
  const { catalog: without } = await configured({});
  expect(await without.supports('commit')).toBeUndefined();
});

test.each([
  { status: 400, code: 'catalog.refused' },
  { status: 401, code: 'auth.failed' },
  { status: 503, code: 'catalog.unavailable' },
])(
  'a configuration answered by $status is $code and names the warehouse or the request',
  async ({ status, code }) => {
    const { catalog } = await scriptedCatalog({
      answer: () => failure(status),
      settings: { catalog_warehouse: 'lake' },
    });
    await expect(catalog.load(table)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('lake'),
    });
  },
);

test('a web page where the catalog should be says what catalog_uri is', async () => {
  const { catalog } = await scriptedCatalog({ answer: () => ({ status: 404, body: '<h1>Not Found</h1>' }) });
  await expect(catalog.load(table)).rejects.toMatchObject({
    code: 'catalog.unavailable',
    message: expect.stringContaining('catalog_uri'),
  });
});

test.each([
  [
    404,
    'lake',
    /404 .*told; catalog_uri is what stands before "\/v1\/config", and catalog_warehouse must be/,
  ],
  [
    404,
    undefined,
    /404 .*told; catalog_uri is what stands before "\/v1\/config", and set catalog_warehouse if/,
  ],
  [400, undefined, /400 .*told; set catalog_warehouse if the catalog has several/],
])(
  'a configuration answered by %i for the warehouse %s says what to change',
  async (status, warehouse, saying) => {
    const { catalog } = await scriptedCatalog({
      answer: () => failure(status),
      settings: warehouse === undefined ? {} : { catalog_warehouse: warehouse },
    });
    await expect(catalog.prepare()).rejects.toMatchObject({
      code: 'catalog.refused',
      message: expect.stringMatching(saying),
    });
  },
);

test.each([
  ['https://catalog.example/v1/config?warehouse=lake&code=some-secret', 'https://catalog.example'],
  ['/login?token=some-secret', undefined],
])('a redirect to %s is not followed, and says which address is meant', async (location, named) => {
  const { catalog, server } = await scriptedCatalog({
    answer: () => ({ status: 308, headers: { location }, body: '' }),
  });
  const error = await catalog.prepare().catch(String);
  expect(error).toContain(`308, a redirect to "${named ?? server.url}"; catalog_uri`);
  expect(error).not.toContain('some-secret');
  expect(server.lines).toHaveLength(1);
});
