import { counted } from '../../lib/counted.ts';
import type { RegistrarError } from '../../lib/errors.ts';
import type { BackfillReport, Refusal, TableBackfill } from '../../lib/jobs/backfill/backfill-report.ts';
import type { Progress } from '../../lib/jobs/backfill/progress.ts';
import { type Requests, storeDollars } from '../../lib/jobs/backfill/requests.ts';
import { compactTable } from '../compact-table.ts';
import { errorJson } from '../error-json.ts';
import { paceText } from '../pace-text.ts';
import { printable, printableLines } from '../printable.ts';
import { readableAmount } from '../readable-amount.ts';
import { wrappedTable } from '../wrapped-table.ts';

/** `12,345 of 1,000,000 objects · 1,234 segments a second · 13 min left · $0.01 of $0.43 (S3 Standard, us-east-1)` */
export function progressLine(progress: Progress): string {
  const { report, dollars, totalDollars } = progress;
  const cost = totalDollars === undefined ? money(dollars) : `${money(dollars)} of ${money(totalDollars)}`;
  return `${paceText(report.listed, progress, 'segments ')} · ${cost} ${PRICES}`;
}

const PRICES = '(store requests at the list prices of S3 Standard in us-east-1)';

export function reportText(report: BackfillReport): string {
  const { listed, registered, ignored, done, requests, durationMs, refused, refusedBy, tables } = report;
  const counts = compactTable();
  counts.push(
    ['objects', amount(listed)],
    ['registered before', amount(registered)],
    ['not segments', amount(ignored)],
    ...Object.entries(done).map(([end, count]): [string, string] => [`→ ${end}`, amount(count)]),
  );
  const refusals = Object.values(refusedBy).reduce((sum, count) => sum + count, 0);
  return [
    ...tables.map(tableText),
    counts.toString(),
    ...(refused.length === 0 ? [] : [refusedTable(refused)]),
    ...(refusals > refused.length
      ? [`and ${amount(refusals - refused.length)} more: iceberg-registrar quarantine list`]
      : []),
    priceLine({ requests, dollars: storeDollars(requests), durationMs }),
    ...(report.interrupted ? ['Stopped: run the same command again to continue.'] : []),
  ].join('\n');
}

function tableText({ table, committed, rows, bytes, snapshots, ...found }: TableBackfill): string {
  return [
    `${printable(table)}  ${counted(committed, 'segment')}, ${counted(rows, 'row')}, ${readableAmount(Number(bytes), 'bytes')} in ${counted(snapshots, 'snapshot')}`,
    ...notesOf(found),
  ].join('\n');
}

/** What is said below a table: how its schema changes, and why the rest of its segments is left. */
export function notesOf({
  schemaChanges,
  error,
}: {
  readonly schemaChanges: readonly string[];
  readonly error?: RegistrarError;
}): readonly string[] {
  return [
    ...schemaChanges.map((change) => `  ${printable(change)}`),
    ...(error === undefined
      ? []
      : [`  ${error.code}: ${printableLines(error.message).replaceAll('\n', '\n  ')}`]),
  ];
}

/** `13 min; 12,345 GET, 12 PUT, 13 LIST: $0.43 (…); 25 requests to the catalog` */
export function priceLine({
  requests: { get, put, list, catalog },
  dollars,
  durationMs,
}: {
  readonly requests: Requests;
  readonly dollars: number;
  readonly durationMs: number;
}): string {
  return `${readableAmount(durationMs, 'ms')}; ${amount(get)} GET, ${amount(put)} PUT, ${amount(list)} LIST: ${money(dollars)} ${PRICES}; ${counted(catalog, 'request')} to the catalog`;
}

export function refusedTable(refused: readonly Refusal[]): string {
  return wrappedTable(
    [{ head: 'segment', most: 46 }, { head: 'error' }, { head: 'message', most: 58 }],
    refused.map(({ uri, code, message }) => [printable(uri), code, printableLines(message)]),
  );
}

export function reportJson(report: BackfillReport): unknown {
  return {
    ...report,
    tables: tablesJson(report.tables),
    dollars: storeDollars(report.requests),
  };
}

export function tablesJson(tables: readonly { readonly error?: RegistrarError }[]): readonly unknown[] {
  return tables.map(({ error, ...table }) => ({
    ...table,
    ...(error !== undefined && { error: errorJson(error) }),
  }));
}

export function amount(count: number): string {
  return readableAmount(count, 'count');
}

function money(dollars: number): string {
  return `$${dollars < 0.01 ? dollars.toPrecision(1) : dollars.toFixed(2)}`;
}
