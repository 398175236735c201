import type { Reconciliation } from '../../lib/jobs/reconcile/reconcile-report.ts';
import { simCatalog } from './catalog.ts';
import { commitInvariants } from './commit-invariants.ts';
import type { Contents } from './contents.ts';
import { startEventSource } from './event-source.ts';
import type { Fault } from './faults.ts';
import { foreignTables } from './foreign-tables.ts';
import { type Services, startContainer } from './functions.ts';
import { createHistory } from './history.ts';
import type { Instance } from './io.ts';
import { entryOf, tableOf } from './lake.ts';
import { create } from './maintenance.ts';
import { checkMissing } from './missing-invariant.ts';
import { operations } from './operations.ts';
import { quarantineLog } from './quarantine-log.ts';
import { simQueues } from './queues.ts';
import { datasetsOf, type Schedule } from './schedule.ts';
import { segmentInvariants } from './segment-invariants.ts';
import { shipperOf } from './shipper.ts';
import { simStore } from './store.ts';
import { tableFiles } from './table-files.ts';
import { createWorld } from './world.ts';

export interface Outcome {
  readonly violations: readonly string[];
  /** The faults that occurred. The schedule with this list in place of `drawn` is the same run. */
  readonly faults: readonly Fault[];
  /** Every step, one per line, if the run is traced. */
  readonly lines: readonly string[];
  readonly commits: number;
}

/** How long after the last operation faults still occur. */
const CALM_AFTER_MS = 30 * 60_000;
/** More than any run needs until its queues are empty. */
const MAX_EVENTS = 20_000;
const MAX_REDRIVES = 8;
/** Reconcile skips objects younger than an hour, by a clock that may be slow. */
const BEYOND_GRACE_MS = 2 * 3_600_000;

/** Runs the real jobs through a schedule until all queues are empty, and reports the invariants that did not hold. */
export async function simulate(
  schedule: Schedule,
  contents: Contents,
  options: { readonly traced?: boolean } = {},
): Promise<Outcome> {
  const world = createWorld(schedule, contents, options.traced ?? false);
  const { timeline } = world;
  const { settings } = schedule;
  const history = createHistory(timeline.now);
  const store = simStore(
    () => timeline.now() + settings.storeSkewMs,
    (uri) => world.violate('I1', `${uri} is overwritten`),
  );
  const files = tableFiles(store);
  const atCommits = commitInvariants(world, history, files);
  let commits = 0;
  const catalog = simCatalog({
    store,
    now: timeline.now,
    uuid: world.draws('catalog').uuid,
    endpoints: settings.endpoints,
    changed: (change) => {
      commits += 1;
      world.trace(`${change.by} changed ${change.table.name}`);
      atCommits.changed(change);
    },
  });
  const queues = simQueues(world);
  const services: Services = { store, catalog, queues };
  const entry = entryOf(settings, queues.registrations.url);
  const atSegments = segmentInvariants(world, history, quarantineLog(store), queues);

  const wakeRouter = startEventSource(world, {
    name: 'route',
    queues,
    queue: queues.arrivals,
    batchSize: 100,
    windowMs: settings.windowMs,
    maxInstances: 2,
    timeoutMs: 60_000,
    start: (instance) => startContainer(world, services, entry, instance).route,
    answered: atSegments.routed,
  });
  const wakeRegister = startEventSource(world, {
    name: 'register',
    queues,
    queue: queues.registrations,
    batchSize: 10,
    windowMs: 0,
    maxInstances: settings.handlers,
    timeoutMs: settings.timeoutMs,
    start: (instance) => startContainer(world, services, entry, instance).register,
    answered: atSegments.registered,
  });
  queues.onChange = (queue, afterMs) => (queue === queues.arrivals ? wakeRouter : wakeRegister)(afterMs);

  const shipper = shipperOf(world, store, queues, history);
  const tables = foreignTables(world, services, history, files, shipper.wrote);
  const perform = operations(world, services, entry, history, shipper, tables, atCommits.dropped);
  if (settings.precreated !== 'none') {
    for (const dataset of datasetsOf(schedule)) create(tables, dataset, settings.precreated);
  }
  for (const op of schedule.ops) timeline.after(op.atMs, () => perform(op));
  timeline.after((schedule.ops.at(-1)?.atMs ?? 0) + CALM_AFTER_MS, () => {
    world.calm = true;
    world.trace('calm');
  });

  async function comeToRest(): Promise<void> {
    let rested = await timeline.run(MAX_EVENTS);
    for (let redrives = 0; rested && redrives < MAX_REDRIVES && queues.redrive() > 0; redrives += 1) {
      rested = await timeline.run(MAX_EVENTS);
    }
    if (!rested) world.violate('liveness', `not at rest after ${MAX_EVENTS} events`);
  }

  async function reconcileAll(missing: 'enqueue' | 'report'): Promise<readonly Reconciliation[]> {
    const reports: Reconciliation[] = [];
    for (const dataset of datasetsOf(schedule)) {
      const metadata = catalog.table(tableOf(dataset))?.metadata;
      if (metadata === undefined) continue;
      const operator: Instance = {
        name: `reconcile-${dataset}-${missing}`,
        alive: true,
        kill: () => undefined,
      };
      startContainer(world, services, entry, operator)
        .reconcile(dataset, missing)
        .then((report) => {
          reports.push(report);
          checkMissing(world, history, files, metadata, report);
        })
        .catch((error: unknown) => world.violate('I9', `cannot reconcile ${dataset}: ${String(error)}`));
    }
    await comeToRest();
    return reports;
  }

  await comeToRest();
  atSegments.atRest();
  timeline.after(BEYOND_GRACE_MS, () => world.trace('reconcile'));
  await comeToRest();
  const found = await reconcileAll('enqueue');
  // If the first reconcile sent nothing, a second one would report the same.
  const isChanged = found.some(({ done }) => Object.keys(done).length > 0);
  atSegments.reconciled(isChanged ? await reconcileAll('report') : found);
  return { violations: world.violations, faults: world.faults.fired, lines: world.lines, commits };
}

/** Whether a schedule violates the same invariant as `first`, in whatever words. */
export async function violatesAs(
  first: string | undefined,
  schedule: Schedule,
  contents: Contents,
): Promise<boolean> {
  const { violations } = await simulate(schedule, contents);
  return violations.some((violation) => invariantOf(violation) === invariantOf(first ?? ''));
}

function invariantOf(violation: string): string {
  return violation.slice(0, violation.indexOf(':'));
}
