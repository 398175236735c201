import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type FunctionProcess, startFunction } from '../../local/lambda/function-process.ts';
import { startPoller } from '../../local/poller.ts';
import type { Dice } from '../../local/shipper/dice.ts';
import type { Lake } from './lake.ts';

/** One execution environment, fed from its queue, that is killed at any moment and starts again cold. */
export interface Handler {
  /** Whether an invocation is under way. */
  works(): boolean;
  /** SIGKILL, whatever it is doing; the next invocation waits for its successor. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** The handlers of a deployment: one that routes, four that register. */
export interface Handlers {
  readonly all: readonly Handler[];
  /** The newest receipt of each message that was not acknowledged. */
  readonly failed: FailedMessages;
  stop(): Promise<void>;
}

export type FailedMessages = Map<string, { readonly queueUrl: string; readonly receiptHandle: string }>;

export interface HandlersOptions {
  /** Holds `route/index.mjs` and `register/index.mjs`. */
  readonly bundles: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (text: string) => void;
  /** What an invocation threw instead of answering. */
  readonly onThrown: (error: string) => void;
}

const REGISTER_HANDLERS = 4;
const TIMEOUT_MS = 20_000;

export async function startHandlers(lake: Lake, options: HandlersOptions): Promise<Handlers> {
  const failed: FailedMessages = new Map();
  const start = (name: 'route' | 'register', queueUrl: string): Promise<Handler> =>
    startHandler(lake.sqs, name, queueUrl, options, failed);
  const all = await Promise.all([
    start('route', lake.arrivals),
    ...Array.from({ length: REGISTER_HANDLERS }, () => start('register', lake.registrations)),
  ]);
  return {
    all,
    failed,
    stop: async () => void (await Promise.all(all.map((handler) => handler.stop()))),
  };
}

async function startHandler(
  client: SQSClient,
  name: 'route' | 'register',
  queueUrl: string,
  { bundles, env, onOutput, onThrown }: HandlersOptions,
  failed: FailedMessages,
): Promise<Handler> {
  const start = (): Promise<FunctionProcess> =>
    startFunction(join(bundles, name, 'index.mjs'), env, { timeoutMs: TIMEOUT_MS, onOutput });
  let process = start();
  let works = false;
  await process;
  const invoke = async (event: unknown): Promise<unknown> => {
    const running = await process;
    works = true;
    try {
      return await running.invoke(event);
    } finally {
      works = false;
    }
  };
  const poller = startPoller({
    client,
    queueUrl,
    handler: invoke,
    batchSize: 1_000,
    windowSeconds: name === 'route' ? 1 : 0,
    concurrency: 1,
    timeoutMs: TIMEOUT_MS,
    functionName: name,
    onInvocation: ({ failed: records, error }) => {
      for (const { messageId, receiptHandle } of records) failed.set(messageId, { queueUrl, receiptHandle });
      if (error !== undefined) onThrown(`${name}: ${error}`);
    },
    // A queue that is slow to answer is asked again.
    onError: () => {},
  });
  return {
    works: () => works,
    async kill() {
      const old = await process;
      process = start();
      await old.close();
    },
    async stop() {
      await poller.stop();
      await (await process).close();
    },
  };
}

export interface Kills {
  readonly all: number;
  /** Those that ended an invocation. */
  readonly atWork: number;
}

/** How long a handler that does nothing is waited for, and how far it gets before it is killed. */
const WAIT_FOR_WORK_MS = 3_000;
const MOST_WORK_MS = 400;

/** Kills one handler after another at random, most of them at work, until the signal ends it. */
export async function killAtRandom(
  handlers: readonly Handler[],
  dice: Dice,
  everyMs: number,
  signal: AbortSignal,
): Promise<Kills> {
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  let [all, atWork] = [0, 0];
  for (;;) {
    await pause(dice.integer(everyMs / 2, everyMs * 1.5));
    const victim = handlers[dice.integer(0, handlers.length - 1)];
    for (let ms = 0; ms < WAIT_FOR_WORK_MS && victim?.works() === false && !signal.aborted; ms += 10)
      await pause(10);
    await pause(dice.integer(0, MOST_WORK_MS));
    if (signal.aborted) return { all, atWork };
    all += 1;
    if (victim?.works()) atWork += 1;
    await victim?.kill();
  }
}
