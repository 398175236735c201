import pLimit from 'p-limit';
import type { Entry } from '../../lib/config/entry.ts';
import { quarantineIn } from '../../lib/drivers/quarantine.ts';
import { RegistrarError } from '../../lib/errors.ts';
import { referenceTo } from '../../lib/event/segment-reference.ts';
import { backfill } from '../../lib/jobs/backfill/backfill.ts';
import type { BackfillReport } from '../../lib/jobs/backfill/backfill-report.ts';
import { listedObjects } from '../../lib/jobs/backfill/lake.ts';
import { listFailures } from '../../lib/jobs/quarantine/quarantine-list.ts';
import { redrive } from '../../lib/jobs/quarantine/quarantine-redrive.ts';
import { reconcile } from '../../lib/jobs/reconcile/reconcile.ts';
import type { Reconciliation } from '../../lib/jobs/reconcile/reconcile-report.ts';
import { register } from '../../lib/jobs/register/register.ts';
import { registerMessages } from '../../lib/jobs/register/register-messages.ts';
import { repair } from '../../lib/jobs/repair/repair.ts';
import { planRepair, type RepairAction } from '../../lib/jobs/repair/repair-plan.ts';
import { route } from '../../lib/jobs/route.ts';
import { onceFor } from '../../lib/memo.ts';
import type { Clock, Log, LogRecord, Timers } from '../../lib/ports.ts';
import { untraced } from '../../lib/report/untraced.ts';
import type { Dataset } from '../../lib/route/layout.ts';
import { layoutRouter } from '../../lib/route/layout.ts';
import type { SimCatalog, Writer } from './catalog.ts';
import type { Handler } from './event-source.ts';
import { type Instance, ioOf } from './io.ts';
import { directoryOf, LAKE } from './lake.ts';
import type { SimQueues } from './queues.ts';
import type { DatasetName } from './schedule.ts';
import type { SimStore } from './store.ts';
import type { World } from './world.ts';

export interface Services {
  readonly store: SimStore;
  readonly catalog: SimCatalog;
  readonly queues: SimQueues;
}

export interface Container {
  readonly register: Handler;
  readonly route: Handler;
  /** `quarantine redrive --all`: sends again everything in quarantine. */
  readonly redriveAll: () => Promise<void>;
  /** `reconcile`: compares the store with the table, and sends, registers or reports what is missing. */
  readonly reconcile: (
    dataset: DatasetName,
    missing: 'report' | 'enqueue' | 'register',
  ) => Promise<Reconciliation>;
  /** `repair`: makes a plan and carries it out. */
  readonly repair: (uri: string, action: RepairAction) => Promise<void>;
  readonly backfill: (segmentsACommit: number) => Promise<BackfillReport>;
}

/** A container as `lib/wire.ts` makes it, but with simulated services. The jobs are the real ones. */
export function startContainer(
  world: World,
  { store, catalog, queues }: Services,
  entry: Entry,
  instance: Instance,
  by: Writer = 'registrar',
): Container {
  const io = ioOf(world, instance);
  const random = world.draws(`random/${instance.name}`);
  const stored = store.port(io);
  const entryPorts = {
    store: stored,
    catalog: catalog.port(io, by),
    quarantine: quarantineIn(stored, entry.quarantine_url, random),
  };
  const ports = {
    entries: entriesOf(entry),
    portsOf: () => entryPorts,
    queue: queues.port(io),
    quarantine: entryPorts.quarantine,
    clock: skewedClock(world, instance),
    timers: timersOf(world, instance),
    random,
    log: logOf(world, instance),
    trace: untraced,
    cache: new Map(),
    footerLimit: pLimit(16),
  };
  return {
    register: (event, remainingMs) =>
      registerMessages(event, { ...ports, queueUrl: queues.registrations.url }, remainingMs),
    route: (event) => route(event, ports),
    reconcile: (dataset, action) => {
      const missing = action === 'register' ? register : action;
      const endMs = world.timeline.now() + OPERATOR_MS;
      return reconcile(routingOf(entry, dataset), ports, { missing }, () => endMs - world.timeline.now());
    },
    repair: async (uri, action) => {
      const plan = await planRepair(uri, action, ports);
      const endMs = world.timeline.now() + OPERATOR_MS;
      if (plan.removes > 0) await repair(plan, ports, () => endMs - world.timeline.now());
    },
    backfill: (segmentsACommit) =>
      backfill(({ portsOf }) => listedObjects({ directory: LAKE, entry }, portsOf), ports, {
        segmentsACommit,
      }),
    redriveAll: async () => {
      await redrive(await listFailures(ports), ports);
    },
  };
}

/** One array for all containers of a run, since layouts are parsed once per array. */
const entriesOf = onceFor((entry: Entry): readonly Entry[] => [entry]);

/** The time limit of an operator's or scheduled command. */
const OPERATOR_MS = 15 * 60_000;

function routingOf(entry: Entry, dataset: DatasetName): Dataset {
  const reference = referenceTo(`${directoryOf(dataset)}/any.parquet`);
  const routing = reference && layoutRouter(entriesOf(entry))(reference);
  if (routing?.kind === 'table') return routing;
  throw new TypeError(`"${dataset}" is no dataset of this entry`);
}

function skewedClock(world: World, instance: Instance): Clock {
  const { handlerSkewMs } = world.schedule.settings;
  const skewMs = world.draws(`clock/${instance.name}`).integer(-handlerSkewMs, handlerSkewMs);
  return { now: () => world.timeline.now() + skewMs };
}

function timersOf({ timeline }: World, instance: Instance): Timers {
  return {
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const cancel = timeline.after(ms, () => {
          if (instance.alive) resolve();
        });
        signal?.addEventListener('abort', () => {
          cancel();
          if (instance.alive) resolve();
        });
      }),
  };
}

function logOf(world: World, instance: Instance): Log {
  const say = (record: LogRecord): void => {
    const { event, error } = record;
    const why = error instanceof Error ? `: ${error.message}` : '';
    world.trace(`${instance.name} says ${event}${why}`);
    if (event === 'commits-lost' && !world.schedule.ops.some(({ kind }) => kind === 'restore'))
      world.violate('false alarm', 'commits are said to be lost, and no catalog was restored');
    if (!(error instanceof RegistrarError)) return;
    // A commit on a freshly loaded state is valid; the catalog must not refuse it as a bad request.
    if (error.code === 'catalog.refused' && error.message.includes('"400 '))
      world.violate('I8', error.message);
    if (error.code === 'internal.error') {
      world.violate(
        'internal error',
        `${error.message} ${String((error.cause as Error | undefined)?.stack)}`,
      );
    }
  };
  return { info: say, warn: say, error: say };
}
