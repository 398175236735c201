import type { Log } from '../../ports.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import type { TableState } from '../../spec/table-state.ts';

/** About 5,000 snapshots. A commit then takes eight times as long, nearly all of it for the catalog to write them. */
const STEP_BYTES = 4 * 1024 * 1024;

/** Warns once per further 4 MiB of table metadata, with the statement that helps. */
export function warnOfSize(before: TableState, after: TableState, log: Pick<Log, 'warn'>): void {
  if (stepsOf(after) <= stepsOf(before)) return;
  const table = formatIdentifier(after.identifier);
  log.warn({
    event: 'metadata-large',
    table,
    metadataBytes: after.metadataBytes,
    snapshots: after.snapshots.size,
    advice: `every commit writes all of it: expire snapshots, CALL system.expire_snapshots(table => '${table}', older_than => …) in Spark`,
  });
}

function stepsOf({ metadataBytes = 0 }: TableState): number {
  return Math.floor(metadataBytes / STEP_BYTES);
}
