import { afterEach, expect, test, vi } from 'vitest';
import { applicationDefaultToken } from '../../lib/drivers/google-token.ts';
import { googleAccount } from '../../lib/drivers/rest-catalog/google-account.ts';
import { startMetadataServer } from '../fakes/google-metadata.ts';

let server: Awaited<ReturnType<typeof startMetadataServer>>;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

async function metadataServer(status: number): Promise<void> {
  server = await startMetadataServer('token', status);
  for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value);
}

test('applicationDefaultToken answers the service account’s token, asked for once, and another one when it is refused', async () => {
  await metadataServer(200);
  const accessToken = applicationDefaultToken();
  expect(await accessToken()).toBe('token-1');
  expect(await accessToken()).toBe('token-1');
  expect(await accessToken({ renew: true })).toBe('token-2');
  const asked = server.requests.filter(({ path }) => path.endsWith('/service-accounts/default/token'));
  expect(asked).toHaveLength(2);
  expect(server.lines).toHaveLength(2);
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

test('googleAccount sends the token, and asks for another one only if it was the one that was refused', async () => {
  await metadataServer(200);
  const account = googleAccount();
  const request = { method: 'GET', origin: 'https://catalog.example', path: '/', headers: {} } as const;
  const first = await account.authorize(request);
  expect(first).toEqual({ authorization: 'Bearer token-1' });
  const refused = { ...request, headers: first };
  expect(await account.renew(refused)).toBe(true);
  expect(await account.authorize(request)).toEqual({ authorization: 'Bearer token-2' });
  expect(await account.renew(refused)).toBe(true);
  expect(await account.authorize(request)).toEqual({ authorization: 'Bearer token-2' });
});
