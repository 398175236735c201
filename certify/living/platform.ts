import { setTimeout as sleep } from 'node:timers/promises';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { Row } from '../../local/shipper/dataset.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { type Maintained, oldestKept } from '../../test/soak/maintenance.ts';
import type { Count } from '../../test/soak/readers.ts';
import type { Account } from './rows.ts';
import { type SparkProgram, startSpark } from './spark.ts';

/** What a platform did to the table, in sum. */
export interface PlatformWork {
  rounds: number;
  compacted: number;
  manifests: number;
  snapshots: number;
  deleted: number;
  rollbacks: number;
  /** Procedures that lost to other writers too often. */
  readonly gaveUp: string[];
}

/** Spark as a platform uses it. */
export interface Platform {
  readonly work: Readonly<PlatformWork>;
  /** Compacts, rewrites manifests, expires. */
  maintain(): Promise<void>;
  /** Deletes rows, all of which are in the table and whose `seq` are consecutive. @throws Error when a part of them is left */
  delete(rows: readonly Row[]): Promise<void>;
  snapshot(): Promise<string>;
  rollback(snapshot: string): Promise<void>;
  /** Kills Spark in the middle of its maintenance, and starts it again. */
  maintainAndDie(): Promise<void>;
  count(options?: { readonly cached: boolean }): Promise<Count>;
  /** Rows through a catalog that caches tables, as is Spark's default. */
  cachedRows(): Promise<number>;
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

const KILLED_AFTER_MS = 1_500;
/**
 * By default Spark gives a commit up after four retries, waits ever longer between them, and merges all small manifests anew in each:
 * it would lose to everybody here.
 */
const PATIENCE = {
  'commit.retry.num-retries': '100',
  'commit.retry.max-wait-ms': '1000',
  'commit.manifest-merge.enabled': 'false',
};

export async function startPlatform(
  catalog: CatalogService,
  { namespace, name }: TableIdentifier,
  account: Account,
  log: (text: string) => void,
): Promise<Platform> {
  const table = [...namespace, name].join('.');
  const start = async (): Promise<SparkProgram> => {
    const program = await startSpark('spark_platform.py', catalog, log);
    for (const [property, value] of Object.entries(PATIENCE))
      await program.ask({ do: 'property', table, name: property, value });
    return program;
  };
  let program = await start();
  const work: PlatformWork = {
    rounds: 0,
    compacted: 0,
    manifests: 0,
    snapshots: 0,
    deleted: 0,
    rollbacks: 0,
    gaveUp: [],
  };
  const maintenance = () => ({ do: 'maintain', table, older_than: oldestKept() });
  return {
    work,
    async maintain() {
      try {
        const done = (await program.ask(maintenance())) as Maintained;
        work.rounds += 1;
        work.compacted += done.compacted;
        work.manifests += done.manifests;
        work.snapshots += done.snapshots;
      } catch (error) {
        work.gaveUp.push(lastLine(error));
      }
    },
    async delete(rows) {
      const [first, last] = [rows[0]?.['seq'], rows.at(-1)?.['seq']].map(String);
      const left = Number(await program.ask({ do: 'delete', table, first, last }));
      if (left === rows.length) return void work.gaveUp.push(`DELETE of rows ${first} to ${last}`);
      if (left > 0) throw new Error(`DELETE left ${left} of ${rows.length} rows from ${first} on`);
      account.remove(rows);
      work.deleted += rows.length;
    },
    snapshot: async () => String(await program.ask({ do: 'snapshot', table })),
    async rollback(snapshot) {
      await program.ask({ do: 'rollback', table, snapshot });
      work.rollbacks += 1;
    },
    async maintainAndDie() {
      const dying = program.ask(maintenance()).catch(() => {});
      await sleep(KILLED_AFTER_MS);
      await program.kill();
      await dying;
      program = await start();
    },
    async count(options) {
      const { rows, distinct, checksum } = (await program.ask({ do: 'count', table, ...options })) as Record<
        keyof Count,
        string | number
      >;
      return { rows: Number(rows), distinct: Number(distinct), checksum: BigInt(checksum) };
    },
    cachedRows: async () => Number(await program.ask({ do: 'cached rows', table })),
    refresh: async () => void (await program.ask({ do: 'refresh', table })),
    stop: () => program.stop(),
  };
}

function lastLine(error: unknown): string {
  const lines = (error as Error).message.trim().split('\n');
  return (lines.find((line) => /Exception: /.test(line)) ?? lines.at(-1) ?? '').slice(0, 300);
}
