import { type AccessToken, newToken, type OAuth2Settings, type TokenPorts } from './access-token.ts';
import type { Authorization } from './authorization.ts';

/** How long requests wait for a renewal while the token is still valid. */
const PATIENCE_MS = 2_000;

/**
 * A bearer token from OAuth2's client credentials (RFC 6749, section 4.4). Concurrent callers share one token request. The token is renewed
 * when a tenth of its lifetime is left, at most five minutes. As long as it is valid, a renewal that fails or takes long stops nobody (F1).
 */
export function clientCredentials(settings: OAuth2Settings, ports: TokenPorts): Authorization {
  const { clock, timers } = ports;
  let token: AccessToken | undefined;
  let pending: Promise<AccessToken> | undefined;

  function renewed(): Promise<AccessToken> {
    pending ??= newToken(settings, ports, stillValid())
      .then((answered) => {
        token = answered;
        return answered;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  }

  function stillValid(): AccessToken | undefined {
    return clock.now() < (token?.expiresAtMs ?? Number.POSITIVE_INFINITY) ? token : undefined;
  }

  async function current(): Promise<AccessToken> {
    const valid = stillValid();
    if (valid === undefined) return renewed();
    if (clock.now() < (valid.renewAtMs ?? Number.POSITIVE_INFINITY)) return valid;
    const answered = await patiently(renewed());
    if (answered !== undefined) return answered;
    const left = (valid.expiresAtMs ?? clock.now()) - clock.now();
    if (token === valid) token = { ...valid, renewAtMs: clock.now() + left / 2 };
    return valid;
  }

  /** Undefined for a renewal that fails or takes long; the latter goes on. */
  async function patiently(renewal: Promise<AccessToken>): Promise<AccessToken | undefined> {
    const settled = new AbortController();
    const late = timers.sleep(PATIENCE_MS, settled.signal).then(() => undefined);
    try {
      return await Promise.race([renewal.catch(() => undefined), late]);
    } finally {
      settled.abort();
    }
  }

  return {
    authorize: async () => ({ authorization: `Bearer ${(await current()).value}` }),
    async renew(refused) {
      if (refused.headers['authorization'] === `Bearer ${token?.value}`) token = undefined;
      if (token === undefined) await renewed();
      return true;
    },
  };
}
