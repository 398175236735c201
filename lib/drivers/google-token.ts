import type { AuthClient } from 'google-auth-library';
import { messageOf, RegistrarError } from '../errors.ts';
import { withoutTokens } from './tokens.ts';

/** Returns the current access token, or with `renew` a new one after a refusal. @throws `auth.failed` */
export type AccessToken = (options?: { readonly renew?: boolean }) => Promise<string>;

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * Tokens from Google's application default credentials: the file in `GOOGLE_APPLICATION_CREDENTIALS`, the credentials that gcloud stored, or
 * the service account of the function, from the metadata server.
 */
export function applicationDefaultToken(): AccessToken {
  let client: Promise<AuthClient> | undefined;
  return async ({ renew = false } = {}) => {
    if (renew) client = undefined;
    client ??= findCredentials();
    try {
      const { token } = await (await client).getAccessToken();
      if (typeof token === 'string' && token !== '') return token;
      throw new Error('no token was answered');
    } catch (error) {
      client = undefined;
      // The error is not attached as cause, since it may contain the request with its credentials (I10).
      throw new RegistrarError(
        'auth.failed',
        `Cannot get an access token of Google: ${withoutTokens(messageOf(error))}; give the function a service account, or set GOOGLE_APPLICATION_CREDENTIALS`,
      );
    }
  };
}

async function findCredentials(): Promise<AuthClient> {
  const { GoogleAuth } = await import('google-auth-library');
  // The project is not needed. Without this, the library would look for it with a gcloud process and a request.
  return new GoogleAuth({ scopes: SCOPE, projectId: 'unused' }).getClient();
}
