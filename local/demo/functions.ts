import path from 'node:path';
import { parseJson } from '../../lib/spec/json.ts';
import { startFunction } from '../lambda/function-process.ts';
import { startPoller } from '../poller.ts';
import { wholeLines } from '../whole-lines.ts';
import type { Services } from './services.ts';

/** `route` and `register`, each in its own process and invoked by its queue. */
export interface Functions {
  /** Ends the processes with everything in their memory, and starts new ones cold. */
  restart(): Promise<void>;
  /** Lets running invocations finish, then ends the processes. */
  stop(): Promise<void>;
}

export interface FunctionsObserver {
  /** One structured line of a function's log. */
  readonly onRecord: (record: Readonly<Record<string, unknown>>) => void;
  /** An error that an invocation threw, or a printed line that is not structured. */
  readonly onTrouble: (text: string) => void;
}

/** Starts both functions from their sources, and pollers in place of Lambda's event source mappings. */
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
