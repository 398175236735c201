import Agent from 'undici/lib/dispatcher/agent.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly origin: string;
  /** Path and query, encoded; nothing normalises it. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type HttpExchange =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: string;
    }
  /** No connection was made (refused, unknown host, untrusted certificate): the server has seen nothing. */
  | { readonly kind: 'unsent'; readonly cause: Error }
  /** Handed to a connection, and no complete answer came back: what the server did is unknown. */
  | { readonly kind: 'lost'; readonly cause: Error };

/** Sends one request once. */
export type SendHttp = (request: HttpRequest) => Promise<HttpExchange>;

/**
 * HTTP/1.1 over kept connections, each request sent at most once: no redirect is followed and nothing is repeated here
 * (I7). A connection must stand within `connectTimeoutMs`; head and each part of the body must come within `timeoutMs`.
 */
export function httpSender({ connectTimeoutMs = 5_000, timeoutMs = 30_000 } = {}): SendHttp {
  const agent = new Agent({
    allowH2: false,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });

  return (request) =>
    new Promise((resolve) => {
      let sent = false;
      let status = 0;
      let answered: Readonly<Record<string, string | string[] | undefined>> = {};
      const chunks: Buffer[] = [];
      agent.dispatch(
        { ...request, body: request.body ?? null },
        {
          onRequestStart() {
            sent = true;
          },
          onResponseStart(_controller, statusCode, headers) {
            status = statusCode;
            answered = headers;
          },
          onResponseData(_controller, chunk) {
            chunks.push(chunk);
          },
          onResponseEnd() {
            const body = Buffer.concat(chunks).toString();
            // The connection is free for the next request a turn later; asked before, undici opens another.
            setImmediate(() => setImmediate(resolve, { kind: 'answer', status, headers: answered, body }));
          },
          onResponseError(_controller, cause) {
            resolve({ kind: sent ? 'lost' : 'unsent', cause });
          },
        },
      );
    });
}
