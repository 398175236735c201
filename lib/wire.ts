/**
 * The composition root of functions, command line and local stack, and the one reader of the environment: configuration →
 * drivers → the ports of the jobs. All state of the jobs that outlives an invocation is kept here; drivers keep their own (connections, tokens, ETags, regions).
 */
import pLimit from 'p-limit';
import type { Entry } from './config/entry.ts';
import type { Environment } from './config/overrides.ts';
import { type EarlySockets, earlySockets } from './drivers/early-sockets.ts';
import type { ProxySettings } from './drivers/http.ts';
import { jsonLinesLog, systemClock, systemRandom, systemTimers } from './drivers/platform.ts';
import { quarantineIn } from './drivers/quarantine.ts';
import { type RestCatalog, restCatalog } from './drivers/rest-catalog/rest-catalog.ts';
import { type Rotation, rotatingCatalog, rotatingStore, rotations } from './drivers/rotation.ts';
import { type MakeStore, vendedStore } from './drivers/vended-store.ts';
import { RegistrarError } from './errors.ts';
import type { DoctorPorts } from './jobs/doctor/doctor.ts';
import type { HealthPorts } from './jobs/health/health.ts';
import type { EntryPorts, RegisterPorts } from './jobs/register/register-ports.ts';
import { onceFor, untilItWorks } from './memo.ts';
import type { Clock, Log, Quarantine, Queue, Random, ServiceConfig, Timers, Trace } from './ports.ts';
import { publishingLog } from './report/metrics.ts';
import { untraced } from './report/untraced.ts';
import { readConfig } from './wire/configuration.ts';
import { doctorServices } from './wire/doctor-services.ts';
import {
  bucketNotifications,
  connectStore,
  queueByName,
  queueWatch,
  storeMaker,
} from './wire/platform-services.ts';
import { proxiesOf } from './wire/proxies.ts';

/** The services of every function: configuration, store, queue, quarantine. */
export interface Base {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly trace: Trace;
  readonly entries: readonly Entry[];
  readonly queue: Queue;
  /** The quarantine of the first entry, for messages that name no table. */
  readonly quarantine: Quarantine;
  /** The ports of an entry that need no catalog. */
  readonly servicesOf: (entry: Entry) => Pick<EntryPorts, 'store' | 'quarantine'>;
  /** Stores that share their connections. */
  readonly storeOf: MakeStore;
  /** The entry with its current secrets, which are read again after they were refused. */
  readonly rotationOf: (entry: Entry) => Rotation<Entry>;
}

/** The ports of a container that registers. Built once from the configuration, and warm from then on. */
export interface Wiring extends Base, RegisterPorts {
  /** Connects in advance to the stores and catalogs of all entries, and gets tokens and the catalogs' configuration. */
  readonly connect: () => Promise<void>;
  /** What the catalog of an entry says about itself. */
  readonly catalogConfig: (entry: Entry) => Promise<ServiceConfig>;
}

/** The destination of log lines. A command that prints a JSON object keeps standard output for that. */
type Writer = Pick<NodeJS.WriteStream, 'write'>;

/** Enough that a commit of 1,500 segments waits for 0.7 s of a region's round trips, not 3 s. A batch of one opens one connection. */
const CONCURRENT_FOOTERS = 64;

/** Builds what needs no catalog. @throws `config.invalid` with every problem of the configuration at once */
async function wireBase(
  env: Environment,
  logTo: Writer = process.stdout,
  early?: EarlySockets,
): Promise<Base> {
  const { entries, warnings } = await readConfig(env);
  const [first] = entries;
  if (first === undefined) {
    throw new RegistrarError('config.invalid', 'Cannot start: the configuration has no entry');
  }
  const lines = jsonLinesLog(systemClock, (line) => logTo.write(line));
  const namespace = env['METRICS_NAMESPACE'];
  const log = namespace === undefined ? lines : publishingLog(lines, namespace, systemClock);
  for (const warning of warnings) log.warn({ event: 'config-warning', warning });
  const reread = () => readConfig(env).then((config) => config.entries);
  const rotating = rotations(entries, reread, systemClock, (error) =>
    log.warn({ event: 'secrets-not-read-again', error }),
  );
  const rotationOf = (entry: Entry) =>
    rotating[entries.indexOf(entry)] ?? { now: () => entry, reread: async () => undefined };
  const storeOf = storeMaker(env, early);
  const servicesOf = onceFor((entry: Entry) => {
    const store = rotatingStore(rotationOf(entry), (now) => storeOf(now.store));
    return { store, quarantine: quarantineIn(store, entry.quarantine_url, systemRandom) };
  });
  return {
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    log,
    trace: await traceOf(entries),
    entries,
    queue: queueByName(env),
    storeOf,
    quarantine: servicesOf(first).quarantine,
    servicesOf,
    rotationOf,
  };
}

/** Loads OpenTelemetry only if an entry asks for it. */
async function traceOf(entries: readonly Entry[]): Promise<Trace> {
  if (!entries.some(({ tracing }) => tracing)) return untraced;
  return (await import('./drivers/tracing.ts')).openTelemetryTrace();
}

/** Builds the ports of a registration. @throws `config.invalid` with every problem of the configuration at once */
export async function wire(env: Environment, logTo?: Writer): Promise<Wiring> {
  const early = earlySockets(systemClock);
  const base = await wireBase(env, logTo, early);
  const portsOf = onceFor((entry: Entry) => entryPorts(entry, base, proxiesOf(env)));
  return {
    ...base,
    portsOf,
    connect: async () => {
      for (const entry of base.entries) connectStore(entry, env, early);
      await Promise.all(base.entries.map((entry) => portsOf(entry).connect()));
    },
    catalogConfig: (entry) => portsOf(entry).connect(),
    cache: new Map(),
    footerLimit: pLimit(CONCURRENT_FOOTERS),
  };
}

type ConnectedPorts = EntryPorts & { readonly connect: () => Promise<ServiceConfig> };

function entryPorts(entry: Entry, base: Base, proxies: ProxySettings): ConnectedPorts {
  const services = base.servicesOf(entry);
  const { catalog, call } = rotatingCatalog(base.rotationOf(entry), (now) =>
    restCatalog(now, { ...base, proxies }),
  );
  const connect = () => call((rest) => rest.prepare());
  if (entry.access_delegation === 'none') return { ...services, catalog, connect };
  const credentialFor: RestCatalog['credentialFor'] = (uri, options) =>
    call((rest) => rest.credentialFor(uri, options));
  return {
    ...services,
    catalog,
    connect,
    tableStore: vendedStore(services.store, entry.store, credentialFor, base.storeOf),
  };
}

// Marked as pure, so that a bundle keeps only the one that it uses.
export const warmBase = /* @__PURE__ */ untilItWorks(() => wireBase(process.env));
export const warm = /* @__PURE__ */ untilItWorks(() => wire(process.env));

/** The services that doctor needs in addition to those of a registration. */
export function doctorPorts(wiring: Wiring): DoctorPorts {
  return { ...wiring, ...doctorServices(process.env) };
}

/** The same for the health of all tables of a configuration. */
export function healthPorts(wiring: Wiring): HealthPorts {
  return { ...wiring, notificationsOf: bucketNotifications, queueWatch: queueWatch(process.env) };
}
