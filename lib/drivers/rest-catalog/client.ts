import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import type { Clock, Random, Timers } from '../../ports.ts';
import { version } from '../../version.ts';
import type { Authorization } from './authorization.ts';
import type { HttpExchange, HttpRequest, SendHttp } from './http.ts';
import { errorText, type Outcome, outcomeOf, readBody, retryAfterMs } from './outcome.ts';

/** What a catalog answered, for callers that know what the outcome means to their request. */
export interface Reply {
  readonly outcome: Exclude<Outcome, 'unauthenticated' | 'forbidden' | 'throttled' | 'misdirected'>;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
  /** Status and the server's own words, without secrets, cut to a line. */
  readonly message: string;
}

/** Requests to one catalog. @throws `auth.failed`, `catalog.unavailable`, `config.invalid` (an untrusted certificate) from every call */
export interface CatalogClient {
  /** Repeated a few times while the catalog is unavailable or asks to wait. */
  get(path: string): Promise<Reply>;
  /** Sent once; after a 401 or 419 once more with new credentials. */
  post(path: string, body: string): Promise<Reply>;
}

export type ClientSettings = Pick<Entry, 'catalog_headers' | 'retry'>;

export interface ClientPorts {
  readonly send: SendHttp;
  readonly authorization: Authorization;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}

const getAttempts = 4;

/** A client for the catalog at `origin`; paths are encoded and begin with a slash. */
export function catalogClient(origin: string, settings: ClientSettings, ports: ClientPorts): CatalogClient {
  const { clock, timers, random, authorization } = ports;

  async function authorized(request: HttpRequest): Promise<HttpRequest> {
    return { ...request, headers: { ...request.headers, ...(await authorization.authorize(request)) } };
  }

  async function exchange(request: HttpRequest): Promise<Exchanged> {
    let sent = await authorized(request);
    let answer = await ports.send(sent);
    if (
      answer.kind === 'answer' &&
      outcomeOf(answer) === 'unauthenticated' &&
      (await authorization.renew())
    ) {
      sent = await authorized(request);
      answer = await ports.send(sent);
    }
    return { request: sent, answer };
  }

  function waitMs(attempt: number, { answer }: Exchanged): number {
    const { initial_ms, max_ms, jitter } = settings.retry;
    const asked = answer.kind === 'answer' ? retryAfterMs(answer, clock.now()) : undefined;
    const backOff = initial_ms * 2 ** (attempt - 1) * (1 - jitter * random.next());
    return Math.min(asked ?? backOff, max_ms);
  }

  const headers = {
    accept: 'application/json',
    'user-agent': `iceberg-registrar/${version}`,
    ...settings.catalog_headers,
  };

  return {
    async get(path) {
      const request: HttpRequest = { method: 'GET', origin, path, headers };
      for (let attempt = 1; ; attempt += 1) {
        const exchanged = await exchange(request);
        if (attempt === getAttempts || !isPassing(exchanged.answer)) return reply(exchanged, clock.now());
        await timers.sleep(waitMs(attempt, exchanged));
      }
    },
    async post(path, body) {
      const json = { ...headers, 'content-type': 'application/json' };
      return reply(await exchange({ method: 'POST', origin, path, headers: json, body }), clock.now());
    },
  };
}

/** An answer, and the request that it answers: its headers are the secrets that no message may repeat. */
interface Exchanged {
  readonly request: HttpRequest;
  readonly answer: HttpExchange;
}

function isPassing(answer: HttpExchange): boolean {
  if (answer.kind !== 'answer') return !isCertificateFault(answer.cause);
  const outcome = outcomeOf(answer);
  return outcome === 'unknown' || outcome === 'throttled';
}

function reply({ request, answer }: Exchanged, nowMs: number): Reply {
  const attempted = `Cannot ${request.method} "${request.origin}${request.path}"`;
  if (answer.kind !== 'answer') {
    const cause = faultText(answer.cause);
    if (isCertificateFault(answer.cause)) {
      throw new RegistrarError(
        'config.invalid',
        `${attempted}: the certificate of the catalog is not trusted: ${cause}; set catalog_ca_file to the CA that signed it`,
      );
    }
    if (answer.kind === 'unsent') throw new RegistrarError('catalog.unavailable', `${attempted}: ${cause}`);
    return { outcome: 'unknown', body: undefined, message: `no complete answer: ${cause}` };
  }
  const outcome = outcomeOf(answer);
  if (outcome === 'ok') return { outcome, body: readBody(answer.body), message: String(answer.status) };
  const message = withoutSecrets(errorText(answer), request);
  const context = { status: answer.status, retryAfterMs: retryAfterMs(answer, nowMs) };
  switch (outcome) {
    case 'unauthenticated':
    case 'forbidden':
      throw new RegistrarError('auth.failed', `${attempted}: the catalog answered ${message}`, { context });
    case 'throttled':
      throw new RegistrarError(
        'catalog.unavailable',
        `${attempted}: the catalog asks to slow down: ${message}`,
        { context },
      );
    case 'misdirected':
      throw new RegistrarError(
        'catalog.unavailable',
        `${attempted}: no Iceberg catalog answered, but ${message}; catalog_uri is what stands before "/v1/config"`,
        { context },
      );
    default:
      return { outcome, body: undefined, message };
  }
}

/** Servers quote requests in their errors (F10): what was sent in a header of ours is struck out, signatures of URLs too. */
function withoutSecrets(text: string, request: HttpRequest): string {
  return Object.entries(request.headers)
    .filter(([name]) => !['accept', 'content-type', 'user-agent'].includes(name.toLowerCase()))
    .flatMap(([, value]) => value.split(' '))
    .filter((secret) => secret.length >= 8)
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, '***'), text)
    .replaceAll(/(X-Amz-(?:Credential|Security-Token|Signature)=)[^&\s"']+/gi, '$1***');
}

function faultText(cause: Error): string {
  const code = 'code' in cause ? `${cause.code}: ` : '';
  return `${code}${cause.message || cause.name}`;
}

function isCertificateFault(cause: Error): boolean {
  return 'code' in cause && /CERT|^UNABLE_TO_|SELF_SIGNED|^ERR_TLS_/.test(String(cause.code));
}
