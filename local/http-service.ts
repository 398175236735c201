import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a local service, with its path undecoded and its complete body. */
export interface HttpRequest {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** Aborted when the client disconnects before the answer. */
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A simulated fault: `answer` replaces that of the service, before or after the request takes effect. */
export interface Fault {
  readonly when: 'before' | 'after';
  readonly answer: HttpResponse | 'reset';
}

/** Called with every request, and so also able to count them. Returns a fault or undefined. */
export type OnRequest = (request: HttpRequest) => Fault | undefined | Promise<Fault | undefined>;

export interface HttpService {
  /** `http://127.0.0.1:49152`, without a slash at its end. */
  readonly url: string;
  /** Closes all open connections, and resolves when the port is free. */
  close(): Promise<void>;
}

/** Serves `handle` on 127.0.0.1, on a free port. An error that it throws becomes a 500 with its message. */
export async function startHttpService(
  handle: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>,
  options: { readonly onRequest?: OnRequest } = {},
): Promise<HttpService> {
  const answer = async (request: HttpRequest): Promise<HttpResponse | 'reset'> => {
    const fault = await options.onRequest?.(request);
    if (fault?.when === 'before') return fault.answer;
    const answered = await handle(request);
    return fault?.answer ?? answered;
  };
  const server = createServer(async (incoming, outgoing) => {
    try {
      send(outgoing, await answer(await receive(incoming, outgoing)));
    } catch (error) {
      send(outgoing, { status: 500, body: error instanceof Error ? `${error.stack}` : String(error) });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<HttpRequest> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const target = incoming.url ?? '/';
  const mark = target.indexOf('?');
  return {
    method: incoming.method ?? 'GET',
    path: mark === -1 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? '' : target.slice(mark)),
    headers: incoming.headers as Record<string, string | undefined>,
    body: Buffer.concat(chunks),
    signal: gone.signal,
  };
}

function send(outgoing: ServerResponse, answer: HttpResponse | 'reset'): void {
  if (answer === 'reset') {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  const body = answer.body ?? '';
  const headers: Record<string, string> = { ...answer.headers };
  const bodyless = answer.status === 204 || answer.status === 304;
  if (!bodyless) headers['content-length'] ??= String(Buffer.byteLength(body));
  outgoing.writeHead(answer.status, headers).end(bodyless ? undefined : body);
}
