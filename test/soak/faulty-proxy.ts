import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededDice } from '../../local/shipper/dice.ts';

/** What goes wrong with a request. `before`: the service never sees it. `after`: it has answered, and nobody hears it. */
type Fault =
  | { readonly kind: 'before' | 'after'; readonly answer: 'cut' | '502' }
  /** The client is cut off first, and the service sees the request later: after the client has looked. */
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'slow'; readonly ms: number };

/** How likely each is, as a share of the requests. */
export interface FaultRates {
  readonly before: number;
  readonly after: number;
  readonly late: number;
  readonly slow: number;
}

export interface ProxyOptions {
  readonly target: string;
  /** Draws the faults: the same seed gives the same fault to the same request number, whatever that request is. */
  readonly seed: string;
  /** Asked for every request; undefined lets it pass. */
  readonly ratesOf: (request: { readonly method: string; readonly path: string }) => FaultRates | undefined;
  /** Told of every request, once its end is known. */
  readonly onEnd?: (end: RequestEnd) => void;
  /** Changes the headers of an answer on its way to the client. */
  readonly rewrite?: (path: string, headers: Headers) => Headers;
}

export interface RequestEnd {
  readonly method: string;
  readonly path: string;
  /** The service's answer; undefined when it never saw the request. */
  readonly status: number | undefined;
  /** Whether the client heard the answer. */
  readonly heard: boolean;
}

type Headers = IncomingMessage['headers'];

export interface FaultyProxy {
  readonly url: string;
  /** How many requests met which fault. */
  readonly faults: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** An HTTP proxy that cuts, delays and answers 502, before the service has done its work or after it. The host header stays as it is: signatures hold. */
export async function startFaultyProxy(options: ProxyOptions): Promise<FaultyProxy> {
  const faults = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });
  let requests = 0;

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const [method, path] = [incoming.method ?? 'GET', incoming.url ?? '/'];
    const rates = options.ratesOf({ method, path });
    requests += 1;
    const fault = rates && draw(rates, `${options.seed}/${requests}`);
    if (fault !== undefined) {
      const name = 'answer' in fault ? `${fault.answer} ${fault.kind}` : fault.kind;
      faults.set(name, (faults.get(name) ?? 0) + 1);
    }
    const body = await bytesOf(incoming);
    if (fault?.kind === 'before') {
      options.onEnd?.({ method, path, status: undefined, heard: false });
      return refuse(outgoing, fault.answer);
    }
    if (fault?.kind === 'late') refuse(outgoing, 'cut');
    if (fault?.kind === 'late' || fault?.kind === 'slow') await sleep(fault.ms);

    const answer = await forward(incoming, body);
    const heard = fault === undefined || fault.kind === 'slow';
    options.onEnd?.({ method, path, status: answer.status, heard });
    if (fault?.kind === 'after') return refuse(outgoing, fault.answer);
    if (fault?.kind === 'late') return;
    const headers = options.rewrite?.(path, answer.headers) ?? answer.headers;
    outgoing.writeHead(answer.status, headers).end(answer.body);
  };

  const forward = async (incoming: IncomingMessage, body: Buffer) => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const { 'transfer-encoding': _, connection: __, ...headers } = incoming.headers;
      httpRequest(`${options.target}${incoming.url}`, {
        agent,
        method: incoming.method,
        headers: { ...headers, 'content-length': String(body.length) },
      })
        .once('response', resolve)
        .once('error', reject)
        .end(body);
    });
    const { 'transfer-encoding': _, connection: __, ...headers } = answer.headers;
    return { status: answer.statusCode ?? 502, headers, body: await bytesOf(answer) };
  };

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function draw(rates: FaultRates, seed: string): Fault | undefined {
  const dice = seededDice(seed);
  const answer = dice.pick<'cut' | '502'>(['cut', '502']);
  let at = dice.fraction();
  if (at < rates.before) return { kind: 'before', answer };
  at -= rates.before;
  if (at < rates.after) return { kind: 'after', answer };
  at -= rates.after;
  if (at < rates.late) return { kind: 'late', ms: dice.integer(1, 3_000) };
  at -= rates.late;
  // Most are a moment; one in ten outlasts the visibility of the messages that wait for it.
  if (at < rates.slow) return { kind: 'slow', ms: dice.integer(50, dice.chance(0.1) ? 15_000 : 2_000) };
  return undefined;
}

function refuse(outgoing: ServerResponse, answer: 'cut' | '502'): void {
  if (answer === 'cut') outgoing.socket?.resetAndDestroy();
  else outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>');
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
