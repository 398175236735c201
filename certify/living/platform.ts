import { setTimeout as sleep } from 'node:timers/promises';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { Row } from '../../local/shipper/dataset.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { oldestKept } from '../../test/soak/maintenance.ts';
import type { Count } from '../../test/soak/readers.ts';
import type { Account } from './rows.ts';
import { type SparkProgram, startSpark } from './spark.ts';

/** Totals of what the platform did to the table. */
export interface PlatformWork {
  compacted: number;
  manifests: number;
  snapshots: number;
  deleted: number;
  rollbacks: number;
  /** Statements that lost against other writers and were repeated, or skipped until the next round. */
  readonly gaveUp: string[];
}

/** Spark, as a platform uses it for maintenance. */
export interface Platform {
  readonly work: Readonly<PlatformWork>;
  /** Compacts, rewrites manifests and expires snapshots. A step that loses several times is skipped until the next round. */
  maintain(): Promise<void>;
  /** Deletes rows with consecutive `seq`, all of which are in the table. @throws Error when some of them remain */
  delete(rows: readonly Row[]): Promise<void>;
  snapshot(): Promise<string>;
  rollback(snapshot: string): Promise<void>;
  /** Kills Spark in the middle of its maintenance, and starts it again. */
  maintainAndDie(): Promise<void>;
  count(options?: { readonly cached: boolean }): Promise<Count>;
  /** Counts rows through a catalog that caches tables, which is Spark's default. */
  cachedRows(): Promise<number>;
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

const KILLED_AFTER_MS = 1_500;
/**
 * rewrite_manifests loses against every writer that drops a manifest from its list. Writers drop manifests whose entries are all deleted,
 * which a compaction leaves behind. Some commits later, there are none left.
 */
const ATTEMPTS = 4;
const PAUSE_MS = 1_000;
const procedures = ['compact', 'rewrite manifests', 'expire'] as const;
/**
 * By default, Spark gives up a commit after four retries with growing waits, and merges all small manifests again in each. Here it would
 * lose against every other writer.
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
    compacted: 0,
    manifests: 0,
    snapshots: 0,
    deleted: 0,
    rollbacks: 0,
    gaveUp: [],
  };
  // Constant, so that on a slow machine the history does not become shorter than the age of messages in the queues.
  const older_than = oldestKept();
  const call = (procedure: (typeof procedures)[number]) => program.ask({ do: procedure, table, older_than });
  return {
    work,
    async maintain() {
      for (const procedure of procedures) {
        for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
          try {
            const done = (await call(procedure)) as Partial<PlatformWork>;
            work.compacted += done.compacted ?? 0;
            work.manifests += done.manifests ?? 0;
            work.snapshots += done.snapshots ?? 0;
            break;
          } catch (error) {
            work.gaveUp.push(`${procedure}: ${lastLine(error)}`);
            await sleep(PAUSE_MS);
          }
        }
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
      const dying = call('compact').catch(() => {});
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
