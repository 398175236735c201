import { counted } from '../../lib/counted.ts';
import { adviceOf, type Check, type Examined, type Unit } from '../../lib/jobs/health/check.ts';
import type { NotificationHealth } from '../../lib/jobs/health/health.ts';
import type { QueueHealth } from '../../lib/jobs/health/queue-health.ts';
import type { TableHealth } from '../../lib/jobs/health/table-health.ts';
import type { Moment } from '../../lib/jobs/health/table-trend.ts';
import { printable } from '../printable.ts';
import { readableAmount } from '../readable-amount.ts';
import { chart, type Point } from './status-chart.ts';
import {
  checkText,
  figuresText,
  isAllGood,
  isGood,
  noDatasetText,
  type StatusReport,
} from './status-text.ts';

/**
 * The report as one HTML file: no scripts, nothing loaded from elsewhere, readable on a phone. What needs attention comes
 * first.
 */
export function statusPage(report: StatusReport): string {
  const { at, tables, unlisted, notifications, queues, events } = report;
  const sorted = tables.toSorted((a, b) => Number(isGood(a)) - Number(isGood(b)));
  const bad = tables.filter((table) => !isGood(table)).length;
  const good = isAllGood(report);
  const verdict =
    bad > 0
      ? `${bad} of ${counted(tables.length, 'table')} ${bad === 1 ? 'needs' : 'need'} attention`
      : tables.length === 0
        ? 'No dataset found'
        : `${tables.length === 1 ? 'The table is' : `All ${tables.length} tables are`} available, fresh and healthy${good ? '' : '; listings, queues, notifications or quarantine need attention'}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${verdict}</title>
<style>${STYLE}</style>
<header>
<h1 class="${good ? 'good' : 'bad'}">${verdict}</h1>
<p><time datetime="${at}">${instant(Date.parse(at))} UTC</time></p>
${tables.length === 0 ? `<p class="${good ? 'path' : 'problem'}">${escaped(noDatasetText(report))}</p>` : ''}
${unlisted.flatMap(({ url, problem }) => troubles(url, { checks: [], problem })).join('\n')}
${notifications.flatMap(notificationLine).join('\n')}
${events.flatMap(({ quarantineUrl, checks, problem }) => troubles(quarantineUrl, { checks, problem })).join('\n')}
${queuesTable(queues)}
<nav>${sorted.map(({ table }, index) => `<a href="#t${index}">${escaped(table)}</a>`).join(' ')}</nav>
</header>
<main>
${sorted.map(section).join('\n')}
</main>
</html>
`;
}

/** A line about a bucket's notifications. If their state could not be determined, that does not count as a failure. */
function notificationLine({ notified, problem }: NotificationHealth): readonly string[] {
  if (problem === undefined) return [];
  return [`<p class="${notified === false ? 'problem' : 'path'}">${escaped(problem)}</p>`];
}

/** The problems of one examined thing, one line each; empty if there are none. */
function troubles(name: string, examined: Examined): readonly string[] {
  return adviceOf(examined, checkText).map(
    (line) => `<p class="problem">${escaped(name)}: ${escaped(line)}</p>`,
  );
}

function queuesTable(queues: readonly QueueHealth[]): string {
  if (queues.length === 0) return '';
  // Only CloudWatch knows ages: without one, no column.
  const hasAges = queues.some(({ oldestMs }) => oldestMs !== undefined);
  const rows = queues.map(({ queue, messages, oldestMs, checks }) => {
    const ok = checks.every((check) => check.ok);
    return `<tr class="${ok ? '' : 'bad'}"><td>${ok ? '' : '✗ '}${queue}<td>${messages === undefined ? '?' : readableAmount(messages, 'count')}${hasAges ? `<td>${oldestMs === undefined ? '' : readableAmount(oldestMs, 'ms')}` : ''}`;
  });
  const below = queues.flatMap((one) => troubles(one.queue, one));
  return `<table><thead><tr><th>queue<th>messages${hasAges ? '<th>oldest' : ''}</thead><tbody>${rows.join('')}</tbody></table>${below.join('\n')}`;
}

function section(table: TableHealth, index: number): string {
  const { available, fresh, healthy, problem, checks, trend } = table;
  const badges = available
    ? [
        badge(true, 'available'),
        badge(fresh, fresh ? 'fresh' : 'stale'),
        badge(healthy, healthy ? 'healthy' : 'unhealthy'),
      ]
    : [badge(false, 'unavailable')];
  return `<section id="t${index}">
<h2>${escaped(table.table)}</h2>
<p>${badges.join(' ')}</p>
<p>${escaped(figuresText(table))}</p>
<p class="path">${escaped(table.directory)}</p>
${problem === undefined ? '' : `<p class="problem">${escaped(problem)}</p>`}
${checks.length === 0 ? '' : `<table><thead><tr><th>measure<th>is<th>should be</thead><tbody>${checks.map(checkRow).join('')}</tbody></table>`}
${charts(trend.moments)}
${schemaTimeline(table)}
</section>`;
}

function badge(ok: boolean, text: string): string {
  return `<span class="badge ${ok ? 'good' : 'bad'}">${ok ? '✓' : '✗'} ${text}</span>`;
}

function checkRow(check: Check): string {
  const { measure, value, threshold, atLeast, unit, ok, advice } = check;
  const limit = threshold === 0 ? '0' : `${atLeast ? '≥' : '≤'} ${readableAmount(threshold, unit)}`;
  const row = `<tr class="${ok ? '' : 'bad'}"><td>${ok ? '' : '✗ '}${escaped(measure)}<td>${readableAmount(value, unit)}<td>${limit}`;
  return ok ? row : `${row}<tr><td colspan="3" class="advice">${escaped(advice)}`;
}

/** Charts of how the table grew and of what each commit added. */
function charts(moments: readonly Moment[]): string {
  const series = (value: (moment: Moment) => number | undefined): readonly Point[] =>
    moments.flatMap((moment) => {
      const known = value(moment);
      return known === undefined ? [] : [{ atMs: moment.atMs, value: known }];
    });
  const gaps = moments
    .slice(1)
    .map((moment, at) => ({ atMs: moment.atMs, value: moment.atMs - (moments[at]?.atMs ?? 0) }));
  const meanFile = ({ addedBytes, addedFiles }: Moment) =>
    addedBytes === undefined || addedFiles === undefined || addedFiles === 0
      ? undefined
      : addedBytes / addedFiles;
  const growth = [
    figure(
      'Rows',
      series(({ totalRows }) => totalRows),
      'line',
      'count',
    ),
    figure(
      'Data',
      series(({ totalBytes }) => totalBytes),
      'line',
      'bytes',
    ),
    figure(
      'Files',
      series(({ totalFiles }) => totalFiles),
      'line',
      'count',
    ),
  ];
  const commits = [
    figure(
      'Rows a commit',
      series(({ addedRows }) => addedRows),
      'bars',
      'count',
    ),
    figure('Mean file a commit', series(meanFile), 'bars', 'bytes'),
    figure(
      'From upload to commit',
      series(({ lagMs }) => lagMs),
      'bars',
      'ms',
    ),
    figure('Time between commits', gaps, 'bars', 'ms'),
  ];
  return [growth, commits].map((figures) => `<div class="charts">${figures.join('')}</div>`).join('\n');
}

function figure(title: string, points: readonly Point[], kind: 'line' | 'bars', unit: Unit): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return '';
  const highest = Math.max(...points.map(({ value }) => value));
  const peak = highest === last.value ? '' : ` <small>peak ${readableAmount(highest, unit)}</small>`;
  const [from, to] = [instant(first.atMs), instant(last.atMs)];
  const isOneDay = from.slice(0, DAY) === to.slice(0, DAY);
  return `<figure><figcaption><b>${title}</b><br>${readableAmount(last.value, unit)}${peak}</figcaption>
${chart(points, kind)}
<div class="axis"><span>${from}</span><span>${isOneDay ? to.slice(DAY) : to}</span></div></figure>`;
}

function schemaTimeline({ trend: { schemas } }: TableHealth): string {
  if (schemas.length < 2) return '';
  const items = schemas
    .slice(1)
    .map(({ atMs, changes }) => `<li><time>${instant(atMs)}</time><pre>${escaped(changes.join('\n'))}</pre>`);
  return `<details open><summary>Schema changes: ${items.length}</summary><ol>${items.reverse().join('')}</ol></details>`;
}

/** Length of a date and the space after it. */
const DAY = 'YYYY-MM-DD '.length;

/** `2026-01-31 12:00:00`, in UTC. */
function instant(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

function escaped(text: string): string {
  const lines = text.split('\n').map(printable).join('\n');
  return lines.replaceAll(/[&<>"]/g, (char) => `&#${char.codePointAt(0)};`);
}

const STYLE = `
:root{color-scheme:light dark;--good:#1a7f37;--bad:#cf222e;--line:#0969da;--faint:#8885}
@media(prefers-color-scheme:dark){:root{--good:#3fb950;--bad:#ff7b72;--line:#58a6ff}}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:72rem}
h1{font-size:1.4rem;margin:0}h2{font-size:1.15rem;margin:0;overflow-wrap:anywhere}p{margin:.3rem 0}
nav{margin-top:.6rem}nav a{display:inline-block;margin-right:.8rem;overflow-wrap:anywhere}
section{border-top:1px solid var(--faint);padding:1rem 0;margin-top:1rem}
.good{color:var(--good)}.bad,.problem{color:var(--bad)}
.badge{border:1px solid;border-radius:1rem;padding:0 .6rem;white-space:nowrap}
.path,.advice,small,.axis,time{color:GrayText;font-size:.85rem}.path,.problem,.advice{overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;max-width:34rem}
header table{margin-top:.6rem}th{white-space:nowrap}th,td{text-align:left;padding:.15rem .8rem .15rem 0;border-bottom:1px solid var(--faint)}td:nth-child(n+2){white-space:nowrap}td.advice{white-space:normal}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:1rem;margin:1rem 0}
figure{margin:0}svg{width:100%;display:block}.axis{display:flex;justify-content:space-between}
.line,.bars{fill:none;stroke:var(--line);stroke-width:2}.area{fill:var(--line);opacity:.15}circle{fill:var(--line)}.base{stroke:var(--faint)}
pre{margin:0 0 .5rem;white-space:pre-wrap;overflow-wrap:anywhere}ol{padding-left:1.2rem}
`;
