import type { AuthClient } from 'google-auth-library';
import { RegistrarError } from '../errors.ts';
import { withoutTokens } from './tokens.ts';

/** An access token as it is now; `renew` after one was refused. @throws `auth.failed` */
export type AccessToken = (options?: { readonly renew?: boolean }) => Promise<string>;

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * Tokens of whoever runs this, as Google's own clients find them: the file that `GOOGLE_APPLICATION_CREDENTIALS` names, what gcloud has
 * left, or the service account of the function, from the metadata server.
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
      // Not as the cause: it may hold the request, with what it was signed by (I10).
      throw new RegistrarError(
        'auth.failed',
        `Cannot get an access token of Google: ${withoutTokens(error instanceof Error ? error.message : String(error))}; give the function a service account, or set GOOGLE_APPLICATION_CREDENTIALS`,
      );
    }
  };
}

async function findCredentials(): Promise<AuthClient> {
  const { GoogleAuth } = await import('google-auth-library');
  // Nothing here asks for the project; one that is not given is looked for, by a process of gcloud and a request.
  return new GoogleAuth({ scopes: SCOPE, projectId: 'unused' }).getClient();
}
