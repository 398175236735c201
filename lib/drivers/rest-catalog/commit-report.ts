import { stringifyJson } from '../../spec/json.ts';
import { formatIdentifier, type TableIdentifier } from '../../spec/table-identifier.ts';
import type { TableUpdate } from '../../spec/table-update.ts';

/** The summary entries that the specification defines as commit metrics, by unit. */
const metrics: Readonly<Record<string, 'count' | 'bytes'>> = {
  'added-data-files': 'count',
  'added-records': 'count',
  'added-files-size': 'bytes',
  'total-data-files': 'count',
  'total-records': 'count',
  'total-files-size': 'bytes',
};

/** The report on a commit (`rest-catalog-open-api.yaml`, `CommitReport`); undefined for a commit without a snapshot. */
export function commitReport(table: TableIdentifier, updates: readonly TableUpdate[]): string | undefined {
  const added = updates.find((update) => update.action === 'add-snapshot');
  if (added === undefined) return undefined;
  const { snapshot } = added;
  const { operation, ...summary } = snapshot.summary;
  return stringifyJson({
    'report-type': 'commit-report',
    'table-name': formatIdentifier(table),
    'snapshot-id': snapshot['snapshot-id'],
    'sequence-number': snapshot['sequence-number'],
    operation,
    metrics: Object.fromEntries(
      Object.entries(metrics).flatMap(([name, unit]) => {
        const value = summary[name];
        return value === undefined
          ? []
          : [[name.replace('-size', '-size-bytes'), { unit, value: Number(value) }]];
      }),
    ),
  });
}
