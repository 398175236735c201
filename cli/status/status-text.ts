import { styleText } from 'node:util';
import { counted } from '../../lib/counted.ts';
import { adviceOf, type Check, type Examined } from '../../lib/jobs/health/check.ts';
import type { HealthReport } from '../../lib/jobs/health/health.ts';
import type { QueueHealth } from '../../lib/jobs/health/queue-health.ts';
import type { TableHealth } from '../../lib/jobs/health/table-health.ts';
import { printable } from '../printable.ts';
import { readableAmount } from '../readable-amount.ts';

/** What `status` reports: health, and where there is no dataset, an object that leads to no table: the lake is not just empty then. */
export interface StatusReport extends HealthReport {
  readonly unrouted?: string;
}

/** One line per table with what to do below it, and a summary at the end. Coloured on a terminal only. */
export function statusText(report: StatusReport): string {
  const { at, tables, unlisted, notifications, queues, events } = report;
  const width = Math.max(0, ...tables.map(({ table }) => printable(table).length));
  const good = tables.filter(isGood).length;
  return [
    ...tables.flatMap((table) => [tableLine(table, width), ...pointsOut(table).map((line) => `    ${line}`)]),
    ...unlisted.map(
      ({ url, problem }) => `${printable(url)}  ${mark(false, '', 'UNAVAILABLE')}\n    ${printable(problem)}`,
    ),
    ...notifications.flatMap(({ problem }) => (problem === undefined ? [] : [printable(problem)])),
    ...queues.flatMap(queueLines),
    ...events.flatMap(({ quarantineUrl, checks, problem }) =>
      pointsOut({ checks, problem }).map((line) => `${printable(quarantineUrl)}: ${line}`),
    ),
    tables.length === 0
      ? `${at}  ${noDatasetText(report)}`
      : `${at}  ${counted(tables.length, 'table')}, ${good} available, fresh and healthy`,
  ].join('\n');
}

/** Why there is no table to report on. */
export function noDatasetText({ unrouted }: Pick<StatusReport, 'unrouted'>): string {
  const found = 'no dataset found: no segment lies where url, layout and from of the configuration expect it';
  return unrouted === undefined ? found : `${found}; "${printable(unrouted)}" leads to no table`;
}

/** Whether the table needs no attention. */
export function isGood({ available, fresh, healthy }: TableHealth): boolean {
  return available && fresh && healthy;
}

/**
 * Whether nothing needs attention: no table, no object where no dataset is found, no entry whose objects cannot be listed, no bucket that stopped notifying, no queue
 * where a message waits too long, no event that could not be decoded.
 */
export function isAllGood(report: StatusReport): boolean {
  const { tables, unrouted, unlisted, notifications, queues, events } = report;
  return (
    unrouted === undefined &&
    tables.every(isGood) &&
    unlisted.length === 0 &&
    notifications.every(({ notified }) => notified !== false) &&
    [...queues, ...events].every(({ checks }) => checks.every(({ ok }) => ok))
  );
}

/**
 * `registrations  12 messages, oldest 3.4 min`, or `registrations  unknown`; a queue without messages and without trouble has no
 * line.
 */
function queueLines({ queue, messages, oldestMs, checks, problem }: QueueHealth): readonly string[] {
  const below = pointsOut({ checks, problem });
  if ((messages ?? 0) === 0 && below.length === 0) return [];
  const count = messages === undefined ? 'unknown' : counted(messages, 'message');
  const oldest = oldestMs === undefined ? '' : `, oldest ${readableAmount(oldestMs, 'ms')}`;
  return [`${queue}  ${count}${oldest}`, ...below.map((line) => `    ${line}`)];
}

/** `snapshots: 5,001 (at most 5,000)`: a check and its threshold. */
export function checkText({ measure, value, threshold, atLeast, unit }: Check): string {
  const limit = `${atLeast ? 'at least' : 'at most'} ${readableAmount(threshold, unit)}`;
  return `${measure}: ${readableAmount(value, unit)} (${limit})`;
}

/** `24,000 rows, 12 files, newest 25 s ago, 2.3 s after its upload`, as far as known. */
export function figuresText({ ageMs, lagMs, trend }: TableHealth): string {
  const newest = trend.moments.at(-1);
  return [
    ...(newest?.totalRows === undefined ? [] : [counted(newest.totalRows, 'row')]),
    ...(newest?.totalFiles === undefined ? [] : [counted(newest.totalFiles, 'file')]),
    ...(ageMs === undefined ? [] : [`newest ${readableAmount(ageMs, 'ms')} ago`]),
    ...(lagMs === undefined ? [] : [`${readableAmount(lagMs, 'ms')} after its upload`]),
  ].join(', ');
}

function tableLine(table: TableHealth, width: number): string {
  const { available, fresh, healthy } = table;
  const states = available
    ? [mark(true, 'available'), mark(fresh, 'fresh', 'STALE'), mark(healthy, 'healthy', 'UNHEALTHY')]
    : [mark(false, '', 'UNAVAILABLE')];
  return [printable(table.table).padEnd(width), ...states, figuresText(table)].join('  ').trimEnd();
}

function mark(ok: boolean, good: string, bad = good): string {
  return styleText(ok ? 'green' : 'red', ok ? good : bad);
}

/** What could not be determined, and each failed check with what to do. */
function pointsOut(examined: Examined): readonly string[] {
  // An advice may hold the name of a table.
  return adviceOf(examined, checkText).map(printable);
}
