import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import { version } from '../../version.ts';
import { faultText, type HttpExchange, type HttpRequest, type SendHttp } from '../http.ts';
import { withoutSecrets } from '../redaction.ts';
import type { Authorization } from './authorization.ts';
import { connectionFault } from './connection-fault.ts';
import { errorText, type Outcome, outcomeOf, readBody, retryAfterMs } from './outcome.ts';
import { type RepeatingPorts, repeatedly } from './repeating.ts';

/** The answer of a catalog. What an outcome means depends on the request. */
export interface Reply {
  readonly outcome: Exclude<Outcome, 'unauthenticated' | 'forbidden' | 'misdirected'>;
  /** The body as JSON, parsed at each access; undefined if it is not JSON. */
  readonly body: () => unknown;
  /** The body as received. */
  readonly bytes: Uint8Array;
  readonly etag?: string;
  /** The `Server` header. */
  readonly server?: string;
  /** The status and the server's message, without secrets, cut to one line. */
  readonly message: string;
  /** The requested wait of an outcome `throttled`, if the catalog states one. */
  readonly retryAfterMs?: number;
}

export interface RequestOptions {
  /** The headers of this request. Called each time it is sent, replays included. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** @default that of the client */
  readonly authorization?: Authorization | undefined;
}

/** Requests to one catalog. @throws `auth.failed`, `catalog.unavailable`, `config.invalid` (an untrusted certificate) from every call */
export interface CatalogClient {
  /** Retried a few times while the catalog is unavailable or throttles. */
  get(path: string, options?: RequestOptions): Promise<Reply>;
  /** Sent once, and once more with new credentials after a 401 or 419. */
  post(path: string, body: string, options?: RequestOptions): Promise<Reply>;
}

export type ClientSettings = Pick<Entry, 'catalog_headers' | 'retry'>;

export interface ClientPorts extends RepeatingPorts {
  readonly send: SendHttp;
  readonly authorization: Authorization;
}

/** A client for the catalog at `origin`. Paths are encoded and begin with a slash. */
export function catalogClient(origin: string, settings: ClientSettings, ports: ClientPorts): CatalogClient {
  async function exchange(request: HttpRequest, options: RequestOptions): Promise<Exchanged> {
    const authorization = options.authorization ?? ports.authorization;
    const send = async (): Promise<Exchanged> => {
      const plain = { ...request, headers: { ...request.headers, ...options.headers?.() } };
      const authorized = {
        ...plain,
        headers: { ...plain.headers, ...(await authorization.authorize(plain)) },
      };
      return { request: authorized, answer: await ports.send(authorized) };
    };
    const first = await send();
    const refused = first.answer.kind === 'answer' && outcomeOf(first.answer) === 'unauthenticated';
    return refused && (await authorization.renew(first.request)) ? send() : first;
  }

  const headers = {
    accept: 'application/json',
    'user-agent': `iceberg-registrar/${version}`,
    ...settings.catalog_headers,
  };

  return {
    async get(path, options = {}) {
      const request: HttpRequest = { method: 'GET', origin, path, headers };
      return reply(await repeatedly(() => exchange(request, options), settings, ports), ports.clock.now());
    },
    async post(path, body, options = {}) {
      const json = { ...headers, 'content-type': 'application/json' };
      const request: HttpRequest = { method: 'POST', origin, path, headers: json, body };
      return reply(await exchange(request, options), ports.clock.now());
    },
  };
}

/** An answer with its request, whose headers contain the secrets that no message may repeat. */
interface Exchanged {
  readonly request: HttpRequest;
  readonly answer: HttpExchange;
}

/** The error for a request that was not sent; undefined if it may have been sent. */
export function sendingError(
  attempted: string,
  answer: Exclude<HttpExchange, { kind: 'answer' }>,
): RegistrarError | undefined {
  const fault = connectionFault(answer.cause);
  const cause = faultText(answer.cause);
  if (fault !== undefined) {
    return new RegistrarError(fault.code, `${attempted}: ${fault.problem}: ${cause}; ${fault.wayOut}`);
  }
  return answer.kind === 'unsent'
    ? new RegistrarError('catalog.unavailable', `${attempted}: ${cause}`)
    : undefined;
}

const NOTHING = { body: () => undefined, bytes: new Uint8Array() };

function reply({ request, answer }: Exchanged, nowMs: number): Reply {
  const attempted = `Cannot ${request.method} "${request.origin}${request.path}"`;
  if (answer.kind !== 'answer') {
    const error = sendingError(attempted, answer);
    if (error !== undefined) throw error;
    return {
      outcome: 'unknown',
      ...NOTHING,
      message: `nothing in full: ${faultText(answer.cause)}`,
    };
  }
  const outcome = outcomeOf(answer);
  if (outcome === 'ok') {
    const { etag, server } = answer.headers;
    return {
      outcome,
      body: () => readBody(answer.body),
      bytes: answer.body,
      message: String(answer.status),
      ...(typeof etag === 'string' && { etag }),
      ...(typeof server === 'string' && { server }),
    };
  }
  const message = errorText(answer, (text) => withoutSecrets(text, request));
  const context = { status: answer.status };
  switch (outcome) {
    case 'unauthenticated':
    case 'forbidden':
      throw new RegistrarError('auth.failed', `${attempted}: the catalog answered ${message}`, { context });
    case 'throttled': {
      const waitMs = retryAfterMs(answer, nowMs);
      return { outcome, ...NOTHING, message, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
    }
    case 'misdirected':
      throw new RegistrarError(
        'catalog.unavailable',
        `${attempted}: no Iceberg catalog answered, but ${message}${redirectText(request, answer.headers['location'])}; catalog_uri is what stands before "/v1/config"`,
        { context },
      );
    default:
      return { outcome, ...NOTHING, message };
  }
}

/** The origin that a redirect leads to, without path and query, which may contain secrets (I10). */
function redirectText({ origin }: HttpRequest, location: string | string[] | undefined): string {
  const target = typeof location === 'string' ? URL.parse(location, origin) : null;
  return target === null ? '' : `, a redirect to "${target.origin}"`;
}
