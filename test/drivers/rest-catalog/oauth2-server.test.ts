import { verify } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CatalogCredential } from '../../../lib/config/entry.ts';
import { restCatalog } from '../../../lib/drivers/rest-catalog/rest-catalog.ts';
import { json, scriptedServer } from '../../fakes/http.ts';
import { clientSecret, type OAuth2Server, startOAuth2Server } from '../../fakes/oauth2-server.ts';
import { seededRandom } from '../../fakes/random.ts';
import { failure, loadedTable } from './scripted-catalog.ts';

/** A certified OAuth2 server, whose signed tokens last ten minutes, and a catalog that checks them. */
const tokenSeconds = 600;
const audience = 'urn:lake';
let server: OAuth2Server;

beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(console, 'info').mockImplementation(() => undefined);
  server = await startOAuth2Server(audience, tokenSeconds);
});
afterAll(() => {
  vi.restoreAllMocks();
  server.close();
});

interface Claims {
  readonly exp: number;
  readonly aud: string;
  readonly scope: string;
  readonly client_id: string;
}

/** The claims of a token that the provider signed; undefined for any other. */
function claimsOf(authorization = ''): Claims | undefined {
  const [head = '', payload = '', signature = ''] = authorization.replace('Bearer ', '').split('.');
  const signed = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${payload}`),
    server.publicKey,
    Buffer.from(signature, 'base64url'),
  );
  return signed ? (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims) : undefined;
}

async function guardedCatalog(credential: Partial<CatalogCredential>, wanted = audience) {
  const state = { skewMs: 0, refusals: 0, claims: undefined as Claims | undefined };
  const now = () => Date.now() + state.skewMs;
  const tokens = new Set<string>();
  const guarded = await scriptedServer((line, { headers }) => {
    state.claims = claimsOf(headers['authorization']);
    if (state.claims === undefined || state.claims.exp * 1000 < now() || state.claims.aud !== wanted) {
      state.refusals += 1;
      return failure(401);
    }
    tokens.add(headers['authorization'] ?? '');
    return json(200, line.includes('/v1/config') ? {} : loadedTable);
  });
  onTestFinished(guarded.close);
  const catalog = restCatalog(
    {
      catalog_uri: guarded.url,
      catalog_credential: {
        client_id: 'by-form',
        client_secret: clientSecret,
        oauth2_server_uri: `${server.issuer}/token`,
        ...credential,
      },
      retry: { initial_ms: 1, max_ms: 1, jitter: 0 },
    },
    {
      clock: { now },
      timers: { sleep: async (_, signal) => void (signal && (await once(signal, 'abort'))) },
      random: seededRandom(),
    },
  );
  return { catalog, state, tokens };
}

const table = { namespace: ['analytics'], name: 'orders' };
const commit = { requirements: [], updates: [] };

describe('on a certified OAuth2 server', () => {
  test.each([
    { client_id: 'by-form' },
    { client_id: 'by-basic', client_auth: 'basic' },
    { scope: 'lake:write', resource: 'urn:other' },
  ] as const)('client credentials with %j get a token that the catalog takes', async (credential) => {
    const { resource, scope } = { resource: audience, scope: 'catalog', ...credential };
    const { catalog, state } = await guardedCatalog(credential, resource);
    expect(await catalog.load(table)).toBeDefined();
    expect(state).toMatchObject({ refusals: 0, claims: { aud: resource, scope } });
  });

  test('a warm container renews its token before it ends, so that nothing is refused (F1)', async () => {
    const { catalog, state, tokens } = await guardedCatalog({});
    await catalog.commit(table, commit);
    state.skewMs = (tokenSeconds - 50) * 1000;
    expect(await catalog.commit(table, commit)).toMatchObject({ outcome: 'landed' });
    expect({ refusals: state.refusals, tokens: tokens.size }).toStrictEqual({ refusals: 0, tokens: 2 });
  });

  test.each([{ client_secret: 'wrong-secret' }, { client_id: 'unknown' }])(
    'client credentials with %j are auth.failed, and nothing reaches the catalog',
    async (credential) => {
      const { catalog, state } = await guardedCatalog(credential);
      await expect(catalog.load(table)).rejects.toMatchObject({
        code: 'auth.failed',
        message: expect.stringMatching(/\/token".*invalid_client/),
      });
      expect(state.refusals).toBe(0);
    },
  );

  test('a resource that the server does not take is auth.failed and says so', async () => {
    const { catalog } = await guardedCatalog({ resource: 'no absolute URI' });
    await expect(catalog.load(table)).rejects.toMatchObject({
      code: 'auth.failed',
      message: expect.stringContaining('invalid_target'),
    });
  });
});
