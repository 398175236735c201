import { counted } from '../../lib/counted.ts';
import type { DryRun, TableForecast } from '../../lib/jobs/backfill/dry-run.ts';
import { compactTable } from '../compact-table.ts';
import { printable } from '../printable.ts';
import { amount, notesOf, priceLine, refusedTable, tablesJson } from './backfill-report.ts';

export function dryRunText(run: DryRun): string {
  const { listed, registered, ignored, left, tables, refused, refusedOfAll, estimate, interrupted } = run;
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
    ...(refused.length === 0 ? [] : [refusedTable(refused), refusedText(refusedOfAll)]),
    `estimated: ${priceLine(estimate)}`,
    interrupted ? 'Stopped before the end: the figures are incomplete.' : 'Nothing was written.',
  ].join('\n');
}

/** The table above has the refused ones of the sample. */
function refusedText(count: number): string {
  return `about ${counted(count, 'segment')} of all would be refused`;
}

function tableText({ table, segments, snapshots, sampled, isNew, ...found }: TableForecast): string {
  return [
    `${printable(table)}${isNew ? ' (new)' : ''}  ${counted(segments, 'segment')} in ${counted(snapshots, 'snapshot')}; ${amount(sampled)} ${sampled === 1 ? 'was' : 'were'} read`,
    ...notesOf(found),
  ].join('\n');
}

export function dryRunJson(run: DryRun): unknown {
  return { ...run, tables: tablesJson(run.tables) };
}
