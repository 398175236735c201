import type { HttpRequest } from '../http.ts';

/** How requests prove who sends them: the one seam for static tokens, OAuth2 and SigV4. */
export interface Authorization {
  /** The headers to add to this request; asked before every sending, replays included. @throws `auth.failed`, `catalog.unavailable` */
  authorize(request: HttpRequest): Promise<Readonly<Record<string, string>>>;
  /**
   * After a 401 or 419 to `refused`, as it was sent: gets new credentials, unless others have got them since. False when there
   * are none to get, and the refusal stands (F3, F4). @throws `auth.failed`, `catalog.unavailable`
   */
  renew(refused: HttpRequest): Promise<boolean>;
}

/** A fixed bearer token, or no authentication at all. */
export function staticToken(token: string | undefined): Authorization {
  return {
    authorize: async () => (token === undefined ? {} : { authorization: `Bearer ${token}` }),
    renew: async () => false,
  };
}

/** The token that a catalog gave for one table, until it is refused; then everything else's. */
export function tableToken(token: string, otherwise: Authorization): Authorization {
  const own = `Bearer ${token}`;
  let refusedOnce = false;
  return {
    authorize: async (request) => (refusedOnce ? otherwise.authorize(request) : { authorization: own }),
    renew: async (refused) => {
      if (refused.headers['authorization'] !== own) return otherwise.renew(refused);
      refusedOnce = true;
      return true;
    },
  };
}
