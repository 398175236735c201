import type { DryRun, TableForecast } from '../../lib/jobs/backfill/dry-run.ts';
import { errorJson } from '../error-json.ts';
import { printable } from '../printable.ts';
import { readableAmount } from '../readable-amount.ts';
import { amount, compactTable, money, PRICES, refusedTable } from './backfill-report.ts';

export function dryRunText(run: DryRun): string {
  const { listed, registered, ignored, left, tables, refused, refusedOfAll, estimate, interrupted } = run;
  const { get, put, list, catalog } = estimate.requests;
  const counts = compactTable();
  counts.push(
    ['objects', amount(listed)],
    ['registered', amount(registered)],
    ['not segments', amount(ignored)],
    ...Object.entries(left).map(([end, count]): [string, string] => [`left: ${end}`, amount(count)]),
  );
  return [
    ...tables.map(tableText),
    counts.toString(),
    ...(refused.length === 0 ? [] : [refusedTable(refused), `about ${amount(refusedOfAll)} of all`]),
    `estimated: ${readableAmount(estimate.durationMs, 'ms')}; ${amount(get)} GET, ${amount(put)} PUT, ${amount(list)} LIST: ${money(estimate.dollars)} ${PRICES}; ${amount(catalog)} requests to the catalog`,
    interrupted ? 'Stopped before the end: the figures are incomplete.' : 'Nothing was written.',
  ].join('\n');
}

function tableText({
  table,
  segments,
  snapshots,
  sampled,
  isNew,
  schemaChanges,
  error,
}: TableForecast): string {
  return [
    `${printable(table)}${isNew ? ' (new)' : ''}  ${amount(segments)} segments in ${amount(snapshots)} snapshots; ${amount(sampled)} were read`,
    ...schemaChanges.map((change) => `  ${printable(change)}`),
    ...(error === undefined ? [] : [`  ${error.code}: ${printable(error.message)}`]),
  ].join('\n');
}

export function dryRunJson(run: DryRun): unknown {
  return {
    ...run,
    tables: run.tables.map(({ error, ...table }) => ({
      ...table,
      ...(error !== undefined && { error: errorJson(error) }),
    })),
  };
}
