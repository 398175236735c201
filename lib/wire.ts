/**
 * The composition root of functions, command line and local stack, and the one reader of the environment: configuration →
 * drivers → the ports of the jobs. What outlives an invocation is kept here and nowhere else.
 */
import { readFile } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { Entry } from './config/entry.ts';
import { type Config, loadConfig } from './config/load-config.ts';
import type { Environment } from './config/overrides.ts';
import { fileStore } from './drivers/file-store.ts';
import { jsonLinesLog, systemClock, systemRandom, systemTimers } from './drivers/platform.ts';
import { quarantineIn } from './drivers/quarantine.ts';
import { restCatalog } from './drivers/rest-catalog/rest-catalog.ts';
import { s3Store } from './drivers/s3.ts';
import { readSecret } from './drivers/secrets.ts';
import { sqsQueue } from './drivers/sqs.ts';
import { RegistrarError } from './errors.ts';
import type { EntryPorts, RegisterPorts } from './jobs/register.ts';
import { type BatchResponse, registerMessages } from './jobs/register-messages.ts';
import { route } from './jobs/route.ts';
import type { Queue, Store } from './ports.ts';

/** The ports of one container: built once from configuration, warm from then on. */
export interface Wiring extends RegisterPorts {
  readonly queue: Queue;
  readonly quarantine: EntryPorts['quarantine'];
}

/** What Lambda tells a handler of its time. */
export interface InvocationContext {
  readonly getRemainingTimeInMillis: () => number;
}

const CONCURRENT_FOOTERS = 16;

/** Builds the ports. @throws `config.invalid` with every problem of the configuration at once */
export async function wire(env: Environment): Promise<Wiring> {
  const platform = { clock: systemClock, timers: systemTimers, random: systemRandom };
  const { entries, warnings } = await readConfig(env);
  const [first] = entries;
  if (first === undefined)
    throw new RegistrarError('config.invalid', 'Cannot start: the configuration has no entry');
  const log = jsonLinesLog(systemClock, (line) => process.stdout.write(line));
  for (const warning of warnings) log.warn({ event: 'config-warning', warning });

  const ports = new Map<Entry, EntryPorts>();
  const portsOf = (entry: Entry): EntryPorts => {
    let known = ports.get(entry);
    if (known === undefined) {
      const store = s3Store(entry.store);
      known = {
        store,
        catalog: restCatalog(entry, platform),
        quarantine: quarantineIn(store, entry.quarantine_url, systemRandom),
      };
      ports.set(entry, known);
    }
    return known;
  };
  return {
    ...platform,
    entries,
    portsOf,
    queue: sqsQueue(),
    quarantine: portsOf(first).quarantine,
    log,
    cache: new Map(),
    footerLimit: pLimit(CONCURRENT_FOOTERS),
  };
}

/** The validated configuration that `REGISTRAR_CONFIG` and its overrides name. @throws `config.invalid` */
export function readConfig(env: Environment): Promise<Config> {
  return loadConfig(env, {
    readFile: (path) => readFile(path, 'utf8'),
    readObject: async (uri) => {
      const read = await s3Store({}).read(uri);
      if (read.kind === 'object') return Buffer.from(read.bytes).toString('utf8');
      throw new RegistrarError('config.invalid', `the store says ${read.kind}`);
    },
    resolveSecret: readSecret,
  });
}

/** What reads a file named on the command line: an object with the environment's own credentials, or a local file. */
export function sourceStore(name: string): Pick<Store, 'read'> {
  return name.startsWith('s3://') ? s3Store({}) : fileStore();
}

/** The job of `functions/register.ts`. */
export async function registerEvent(event: unknown, context: InvocationContext): Promise<BatchResponse> {
  const wiring = await warm();
  return registerMessages(event, { ...wiring, queueUrl: wiring.entries[0]?.queues.registrations }, () =>
    context.getRemainingTimeInMillis(),
  );
}

/** The job of `functions/route.ts`. */
export async function routeEvent(event: unknown): Promise<BatchResponse> {
  return route(event, await warm());
}

let container: Promise<Wiring> | undefined;

/** The container's wiring; a start that failed is tried again by the next invocation. */
function warm(): Promise<Wiring> {
  container ??= wire(process.env).catch((error: unknown) => {
    container = undefined;
    throw error;
  });
  return container;
}
