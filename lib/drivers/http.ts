import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { RegistrarError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { type AnswerBody, answerBody } from './answer-body.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { EarlySockets } from './early-sockets.ts';
import { systemClock } from './platform.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly origin: string;
  /** Path and query, encoded. They are sent unchanged. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export type HttpExchange =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** The names are in lower case. */
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: Buffer;
    }
  /** There was no connection (refused, unknown host, a certificate that one side does not trust), so the server has seen nothing. */
  | { readonly kind: 'unsent'; readonly cause: Error }
  /** The request was sent and no complete answer came back, so what the server did is unknown. */
  | { readonly kind: 'lost'; readonly cause: Error };

/** Sends one request once. */
export type SendHttp = (request: HttpRequest) => Promise<HttpExchange>;

/** TLS options for a server; certificates and keys are PEM texts. */
export interface TlsSettings {
  /** CA certificates that replace the platform's. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name for SNI and for the certificate check, instead of the URI's host. */
  readonly servername?: string | undefined;
}

/** The values of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; empty if not set. */
export interface ProxySettings {
  readonly https: string;
  readonly http: string;
  readonly except: string;
}

export interface HttpSettings {
  /** @default 5_000 */
  readonly connectTimeoutMs?: number;
  /** @default 30_000 */
  readonly timeoutMs?: number;
  /** How long an idle connection is kept. @default 4_000 */
  readonly keepAliveMs?: number;
  /** The clock for idle times, which must go on while the process is frozen. @default the machine's own */
  readonly clock?: Clock;
  /** The limit for an answer's body; a longer answer is an error. @default 256 MiB */
  readonly maxAnswerBytes?: number;
  /** The size of an answer after which garbage is collected. @default 1 MiB, the metadata of more than a thousand snapshots */
  readonly collectedAnswerBytes?: number;
  readonly tls?: TlsSettings;
  readonly proxies?: ProxySettings | undefined;
  /** Connections that are already open. */
  readonly early?: EarlySockets | undefined;
}

/**
 * HTTP/1.1 over persistent connections. Each request is sent at most once: redirects are not followed and nothing is retried here (I7,
 * F10). The connection must be established within `connectTimeoutMs`; head and each part of the body must arrive within `timeoutMs`.
 */
export function httpSender(settings: HttpSettings = {}): SendHttp {
  const { maxAnswerBytes = 256 * 1024 * 1024, collectedAnswerBytes = 1024 * 1024 } = settings;
  const { clock = systemClock, keepAliveMs = DEFAULT_KEEP_ALIVE_MS } = settings;
  const refusals = new Map<number, Error>();
  let making: Promise<Dispatcher> | undefined;
  let usedAtMs = clock.now();
  let largestBytes = 0;

  /** Under TLS 1.3 a refused client certificate is reported as a lost connection, although the server has read nothing. */
  function refusalOf(cause: Error): Error | undefined {
    const { localPort = -1 } = ((cause as { socket?: unknown }).socket ?? {}) as { localPort?: number };
    const refusal = refusals.get(localPort);
    refusals.delete(localPort);
    return refusal;
  }

  /** Timers do not run while a container is frozen, so undici's own limit does not notice that servers have closed the connections. */
  function dropIdleConnections(): void {
    const idleMs = clock.now() - usedAtMs;
    usedAtMs = clock.now();
    if (idleMs <= keepAliveMs || making === undefined) return;
    // Pending requests still get their answers before the dispatcher closes.
    making.then((dispatcher) => dispatcher.close()).catch(() => undefined);
    making = undefined;
  }

  return async (request) => {
    dropIdleConnections();
    making ??= makeDispatcher(settings, refusals);
    const dispatcher = await making;
    return new Promise((resolve) => {
      let sent = false;
      let status = 0;
      let answered: Readonly<Record<string, string | string[] | undefined>> = {};
      /** Created when the answer begins: an object from the time of the request would survive minor collections, and keep large answers alive. */
      let body: AnswerBody;
      dispatcher.dispatch(
        { ...request, body: request.body ?? null },
        {
          onRequestStart() {
            sent = true;
          },
          onResponseStart(_controller, statusCode, headers) {
            status = statusCode;
            answered = headers;
            body = answerBody(expectedBytes(headers['content-length'], largestBytes));
          },
          onResponseData(controller, chunk) {
            if (body.sizeBytes + chunk.length <= maxAnswerBytes) body.push(chunk);
            else controller.abort(new Error(`the answer is larger than ${maxAnswerBytes} bytes`));
          },
          onResponseEnd() {
            usedAtMs = clock.now();
            const { sizeBytes } = body;
            largestBytes = Math.max(largestBytes, sizeBytes);
            // undici frees the connection in the next turn of the event loop. A request before that would open another one.
            process.nextTick(setImmediate, resolve, {
              kind: 'answer',
              status,
              headers: answered,
              body: body.bytes(),
            });
            if (sizeBytes < collectedAnswerBytes) return;
            // After the caller has continued with the answer.
            process.nextTick(setImmediate, setImmediate, collectGarbage, sizeBytes);
          },
          onResponseError(_controller, cause) {
            const refusal = status === 0 ? refusalOf(cause) : undefined;
            resolve({ kind: sent && refusal === undefined ? 'lost' : 'unsent', cause: refusal ?? cause });
          },
        },
      );
    });
  };
}

const DEFAULT_KEEP_ALIVE_MS = 4_000;

/** The most that is reserved for an announced length; beyond it, memory is allocated as data arrives. */
const MOST_RESERVED_BYTES = 64 * 1024 * 1024;

/** An answer without a length is expected to be a little longer than an earlier one: that of the table's previous state. */
function expectedBytes(contentLength: string | string[] | undefined, largestBytes: number): number {
  const said = Number(contentLength);
  return said > 0 ? Math.min(said, MOST_RESERVED_BYTES) : Math.ceil(largestBytes * 1.05);
}

/** @param refusals gets the servers' refusals of our certificate, by the local port of the connection */
async function makeDispatcher(settings: HttpSettings, refusals: Map<number, Error>): Promise<Dispatcher> {
  const { connectTimeoutMs = 5_000, timeoutMs = 30_000, keepAliveMs = DEFAULT_KEEP_ALIVE_MS } = settings;
  const { tls = {}, proxies } = settings;
  const given = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
  const times = {
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connectTimeout: connectTimeoutMs,
    keepAliveTimeout: keepAliveMs,
  };
  const connector = buildConnector({ timeout: connectTimeoutMs, allowH2: false, ...given });
  const connectAnew: buildConnector.connector = (options, callback) =>
    connector(options, (...result) => {
      const [error, socket] = result;
      if (error === null) noteRefusal(socket, refusals);
      callback(...result);
    });
  const connect: buildConnector.connector = (options, callback) => {
    const early = settings.early?.take(`${options.protocol}//${options.host}`);
    if (early === undefined) return connectAnew(options, callback);
    early.then((socket) => (socket === undefined ? connectAnew(options, callback) : callback(null, socket)));
  };
  if (proxies === undefined || `${proxies.https}${proxies.http}` === '') {
    return new Agent({ ...times, allowH2: false, connect });
  }
  for (const [name, proxy] of [
    ['HTTPS_PROXY', proxies.https],
    ['HTTP_PROXY', proxies.http],
  ] as const) {
    if (proxy === '' || /^https?:$/.test(URL.parse(proxy)?.protocol ?? '')) continue;
    throw new RegistrarError('config.invalid', `Cannot use ${name}: it must be an http:// or https:// URL`);
  }
  // The proxy agent's tunnels need the interceptors that undici's index adds to its dispatchers.
  const { EnvHttpProxyAgent } = await import('undici');
  return new EnvHttpProxyAgent({
    ...times,
    allowH2: false,
    connect,
    requestTls: given,
    httpsProxy: proxies.https,
    httpProxy: proxies.http,
    noProxy: proxies.except,
  });
}

const refusedCertificate =
  /^ERR_SSL_\w*ALERT_(CERTIFICATE_\w+|UNKNOWN_CA|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED|HANDSHAKE_FAILURE)$/;

/** Whether the server refused our client certificate or the lack of one. It has read nothing else on this connection. */
export function isRefusedCertificate(cause: Error): boolean {
  return refusedCertificate.test(codeOf(cause));
}

/** Whether sending again may succeed: not if the connection is set up wrongly or the request is invalid. */
export function mayPass(cause: Error): boolean {
  return !/^(UND_ERR_INVALID_ARG|ERR_TLS_|ERR_SSL_|UNABLE_TO_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED|INVALID_(CA|PURPOSE))/.test(
    codeOf(cause),
  );
}

/** `ECONNREFUSED`; empty for an error without a code. */
export function codeOf(cause: Error): string {
  return 'code' in cause ? String(cause.code) : '';
}

/** `ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1`. */
export function faultText(cause: Error): string {
  const code = codeOf(cause);
  return `${code === '' ? '' : `${code}: `}${(cause.message || cause.name).trim()}`;
}

function noteRefusal(socket: Socket, refusals: Map<number, Error>): void {
  const { localPort = -1 } = socket;
  refusals.delete(localPort);
  socket.on('error', (error) => {
    if (isRefusedCertificate(error)) refusals.set(localPort, error);
  });
}
