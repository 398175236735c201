import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Server } from 'node:http';
import Provider from 'oidc-provider';
import { freePort } from '../integration/services/free-ports.ts';

export const clientSecret = 'a form-secret&more+';

export interface OAuth2Server {
  /** `http://127.0.0.1:49152`; tokens are at `/token`. */
  readonly issuer: string;
  /** Of the key that tokens are signed with. */
  readonly publicKey: KeyObject;
  close(): void;
}

/**
 * A certified OAuth2 server whose tokens are signed, for its clients `by-form` and `by-basic`. It warns on the console of what it is not
 * set up for.
 *
 * @param audience of tokens that are asked for without a resource
 */
export async function startOAuth2Server(audience: string, tokenSeconds: number): Promise<OAuth2Server> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const client = (client_id: string, token_endpoint_auth_method: string) => ({
    client_id,
    client_secret: clientSecret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method,
  });
  const configuration = {
    clients: [client('by-form', 'client_secret_post'), client('by-basic', 'client_secret_basic')],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] },
    scopes: ['catalog', 'lake:write'],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: 'catalog lake:write',
          audience: resource,
          accessTokenTTL: tokenSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  };
  const provider = await new Promise<Server>((resolve) => {
    const server: Server = new Provider(issuer, configuration).listen(port, '127.0.0.1', () =>
      resolve(server),
    );
  });
  return {
    issuer,
    publicKey: createPublicKey(privateKey),
    close() {
      provider.close();
      provider.closeAllConnections();
    },
  };
}
