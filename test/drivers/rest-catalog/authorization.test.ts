import { expect, onTestFinished, test } from 'vitest';
import type { Authorization } from '../../../lib/drivers/rest-catalog/authorization.ts';
import type { RegistrarError } from '../../../lib/errors.ts';
import type { TableCommit } from '../../../lib/spec/table-update.ts';
import { json, scriptedServer } from '../../fakes/http.ts';
import { failure, scriptedCatalog } from './scripted-catalog.ts';

const table = { namespace: ['analytics'], name: 'orders' };
const commit: TableCommit = {
  requirements: [],
  updates: [{ action: 'set-properties', updates: { a: '1' } }],
};

/** Tokens `token-1`, `token-2`, …: the next one at each renewal. */
function renewing(): Authorization & { renewals: number } {
  const authorization = {
    renewals: 0,
    authorize: async () => ({ authorization: `Bearer token-${authorization.renewals + 1}` }),
    renew: async () => {
      authorization.renewals += 1;
      return true;
    },
  };
  return authorization;
}

test('a static token is sent with every request', async () => {
  const { catalog, server } = await scriptedCatalog({ settings: { catalog_token: 'the-token' } });
  await catalog.commit(table, commit);
  expect(server.requests.map(({ headers }) => headers['authorization'])).toStrictEqual([
    'Bearer the-token',
    'Bearer the-token',
  ]);
});

test.each([401, 419])(
  'a commit answered by %i is replayed once with new credentials (F3)',
  async (status) => {
    const { catalog, server, requested } = await scriptedCatalog({
      answer: (line, { headers }) =>
        line.startsWith('POST') && headers['authorization'] === 'Bearer token-1'
          ? failure(status)
          : undefined,
      authorization: renewing(),
    });
    expect(await catalog.commit(table, commit)).toMatchObject({ outcome: 'landed' });
    expect(requested()).toHaveLength(2);
    const [first, second] = server.requests.slice(-2);
    expect(second?.body).toStrictEqual(first?.body);
  },
);

test('a request refused with new credentials too is auth.failed, without a loop (F4)', async () => {
  const authorization = renewing();
  const { catalog, requested } = await scriptedCatalog({
    answer: (line) => (line.startsWith('POST') ? failure(401) : undefined),
    authorization,
  });
  await expect(catalog.commit(table, commit)).rejects.toMatchObject({
    code: 'auth.failed',
    context: { status: 401 },
  });
  expect(requested()).toHaveLength(2);
  expect(authorization.renewals).toBe(1);
});

test('a static token that is refused is auth.failed at once', async () => {
  const { catalog, requested } = await scriptedCatalog({
    answer: (line) => (line.startsWith('POST') ? failure(401) : undefined),
    settings: { catalog_token: 'the-token' },
  });
  await expect(catalog.commit(table, commit)).rejects.toMatchObject({ code: 'auth.failed' });
  expect(requested()).toHaveLength(1);
});

test('403 is auth.failed and renews nothing (F3)', async () => {
  const authorization = renewing();
  const { catalog } = await scriptedCatalog({
    answer: (line) => (line.startsWith('POST') ? failure(403) : undefined),
    authorization,
  });
  await expect(catalog.commit(table, commit)).rejects.toMatchObject({ code: 'auth.failed' });
  expect(authorization.renewals).toBe(0);
});

test('no error repeats the signature of a URL that a server quotes (F10, I10)', async () => {
  const url = 'https://lake.example/a?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=0123456789abcdef&x=1';
  const { catalog } = await scriptedCatalog({
    answer: (line) => (line.startsWith('POST') ? failure(400, `cannot read "${url}"`) : undefined),
  });
  expect(await catalog.commit(table, commit)).toMatchObject({
    message: expect.stringContaining('?X-Amz-Credential=***&X-Amz-Signature=***&x=1"'),
  });
});

test('no error repeats a secret that a server quotes (F10, I10)', async () => {
  const { catalog } = await scriptedCatalog({
    answer: (line, { headers }) =>
      line.includes('/v1/config')
        ? undefined
        : failure(400, `bad request with ${JSON.stringify(headers)}, ${'x'.repeat(2_000)}`),
    settings: { catalog_token: 'the-token', catalog_headers: { 'X-Api-Key': 'another-secret' } },
  });
  const error = await catalog.load(table).catch((thrown: RegistrarError) => thrown);
  expect(error).toMatchObject({ code: 'catalog.refused' });
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/the-token|another-secret/);
  const refusal = await catalog.commit(table, commit);
  expect(refusal).toMatchObject({ outcome: 'refused', reason: 'invalid' });
  expect(JSON.stringify(refusal)).not.toMatch(/the-token|another-secret/);
});

test('the catalog’s own token endpoint gets the configured headers, another server none of them (I10)', async () => {
  const elsewhere = await scriptedServer(() => json(200, { access_token: 'elsewhere-token' }));
  onTestFinished(elsewhere.close);
  for (const oauth2_server_uri of [undefined, `${elsewhere.url}/token`]) {
    const { catalog, server } = await scriptedCatalog({
      answer: (line) =>
        line.includes('/v1/oauth/tokens') ? json(200, { access_token: 'a-token' }) : undefined,
      settings: {
        catalog_headers: { 'Polaris-Realm': 'realm' },
        catalog_credential: {
          client_id: 'id',
          client_secret: 'registrar-secret',
          ...(oauth2_server_uri !== undefined && { oauth2_server_uri }),
        },
      },
    });
    await catalog.load(table);
    const asked = oauth2_server_uri === undefined ? server : elsewhere;
    expect(asked.requests[0]?.headers['polaris-realm']).toBe(
      oauth2_server_uri === undefined ? 'realm' : undefined,
    );
    expect(asked.lines[0]).toMatch(
      oauth2_server_uri === undefined ? /^POST \/v1\/oauth\/tokens$/ : /^POST \/token$/,
    );
  }
});

test('a token with a line break at its end is config.invalid at once, and is not shown', async () => {
  const { catalog, server, sleeps } = await scriptedCatalog({ settings: { catalog_token: 'the-token\n' } });
  const error = await catalog.load(table).catch((thrown: RegistrarError) => thrown);
  expect(error).toMatchObject({ code: 'config.invalid', message: expect.stringContaining('line breaks') });
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('the-token');
  expect([server.lines, sleeps]).toStrictEqual([[], []]);
});
