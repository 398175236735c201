import pLimit from 'p-limit';
import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import type { BucketNotifications, QueueWatch } from '../../ports/setup.ts';
import type { Clock, Log } from '../../ports.ts';
import type { Dataset } from '../../route/layout.ts';
import {
  isNotified,
  notifiedKeys,
  reachesTopic,
  wantedNotification,
  withOwnNotifications,
} from '../bucket-notifications.ts';
import { datasetsOf } from '../datasets/datasets.ts';
import type { EntryPorts } from '../register/register-ports.ts';
import { adviceOf, atMost, type Check } from './check.ts';
import { EVENTS, openFailuresOf } from './open-failures.ts';
import { problemText } from './problem-text.ts';
import { type QueueHealth, queuesHealth, type TableHistory } from './queue-health.ts';
import { type TableHealth, tableHealth } from './table-health.ts';
import { newestOf } from './table-trend.ts';

export interface HealthReport {
  readonly at: string;
  /** One entry per dataset found in the store, in key order. */
  readonly tables: readonly TableHealth[];
  /** The `url`s whose tables are not all known, because their objects could not be listed. */
  readonly unlisted: readonly UnlistedEntry[];
  /** One per `url` and arrivals queue. */
  readonly notifications: readonly NotificationHealth[];
  /** One per configured queue, and one per dead-letter queue of these. */
  readonly queues: readonly QueueHealth[];
  /** One per quarantine, about the events in it that could not be decoded. */
  readonly events: readonly EventsHealth[];
}

export interface UnlistedEntry {
  readonly url: string;
  readonly problem: string;
}

/** The quarantined events, which belong to no table. */
export interface EventsHealth {
  readonly quarantineUrl: string;
  /** Empty if it could not be determined. */
  readonly checks: readonly Check[];
  readonly problem?: string;
}

/** Whether object creations below a prefix are notified to the arrivals queue. */
export interface NotificationHealth {
  readonly bucket: string;
  readonly prefix: string;
  /** Undefined if it could not be determined, as where they go to a topic of SNS. */
  readonly notified: boolean | undefined;
  readonly problem?: string;
}

export interface HealthPorts {
  readonly entries: readonly Entry[];
  readonly portsOf: (entry: Entry) => EntryPorts;
  readonly notificationsOf: (entry: Entry) => Pick<BucketNotifications, 'read'>;
  readonly queueWatch: QueueWatch;
  readonly clock: Clock;
}

export interface HealthOptions {
  /** Whether to keep each table's whole trend, which takes memory for every retained snapshot, or its newest moment only. */
  readonly trends: boolean;
  /** Milliseconds until the report must be there. @default no limit */
  readonly remainingMs?: () => number;
}

const CONCURRENT_TABLES = 8;
/** Time reserved for what is examined after the tables are found. */
const REPORT_MS = 60_000;

/**
 * Examines whether each table is available, fresh and healthy: every table whose dataset is in the store, whether or not the
 * catalog knows it. Only reads. Trouble with one table, or with one entry of several, is part of the answer.
 *
 * @throws `store.unavailable`, `auth.failed` when no entry's objects can be listed
 */
export async function health(
  ports: HealthPorts,
  { trends, remainingMs = () => Number.POSITIVE_INFINITY }: HealthOptions = { trends: true },
): Promise<HealthReport> {
  const limit = pLimit(CONCURRENT_TABLES);
  const looks: Promise<{ readonly entry: Entry; readonly table: TableHealth }>[] = [];
  const errors: unknown[] = [];
  const unlisted: UnlistedEntry[] = [];
  const isOver = () => remainingMs() < REPORT_MS;
  for (const entry of ports.entries) {
    const services = { ...ports.portsOf(entry), clock: ports.clock };
    const look = async (dataset: Dataset) => {
      const table = await tableHealth(dataset, services);
      return { entry, table: trends ? table : { ...table, trend: newestOf(table.trend) } };
    };
    try {
      for await (const dataset of datasetsOf(entry, ports.entries, services.store, isOver))
        looks.push(limit(look, dataset));
    } catch (error) {
      const problem = problemText(error);
      const isTold = unlisted.some((one) => one.url === entry.url && one.problem === problem);
      if (!isTold) unlisted.push({ url: entry.url, problem });
      errors.push(error);
    }
  }
  const [error] = errors;
  if (error !== undefined && errors.length === ports.entries.length) throw error;
  const found = await Promise.all(looks);
  const historiesOf = (wanted: Entry): readonly TableHistory[] =>
    found.flatMap(({ entry, table: { table, historyMs } }) =>
      entry === wanted && historyMs !== undefined ? [{ table, historyMs }] : [],
    );
  const notifications = await Promise.all(
    withOwnNotifications(ports.entries).map((entry) => notificationHealth(entry, ports)),
  );
  return {
    at: new Date(ports.clock.now()).toISOString(),
    tables: found.map(({ table }) => table),
    unlisted,
    notifications: notifications.filter((one) => one !== undefined),
    queues: await queuesHealth(ports.entries, historiesOf, ports.queueWatch),
    events: await eventsHealth(ports),
  };
}

async function eventsHealth({ entries, portsOf }: HealthPorts): Promise<readonly EventsHealth[]> {
  const byQuarantine = new Map(entries.map((entry) => [entry.quarantine_url, entry]));
  return Promise.all(
    [...byQuarantine].map(async ([quarantineUrl, entry]) => {
      try {
        const { count } = await openFailuresOf(portsOf(entry).store, quarantineUrl, EVENTS);
        const advice = 'iceberg-registrar quarantine list: find out who sent them, then discard them';
        return { quarantineUrl, checks: [atMost('undecodable events', count, 0, 'count', advice)] };
      } catch (error) {
        return { quarantineUrl, checks: [], problem: problemText(error) };
      }
    }),
  );
}

async function notificationHealth(
  entry: Entry,
  { notificationsOf }: HealthPorts,
): Promise<NotificationHealth | undefined> {
  const keys = notifiedKeys(entry);
  if (keys === undefined) return undefined;
  const { bucket, prefix } = keys;
  try {
    const wanted = wantedNotification(entry);
    if (wanted === undefined) return undefined;
    const configuration = await notificationsOf(entry).read(bucket);
    if (isNotified(configuration, wanted)) return { bucket, prefix, notified: true };
    if (reachesTopic(configuration, wanted)) return { bucket, prefix, notified: undefined };
    const problem = `bucket "${bucket}" does not notify "${wanted.queueArn}" of "${prefix}": iceberg-registrar init notifications --stage STAGE --apply`;
    return { bucket, prefix, notified: false, problem };
  } catch (error) {
    if (!(error instanceof RegistrarError)) throw error;
    const problem = `not known whether bucket "${bucket}" notifies of "${prefix}": ${error.message} (${error.code})`;
    return { bucket, prefix, notified: undefined, problem };
  }
}

/** Logs one line per table and one for all of them. Alarms and dashboard are made from these. */
export function logHealth({ tables, unlisted, notifications, queues, events }: HealthReport, log: Log): void {
  for (const {
    table,
    available,
    fresh,
    healthy,
    problem,
    checks,
    ageMs,
    historyMs,
    openFailures,
    lost,
  } of tables) {
    if (lost !== undefined) log.error({ event: 'commits-lost', table, ...lost });
    log.info({
      event: 'table-health',
      table,
      available: Number(available),
      fresh: Number(fresh),
      healthy: Number(healthy),
      openFailures,
      ...(ageMs !== undefined && { ageMs }),
      ...(historyMs !== undefined && { historyMs }),
      advice: adviceOf({ problem, checks }),
    });
  }
  for (const { url, problem } of unlisted) log.error({ event: 'entry-unlisted', url, problem });
  for (const one of notifications)
    if (one.problem !== undefined) log.warn({ event: 'notification-missing', ...one });
  for (const queue of queues) logQueue(queue, log);
  for (const { quarantineUrl, checks } of events)
    for (const { ok, value } of checks)
      if (!ok) log.warn({ event: 'events-quarantined', quarantineUrl, count: value });
  const known = tables.filter(({ available }) => available);
  log.info({
    event: 'health',
    tables: tables.length,
    tablesUnavailable: tables.length - known.length + unlisted.length,
    tablesStale: known.filter(({ fresh }) => !fresh).length,
    tablesUnhealthy: known.filter(({ healthy }) => !healthy).length,
    notificationsMissing: notifications.filter(({ notified }) => notified === false).length,
  });
}

function logQueue({ queue, url, messages, oldestMs, checks, shortOf, problem }: QueueHealth, log: Log): void {
  log.info({
    event: 'queue-health',
    queue,
    url,
    ...(messages !== undefined && { messages }),
    ...(oldestMs !== undefined && { oldestMs }),
    advice: adviceOf({ problem, checks }),
  });
  if (shortOf !== undefined) log.warn({ event: 'history-short', queue, oldestMs, ...shortOf });
}
