import { afterEach, expect, test, vi } from 'vitest';
import { applicationDefaultToken } from '../../lib/drivers/google-token.ts';
import { json, type ScriptedServer, scriptedServer } from '../fakes/http.ts';

let server: ScriptedServer;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

/** A metadata server, as a function on Google Cloud finds it. */
async function metadataServer(status: number): Promise<void> {
  let tokens = 0;
  server = await scriptedServer((line) => {
    const headers = { 'metadata-flavor': 'Google' };
    if (!line.includes('/token')) return { status: 200, headers, body: 'default' };
    tokens += 1;
    return json(status, { access_token: `token-${tokens}`, expires_in: 3600, token_type: 'Bearer' }, headers);
  });
  vi.stubEnv('GCE_METADATA_HOST', new URL(server.url).host);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
  vi.stubEnv('HOME', '/nonexistent');
}

test('applicationDefaultToken answers the service account’s token, asked for once, and another one when it is refused', async () => {
  await metadataServer(200);
  const accessToken = applicationDefaultToken();
  expect(await accessToken()).toBe('token-1');
  expect(await accessToken()).toBe('token-1');
  expect(await accessToken({ renew: true })).toBe('token-2');
  const asked = server.requests.filter(({ path }) => path.endsWith('/service-accounts/default/token'));
  expect(asked).toHaveLength(2);
  expect(asked[0]?.headers['metadata-flavor']).toBe('Google');
});

test('applicationDefaultToken without an account is auth.failed with the way out', async () => {
  await metadataServer(404);
  await expect(applicationDefaultToken()()).rejects.toMatchObject({
    code: 'auth.failed',
    message: expect.stringMatching(
      /^Cannot get an access token of Google: .*; give the function a service account/s,
    ),
  });
});
