import { layoutRouter } from '../../route/layout.ts';
import { missingTable } from '../register/ensure-table.ts';
import { quarantineStates, routedTest } from './dataset-objects.ts';
import type { Dataset } from './datasets.ts';
import type { ReconcilePorts } from './reconcile.ts';
import type { Tally } from './reconcile-report.ts';

/**
 * Compares a dataset whose table will be created by its first registration. As long as each of its segments is recent, in quarantine or
 * older than requested, nothing is missing.
 *
 * @throws `table.missing` at the first segment that should have been registered
 */
export async function reconcileWithoutTable(
  dataset: Dataset,
  ports: ReconcilePorts,
  { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs: number },
  tally: Tally,
): Promise<void> {
  const { entry, table, directory } = dataset;
  if (!entry.create_table) throw missingTable(dataset);
  const quarantineStateOf = await quarantineStates(table, ports);
  const isSegment = routedTest(table, layoutRouter(ports.entries));
  for await (const object of ports.portsOf(entry).store.list(`${directory}/`)) {
    tally.listed += 1;
    const { uri, lastModifiedMs } = object;
    const quarantined = quarantineStateOf(object);
    if (!isSegment(object)) tally.ignored += 1;
    else if (lastModifiedMs < sinceMs) tally.older += 1;
    else if (lastModifiedMs > untilMs) tally.recent += 1;
    else if (quarantined === undefined) throw missingTable(dataset);
    else tally.note(quarantined === 'waiting' ? 'quarantined' : 'discarded', uri);
  }
}
