import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sparkJars } from '../../certify/engines/start.ts';
import type { Dataset } from '../../local/shipper/dataset.ts';
import type { CatalogService } from '../integration/services/service.ts';
import { installedFolder } from '../integration/services/services.ts';
import { namespace } from './lake.ts';
import { type Program, startProgram } from './python.ts';

/** What is older is expired: longer than a message waits, and the ledger's allowance for clocks (15 minutes). */
const HISTORY_MINUTES = 45;

export function startSpark(catalog: CatalogService, onErrors: (text: string) => void): Program {
  return startProgram(
    join(installedFolder, 'spark/bin/python'),
    [join(import.meta.dirname, 'maintenance.py'), JSON.stringify(catalog), ...sparkJars],
    {},
    onErrors,
  );
}

/** What Spark did to the tables, summed. */
export interface Maintained {
  tables: number;
  compacted: number;
  manifests: number;
  snapshots: number;
  files: number;
  /** Commits that Spark lost to others, and gave up. */
  readonly errors: string[];
}

/** The moment before which snapshots are expired, as Spark reads it. */
export function oldestKept(): string {
  return new Date(Date.now() - HISTORY_MINUTES * 60_000).toISOString().replace('T', ' ').slice(0, 19);
}

/** Compacts, rewrites manifests and expires, one table after another, until the signal ends it. */
export async function maintain(
  spark: Program,
  datasets: readonly Dataset[],
  signal: AbortSignal,
): Promise<Maintained> {
  const sum: Maintained = { tables: 0, compacted: 0, manifests: 0, snapshots: 0, files: 0, errors: [] };
  for (let turn = 0; !signal.aborted; turn += 1) {
    const dataset = datasets[turn % datasets.length];
    const older_than = oldestKept();
    try {
      const done = await spark.ask({ do: 'maintain', table: `${namespace}.${dataset?.name}`, older_than });
      const { compacted, manifests, snapshots, files } = done as Maintained;
      sum.tables += 1;
      sum.compacted += compacted;
      sum.manifests += manifests;
      sum.snapshots += snapshots;
      sum.files += files;
    } catch (error) {
      sum.errors.push((error as Error).message);
    }
    await sleep(200, undefined, { signal }).catch(() => {});
  }
  return sum;
}
