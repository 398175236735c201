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
import { registerCloudEvent } from './jobs/cloud-event.ts';
import type { DoctorPorts } from './jobs/doctor/doctor.ts';
import {
  type DoctorAnswer,
  type DoctorRequest,
  doctorAnswer,
  isDoctorRequest,
} from './jobs/doctor/doctor-request.ts';
import { type HealthOptions, type HealthReport, health, logHealth } from './jobs/health/health.ts';
import { type PullAnswer, pull } from './jobs/pull.ts';
import { type ReconcileAnswer, reconcileRequest } from './jobs/reconcile/reconcile-event.ts';
import { registerMessages } from './jobs/register/register-messages.ts';
import type { EntryPorts, RegisterPorts } from './jobs/register/register-ports.ts';
import { sourceQueue } from './jobs/registrations-queue.ts';
import { route } from './jobs/route.ts';
import { traceBatch } from './jobs/trace-batch.ts';
import { onceFor, untilItWorks } from './memo.ts';
import type {
  BucketNotifications,
  Clock,
  Log,
  Quarantine,
  Queue,
  QueueWatch,
  Random,
  ServiceConfig,
  Store,
  Timers,
  Trace,
} from './ports.ts';
import type { BatchResponse } from './report/batch-response.ts';
import { publishingLog } from './report/metrics.ts';
import { untraced } from './report/untraced.ts';
import { readConfig } from './wire/configuration.ts';
import { doctorServices } from './wire/doctor-services.ts';
import { connectStore, queueByName, queueSetup, storeMaker, storeOfName } from './wire/platform-services.ts';
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
  readonly servicesOf: (entry: Entry) => Pick<EntryPorts, 'store' | 'quarantine'>;
  /** Stores that share their connections. */
  readonly storeOf: MakeStore;
  /** The entry with its current secrets, which are read again after they were refused. */
  readonly rotationOf: (entry: Entry) => Rotation<Entry>;
}

/** The ports of a container that registers. Built once from the configuration, and warm from then on. */
export interface Wiring extends Base, RegisterPorts {
  readonly trace: Trace;
  /** Connects in advance to the stores and catalogs of all entries, and gets tokens and the catalogs' configuration. */
  readonly connect: () => Promise<void>;
  /** What the catalog of an entry says about itself. */
  readonly catalogConfig: (entry: Entry) => Promise<ServiceConfig>;
}

/** The part of Lambda's context that tells the remaining time. */
export interface InvocationContext {
  readonly getRemainingTimeInMillis: () => number;
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

/** Reads a file that is named on the command line: an object, with the credentials of the environment, or a local file. */
export function sourceStore(name: string): Pick<Store, 'read'> {
  return storeOfName(name, process.env);
}

// Marked as pure, so that a bundle keeps only the one that it uses.
const warmBase = /* @__PURE__ */ untilItWorks(() => wireBase(process.env));
const warm = /* @__PURE__ */ untilItWorks(() => wire(process.env));

/** Starts, during a function's initialisation, what its first invocation needs. After a failure the invocation tries again and reports it. */
export function connectEarly(): void {
  warm()
    .then((wiring) => wiring.connect())
    .catch(() => undefined);
}

/** The same for the router: its configuration, and the queue driver that every batch needs. */
export function loadEarly(): void {
  Promise.all([warmBase(), import('./drivers/sqs.ts')]).catch(() => undefined);
}

/** The job of `functions/register.ts`. */
export async function registerEvent(event: unknown, context: InvocationContext): Promise<BatchResponse> {
  const wiring = await warm();
  return traceBatch('register', event, wiring.trace, () =>
    registerMessages(event, { ...wiring, queueUrl: sourceQueue(event, wiring.entries) }, () =>
      context.getRemainingTimeInMillis(),
    ),
  );
}

/** The job of `functions/reconcile.ts`. */
export async function reconcileEvent(event: unknown, context: InvocationContext): Promise<ReconcileAnswer> {
  const wiring = await warm();
  return wiring.trace({ name: 'reconcile' }, () =>
    reconcileRequest(event, wiring, () => context.getRemainingTimeInMillis()),
  );
}

/** The job of `functions/health.ts`. For a request of `doctor --deployed` it runs doctor's checks instead. */
export async function healthEvent(
  event?: unknown,
  context?: InvocationContext,
): Promise<DoctorAnswer | undefined> {
  const wiring = await warm();
  if (isDoctorRequest(event)) {
    const { answerDoctor } = await import('./jobs/doctor/answer-doctor.ts');
    return answerDoctor(event, doctorPorts(wiring));
  }
  logHealth(
    await wiring.trace({ name: 'health' }, () =>
      lookAtHealth(wiring, {
        trends: false,
        ...(context && { remainingMs: () => context.getRemainingTimeInMillis() }),
      }),
    ),
    wiring.log,
  );
  return undefined;
}

/** The services that doctor needs in addition to those of a registration. */
export function doctorPorts(wiring: Wiring): DoctorPorts {
  return { ...wiring, ...doctorServices(process.env), notificationsOf: bucketNotifications };
}

/** The checks of a deployed health function. @throws `config.invalid`, `auth.failed`, `internal.error` */
export async function askDeployed(
  functionName: string,
  request: DoctorRequest,
  env: Environment,
): Promise<DoctorAnswer> {
  const region =
    /^arn:[^:]*:lambda:([^:]+):/.exec(functionName)?.[1] ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  if (region === undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot ask the function "${functionName}": in which region is it? Set AWS_REGION, or name its ARN`,
    );
  }
  const { invokeFunction } = await import('./drivers/lambda.ts');
  const settings = { region, endpoint: env['AWS_ENDPOINT_URL_LAMBDA'] };
  const answer = doctorAnswer(await invokeFunction(functionName, request, settings, systemClock));
  if (answer !== undefined) return answer;
  throw new RegistrarError(
    'config.invalid',
    `Cannot ask the function "${functionName}": it does not know doctor; name the health function, of this release or a newer one`,
  );
}

/** The services for the health of all tables of a configuration, and for the notifications of its buckets. */
export function lookAtHealth(wiring: Wiring, options: HealthOptions): Promise<HealthReport> {
  const services = { notificationsOf: bucketNotifications, queueWatch: queueWatch(process.env) };
  return health({ ...wiring, ...services }, options);
}

/** The backlog of SQS queues, with ages if CloudWatch knows them. */
function queueWatch(env: Environment): QueueWatch {
  const settings = { endpoint: env['AWS_ENDPOINT_URL_CLOUDWATCH'] };
  return {
    count: queueSetup,
    ages: async (urls) =>
      (await import('./drivers/queue-ages.ts')).oldestMessageAges(urls, settings, systemClock),
  };
}

/** The notification configuration of an entry's bucket. */
export function bucketNotifications({ store }: Entry): BucketNotifications {
  const load = async () => (await import('./drivers/bucket-notifications.ts')).s3Notifications(store);
  return {
    read: async (bucket) => (await load()).read(bucket),
    write: async (bucket, configuration) => (await load()).write(bucket, configuration),
  };
}

/** The job of `functions/route.ts`. */
export async function routeEvent(event: unknown): Promise<BatchResponse> {
  const base = await warmBase();
  return traceBatch('route', event, base.trace, () => route(event, base));
}

/** The jobs of `functions/cloud-event.ts`: an event of Eventarc … */
export async function cloudEventArrived(event: unknown): Promise<void> {
  const wiring = await warm();
  await wiring.trace({ name: 'register', traceHeaders: [] }, () =>
    registerCloudEvent(event, wiring, googleTime()),
  );
}

/** … and `{"subscription"}`, on a schedule. */
export async function pullRequested(request: unknown): Promise<PullAnswer> {
  const wiring = await warm();
  return wiring.trace({ name: 'pull', traceHeaders: [] }, async (add) => {
    const answer = await pull(request, wiring, googleTime());
    add({
      'iceberg-registrar.messages': answer.messages,
      'iceberg-registrar.messages-failed': answer.failed,
    });
    return answer;
  });
}

/** Google does not tell a function its remaining time. Our deployments have a timeout of at least 300 s. */
function googleTime(): () => number {
  const endMs = systemClock.now() + 240_000;
  return () => endMs - systemClock.now();
}
