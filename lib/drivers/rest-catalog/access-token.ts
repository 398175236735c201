import type { CatalogCredential } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import { isObject } from '../../spec/json-object.ts';
import { faultText, type HttpRequest, type SendHttp } from '../http.ts';
import { withoutSecrets } from '../redaction.ts';
import { sendingError } from './client.ts';
import { formEncoded } from './form.ts';
import { errorText, outcomeOf, readBody, retryAfterMs } from './outcome.ts';
import { type RepeatingPorts, type RetrySettings, repeatedly } from './repeating.ts';

export interface TokenPorts extends RepeatingPorts {
  readonly send: SendHttp;
}

export interface OAuth2Settings extends RetrySettings {
  readonly credential: CatalogCredential;
  /** The token endpoint, used exactly as configured (F8). */
  readonly tokenEndpoint: string;
  /** Additional headers: Polaris expects its realm there too. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A token, with its lifetime as far as it is known. */
export interface AccessToken {
  readonly value: string;
  /** When to renew it and when it expires; undefined if neither the answer nor the token says so. Then it is renewed at the first 401. */
  readonly renewAtMs: number | undefined;
  readonly expiresAtMs: number | undefined;
}

/** A token is renewed when a tenth of its lifetime is left, but at most this long before it expires. */
const longestLeadMs = 5 * 60_000;

/**
 * Asks for a token: exchanges the valid one if that is configured, and falls back to the credential (F5).
 *
 * @throws `auth.failed`, `catalog.unavailable`, `config.invalid` (an untrusted certificate)
 */
export async function newToken(
  settings: OAuth2Settings,
  ports: TokenPorts,
  valid: AccessToken | undefined,
): Promise<AccessToken> {
  if (valid !== undefined && settings.credential.token_exchange) {
    const request = exchangeRequest(settings, valid.value);
    const exchanged = await requestToken(request, settings, ports).catch(() => undefined);
    if (exchanged !== undefined) return exchanged;
  }
  return requestToken(credentialRequest(settings), settings, ports);
}

function credentialRequest({ credential, tokenEndpoint, headers }: OAuth2Settings): HttpRequest {
  const { client_id, client_secret, client_auth = 'form' } = credential;
  // Both are form-encoded before they are joined (RFC 6749, section 2.3.1).
  const basic = Buffer.from(`${formEncoded(client_id)}:${formEncoded(client_secret)}`).toString('base64');
  return tokenRequest(
    tokenEndpoint,
    { ...headers, ...(client_auth === 'basic' && { authorization: `Basic ${basic}` }) },
    {
      grant_type: 'client_credentials',
      ...(client_auth === 'form' && client_id !== '' && { client_id }),
      ...(client_auth === 'form' && { client_secret }),
      ...wanted(credential),
    },
  );
}

/** RFC 8693, as Iceberg's Java client does it. */
function exchangeRequest({ credential, tokenEndpoint, headers }: OAuth2Settings, token: string): HttpRequest {
  return tokenRequest(
    tokenEndpoint,
    { ...headers, authorization: `Bearer ${token}` },
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      ...wanted(credential),
    },
  );
}

/** Iceberg's default scope is `catalog` (F6); an empty one is not sent. */
function wanted({ scope = 'catalog', audience, resource }: CatalogCredential): Record<string, string> {
  return {
    ...(scope !== '' && { scope }),
    ...(audience !== undefined && { audience }),
    ...(resource !== undefined && { resource }),
  };
}

function tokenRequest(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  form: Readonly<Record<string, string>>,
): HttpRequest {
  const { origin } = new URL(endpoint);
  return {
    method: 'POST',
    origin,
    path: /^https?:\/\/[^/]*(.*)$/is.exec(endpoint)?.[1] || '/',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams(form).toString(),
  };
}

async function requestToken(
  request: HttpRequest,
  settings: OAuth2Settings,
  ports: TokenPorts,
): Promise<AccessToken> {
  const attempted = `Cannot get a token at "${settings.tokenEndpoint}"`;
  let askedAtMs = ports.clock.now();
  const { answer } = await repeatedly(
    async () => {
      askedAtMs = ports.clock.now();
      return { answer: await ports.send(request) };
    },
    settings,
    ports,
  );
  if (answer.kind !== 'answer') {
    throw (
      sendingError(attempted, answer) ??
      new RegistrarError(
        'catalog.unavailable',
        `${attempted}: the server answered nothing in full: ${faultText(answer.cause)}`,
      )
    );
  }
  const body = readBody(answer.body);
  const outcome = outcomeOf(answer);
  if (outcome === 'ok' && isObject(body) && typeof body['access_token'] === 'string') {
    return { value: body['access_token'], ...lifeOf(body['access_token'], body['expires_in'], askedAtMs) };
  }
  const { client_secret } = settings.credential;
  const subject = new URLSearchParams(String(request.body)).get('subject_token') ?? undefined;
  const words =
    outcome === 'ok'
      ? `${answer.status} without an access_token`
      : errorText(answer, (text) => withoutSecrets(text, request, [client_secret, subject]));
  const context = { status: answer.status, retryAfterMs: retryAfterMs(answer, ports.clock.now()) };
  // Only an answer in OAuth's format (RFC 6749, section 5.2) concerns the credential; proxies and rate limiters answer too (F12).
  if (['invalid', 'unauthenticated', 'forbidden'].includes(outcome) && isObject(body)) {
    throw new RegistrarError('auth.failed', `${attempted}: the server answered ${words}`, { context });
  }
  throw new RegistrarError(
    'catalog.unavailable',
    `${attempted}: the server answered ${words}; catalog_credential.oauth2_server_uri must be its token endpoint`,
    { context },
  );
}

/** The lifetime from `expires_in`, else from the token itself if it is a JWT (RFC 7519, `exp`). */
function lifeOf(
  token: string,
  expiresIn: unknown,
  askedAtMs: number,
): Pick<AccessToken, 'renewAtMs' | 'expiresAtMs'> {
  const seconds = Number(expiresIn ?? Number.NaN);
  const expiresAtMs = seconds > 0 ? askedAtMs + seconds * 1000 : jwtExpiryMs(token);
  if (expiresAtMs === undefined) return { renewAtMs: undefined, expiresAtMs };
  return { renewAtMs: expiresAtMs - Math.min((expiresAtMs - askedAtMs) / 10, longestLeadMs), expiresAtMs };
}

function jwtExpiryMs(token: string): number | undefined {
  const [, payload] = token.split('.');
  const claims = readBody(Buffer.from(payload ?? '', 'base64url').toString());
  const seconds = isObject(claims) ? Number(claims['exp'] ?? Number.NaN) : Number.NaN;
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}
