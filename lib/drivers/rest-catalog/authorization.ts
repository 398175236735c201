import type { HttpRequest } from './http.ts';

/** How requests prove who sends them: the one seam for static tokens, OAuth2 and SigV4. */
export interface Authorization {
  /** The headers to add to this request; asked before every sending, replays included. */
  authorize(request: HttpRequest): Promise<Readonly<Record<string, string>>>;
  /** After a 401 or 419: gets new credentials; false when there are none to get, and the refusal stands (F3, F4). */
  renew(): Promise<boolean>;
}

/** A fixed bearer token, or no authentication at all. */
export function staticToken(token: string | undefined): Authorization {
  return {
    authorize: async () => (token === undefined ? {} : { authorization: `Bearer ${token}` }),
    renew: async () => false,
  };
}
