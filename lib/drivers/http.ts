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
  /** Path and query, encoded; nothing normalises it. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export type HttpExchange =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: Buffer;
    }
  /** No connection was made (refused, unknown host, a certificate that either side does not trust): the server has seen nothing. */
  | { readonly kind: 'unsent'; readonly cause: Error }
  /** Handed to a connection, and no complete answer came back: what the server did is unknown. */
  | { readonly kind: 'lost'; readonly cause: Error };

/** Sends one request once. */
export type SendHttp = (request: HttpRequest) => Promise<HttpExchange>;

/** How TLS is spoken to a server: PEM texts, all of them optional. */
export interface TlsSettings {
  /** Replace the platform's roots. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Name to ask for and to expect in the certificate, instead of the URI's. */
  readonly servername?: string | undefined;
}

/** The proxies of `HTTPS_PROXY`, `HTTP_PROXY` and what `NO_PROXY` exempts; empty: none. */
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
  /** How long a connection without requests is kept. @default 4_000 */
  readonly keepAliveMs?: number;
  /** Measures how long connections had no requests, also while the process was frozen. @default the machine's own */
  readonly clock?: Clock;
  /** Of an answer's body: what is longer is no answer. @default 256 MiB */
  readonly maxAnswerBytes?: number;
  /** What an answer of this size leaves behind is collected. @default 1 MiB, a table's metadata at more than a thousand snapshots */
  readonly collectedAnswerBytes?: number;
  readonly tls?: TlsSettings;
  readonly proxies?: ProxySettings | undefined;
  /** What was connected already. */
  readonly early?: EarlySockets | undefined;
}

/**
 * HTTP/1.1 over kept connections, each request sent at most once: no redirect is followed and nothing is repeated here
 * (I7, F10). A connection must stand within `connectTimeoutMs`; head and each part of the body must come within `timeoutMs`.
 */
export function httpSender(settings: HttpSettings = {}): SendHttp {
  const { maxAnswerBytes = 256 * 1024 * 1024, collectedAnswerBytes = 1024 * 1024 } = settings;
  const { clock = systemClock, keepAliveMs = DEFAULT_KEEP_ALIVE_MS } = settings;
  const refusals = new Map<number, Error>();
  let making: Promise<Dispatcher> | undefined;
  let usedAtMs = clock.now();
  let largestBytes = 0;

  /** A refused client certificate is reported as a lost connection under TLS 1.3, although the server has read nothing. */
  function refusalOf(cause: Error): Error | undefined {
    const { localPort = -1 } = ((cause as { socket?: unknown }).socket ?? {}) as { localPort?: number };
    const refusal = refusals.get(localPort);
    refusals.delete(localPort);
    return refusal;
  }

  /** Timers stand still while a container is frozen, and so does undici's own limit: the servers have closed its connections since. */
  function dropIdleConnections(): void {
    const idleMs = clock.now() - usedAtMs;
    usedAtMs = clock.now();
    if (idleMs <= keepAliveMs || making === undefined) return;
    // Requests that still wait for their answers get them; then the dispatcher ends.
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
      /** Made when the answer begins: what is made with the request outlives minor collections, and large answers with it. */
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
            // The connection is free for the next request only after what undici puts off till the next turn: before, another is opened.
            process.nextTick(setImmediate, resolve, {
              kind: 'answer',
              status,
              headers: answered,
              body: body.bytes(),
            });
            if (sizeBytes < collectedAnswerBytes) return;
            // Once whoever waited for the answer has gone on.
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

/** Reserved for an answer that says how long it is; claims beyond are believed as they come true. */
const MOST_RESERVED_BYTES = 64 * 1024 * 1024;

/** Where an answer does not say its length, it may be as long as another before, which the next state of a table is a little longer than. */
function expectedBytes(contentLength: string | string[] | undefined, largestBytes: number): number {
  const said = Number(contentLength);
  return said > 0 ? Math.min(said, MOST_RESERVED_BYTES) : Math.ceil(largestBytes * 1.05);
}

/** `refusals` gets what servers said of our certificate, by the port that the connection went out from. */
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
  // Its tunnels need what undici's index does to its dispatchers.
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

/** Whether the server refused our certificate, or that there was none: it has read nothing else of this connection. */
export function isRefusedCertificate(cause: Error): boolean {
  return refusedCertificate.test(codeOf(cause));
}

/** Whether a later sending may fare better: not where the set-up of the connection is wrong, or the request is none. */
export function mayPass(cause: Error): boolean {
  return !/^(UND_ERR_INVALID_ARG|ERR_TLS_|ERR_SSL_|UNABLE_TO_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED|INVALID_(CA|PURPOSE))/.test(
    codeOf(cause),
  );
}

/** `ECONNREFUSED`; empty for an error without one. */
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
