import { type AccessToken, applicationDefaultToken } from '../google-token.ts';
import type { Authorization } from './authorization.ts';

/** The access token of Google's application default credentials; on Google Cloud that of the function's service account. */
export function googleAccount(accessToken: AccessToken = applicationDefaultToken()): Authorization {
  const current = async () => `Bearer ${await accessToken()}`;
  return {
    authorize: async () => ({ authorization: await current() }),
    async renew(refused) {
      if (refused.headers['authorization'] === (await current())) await accessToken({ renew: true });
      return true;
    },
  };
}
