import type { Reconciliation } from '../../lib/jobs/reconcile/reconcile-report.ts';
import type { TableMetadata } from '../../local/catalog/table-metadata.ts';
import { mayBeTwice } from './commit-invariants.ts';
import type { History } from './history.ts';
import type { TableFiles } from './table-files.ts';
import type { World } from './world.ts';

/**
 * No retained snapshot added a segment that reconcile calls missing, be the snapshot rolled back, tagged or on another branch. Otherwise
 * the segment would be registered a second time, and be there twice once somebody returns to that snapshot (I2).
 *
 * @param metadata the table when reconcile began
 */
export function checkMissing(
  world: World,
  history: History,
  files: TableFiles,
  metadata: TableMetadata,
  { table, missing }: Reconciliation,
): void {
  const sent = new Set(missing.sample.filter((uri) => !mayBeTwice(history, uri)));
  if (sent.size === 0) return;
  for (const snapshot of metadata.snapshots) {
    for (const { filePath } of files.added(snapshot)) {
      if (sent.has(filePath))
        world.violate(
          'I2',
          `${filePath} is missing in ${table}, says reconcile, and snapshot ${snapshot['snapshot-id']} has it`,
        );
    }
  }
}
