import path from 'node:path';
import { parseJson } from '../../lib/spec/json.ts';
import { startFunction } from '../lambda/function-process.ts';
import { startPoller } from '../poller.ts';
import type { Services } from './services.ts';

/** `route` and `register`, each in a process of its own, fed from its queue. */
export interface Functions {
  /** Discards the processes and everything they hold in memory, and starts new ones cold. */
  restart(): Promise<void>;
  /** Lets what is under way finish, then ends the processes. */
  stop(): Promise<void>;
}

export interface FunctionsObserver {
  /** One structured line of a function's log. */
  readonly onRecord: (record: Readonly<Record<string, unknown>>) => void;
  /** What an invocation threw, or a function printed that is no structured line. */
  readonly onTrouble: (text: string) => void;
}

/** Starts both functions from their sources, and what Lambda's event source mappings do for them. */
export async function startFunctions(services: Services, observer: FunctionsObserver): Promise<Functions> {
  const start = () =>
    Promise.all([
      startFed('route', services.arrivals.url, services, observer),
      startFed('register', services.registrations.url, services, observer),
    ]);
  let running = await start();
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((one) => one.stop()));
  };
  return {
    async restart() {
      await stop();
      running = await start();
    },
    stop,
  };
}

async function startFed(
  name: 'route' | 'register',
  queueUrl: string,
  { sqs, environment }: Services,
  { onRecord, onTrouble }: FunctionsObserver,
): Promise<Pick<Functions, 'stop'>> {
  const source = path.join(import.meta.dirname, '..', '..', 'functions', `${name}.ts`);
  const onOutput = wholeLines((line) => {
    if (line.startsWith('{')) onRecord(parseJson(line) as Readonly<Record<string, unknown>>);
    else onTrouble(`${name}: ${line}`);
  });
  const process = await startFunction(source, environment, { onOutput });
  const poller = startPoller({
    client: sqs,
    queueUrl,
    handler: (event) => process.invoke(event),
    batchSize: name === 'route' ? 10_000 : 10,
    windowSeconds: name === 'route' ? 1 : 0,
    concurrency: 1,
    functionName: name,
    onInvocation: ({ error }) => {
      if (error !== undefined) onTrouble(`${name}: ${error}`);
    },
  });
  return {
    async stop() {
      await poller.stop();
      await process.close();
    },
  };
}

/** Calls `onLine` with each line that is whole, of what comes in pieces. */
function wholeLines(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  };
}
