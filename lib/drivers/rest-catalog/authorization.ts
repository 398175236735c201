import type { HttpRequest } from '../http.ts';

/** Authenticates requests. Implemented for static tokens, OAuth2 and SigV4. */
export interface Authorization {
  /** The headers to add to a request. Called each time it is sent, replays included. @throws `auth.failed`, `catalog.unavailable` */
  authorize(request: HttpRequest): Promise<Readonly<Record<string, string>>>;
  /**
   * Gets new credentials after `refused` was answered with 401 or 419, unless another request has already got them. Returns false if
   * there are no new ones, and the refusal stands (F3, F4).
   *
   * @throws `auth.failed`, `catalog.unavailable`
   */
  renew(refused: HttpRequest): Promise<boolean>;
}

/** A static bearer token, or no authentication at all. */
export function staticToken(token: string | undefined): Authorization {
  return {
    authorize: async () => (token === undefined ? {} : { authorization: `Bearer ${token}` }),
    renew: async () => false,
  };
}

/** The token that the catalog gave for one table. Once it is refused, the catalog's general authorization is used. */
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
