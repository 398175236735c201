import { json, scriptedServer } from './http.ts';

/** Google's metadata server, as a function finds it: each token it hands out is another one. */
export async function startMetadataServer(name = 'token', status = 200) {
  let tokens = 0;
  const server = await scriptedServer((line) => {
    const headers = { 'metadata-flavor': 'Google' };
    if (!line.includes('/token')) return { status: 200, headers, body: 'default' };
    tokens += 1;
    return json(
      status,
      { access_token: `${name}-${tokens}`, expires_in: 3600, token_type: 'Bearer' },
      headers,
    );
  });
  /** What makes Google's library ask it, and nothing else. */
  const environment = {
    GCE_METADATA_HOST: new URL(server.url).host,
    METADATA_SERVER_DETECTION: 'assume-present',
    GOOGLE_APPLICATION_CREDENTIALS: undefined,
    HOME: '/nonexistent',
  };
  return { ...server, environment };
}
