import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * A function in a separate process behind a small Runtime API. Like one execution environment of Lambda, it starts cold, stays warm between
 * invocations, and is discarded by `close`.
 */
export interface FunctionProcess {
  invoke(event: unknown): Promise<unknown>;
  close(): Promise<void>;
}

interface Invocation {
  readonly id: string;
  readonly event: unknown;
  readonly deadlineMs: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts `node bootstrap.mjs <modulePath> handler` with only this environment.
 *
 * @param modulePath a built bundle (`dist/register/index.mjs`) or a source file (`functions/register.ts`)
 */
export async function startFunction(
  modulePath: string,
  env: Readonly<Record<string, string>>,
  options: { readonly timeoutMs?: number; readonly onOutput?: (text: string) => void } = {},
): Promise<FunctionProcess> {
  const timeoutMs = options.timeoutMs ?? 60_000;
  const queued: Invocation[] = [];
  const running = new Map<string, Invocation>();
  let waiting: ServerResponse | undefined;
  let ended: Error | undefined;

  const dispatch = (): void => {
    const invocation = waiting === undefined ? undefined : queued.shift();
    if (waiting === undefined || invocation === undefined) return;
    running.set(invocation.id, invocation);
    waiting.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': invocation.id,
      'lambda-runtime-deadline-ms': String(invocation.deadlineMs),
    });
    waiting.end(JSON.stringify(invocation.event));
    waiting = undefined;
  };
  const fail = (error: Error): void => {
    ended ??= error;
    for (const one of [...running.values(), ...queued.splice(0)]) one.reject(error);
    running.clear();
  };

  const server = createServer(async (request, response) => {
    const url = request.url ?? '';
    if (url.endsWith('/invocation/next')) {
      waiting = response;
      dispatch();
      return;
    }
    const body: unknown = JSON.parse(await text(request));
    response.writeHead(202).end();
    if (url.endsWith('/init/error')) return fail(asError(body));
    const [, id = '', end] = /\/invocation\/([^/]+)\/(response|error)$/.exec(url) ?? [];
    const invocation = running.get(id);
    running.delete(id);
    if (end === 'response') invocation?.resolve(body);
    else invocation?.reject(asError(body));
  });
  await listen(server);

  const bootstrap = path.join(import.meta.dirname, 'bootstrap.mjs');
  const child = spawn(process.execPath, [bootstrap, modulePath, 'handler'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ...env,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_LAMBDA_FUNCTION_NAME: path.basename(modulePath),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, so that Ctrl-C reaches only the command, which ends it. Without its Runtime API it ends by itself.
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => options.onOutput?.(chunk));
  }
  child.on('exit', (code) => fail(new Error(`Function "${modulePath}" ended with exit code ${code}`)));

  return {
    invoke: (event) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        queued.push({ id: randomUUID(), event, deadlineMs: Date.now() + timeoutMs, resolve, reject });
        dispatch();
      }),
    close: async () => {
      await endProcess(child);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function asError(body: unknown): Error {
  const { errorType, errorMessage } = body as { errorType?: string; errorMessage?: string };
  return Object.assign(new Error(errorMessage ?? 'unknown error'), { name: errorType ?? 'Error' });
}
