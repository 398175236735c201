import path from 'node:path';
import { parseJson } from '../../lib/spec/json.ts';
import { startFunction } from '../lambda/function-process.ts';
import { startPoller } from '../poller.ts';
import type { Services } from './services.ts';

/** `route` and `register`, each in a process of its own, fed from its queue. */
export interface Functions {
  /** Lets what is under way finish, then throws the processes away with all they hold in memory. */
  stop(): Promise<void>;
}

export interface FunctionsObserver {
  /** One structured line of a function's log. */
  readonly onRecord: (record: Readonly<Record<string, unknown>>) => void;
  /** What an invocation threw, or a function printed that is no structured line. */
  readonly onTrouble: (text: string) => void;
}

/** Starts both functions cold, from their sources, and what Lambda's event source mappings do for them. */
export async function startFunctions(services: Services, observer: FunctionsObserver): Promise<Functions> {
  const [route, register] = await Promise.all([
    startOne('route', services.arrivals.url, services, observer),
    startOne('register', services.registrations.url, services, observer),
  ]);
  return {
    async stop() {
      await route.stop();
      await register.stop();
    },
  };
}

async function startOne(
  name: 'route' | 'register',
  queueUrl: string,
  { sqs, environment }: Services,
  { onRecord, onTrouble }: FunctionsObserver,
): Promise<Functions> {
  const source = path.join(import.meta.dirname, '..', '..', 'functions', `${name}.ts`);
  const onOutput = lines((line) => {
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

/** Calls `onLine` with each whole line of what comes in pieces. */
function lines(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const whole = `${rest}${text}`.split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) if (line !== '') onLine(line);
  };
}
