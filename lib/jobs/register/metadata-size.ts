import type { Log } from '../../ports.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import type { TableState } from '../../spec/table-state.ts';

/** Some 5,000 snapshots: a commit takes eight times as long by then, nearly all of it the catalog's writing of them. */
const STEP_BYTES = 4 * 1024 * 1024;

/** Says it once for each further 4 MiB that a commit brings a table's metadata to, with the statement that helps. */
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
