import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { type Account, type Batch, batches, spelledRows } from './rows.ts';
import { type SparkProgram, startSpark } from './spark.ts';
import { turnstile, type Writer } from './writers.ts';

/** A Spark stream that can be killed. */
export interface Stream extends Writer {
  /** Kills it with SIGKILL; after its restart it continues from its checkpoint. */
  kill(): Promise<void>;
}

const EVERY_MS = 2_000;

/** A Spark stream with a checkpoint: every few seconds it appends the new files of a folder, one per batch. */
export async function startStream(options: {
  readonly catalog: CatalogService;
  readonly table: TableIdentifier;
  readonly base: bigint;
  readonly account: Account;
  readonly log: (text: string) => void;
  readonly onClose: (close: () => Promise<void>) => void;
  readonly scratch: string;
}): Promise<Stream> {
  const { catalog, table, base, account, log, onClose, scratch } = options;
  const [written, folder, checkpoint] = ['written', 'arrived', 'checkpoint'].map((name) =>
    join(scratch, name),
  ) as [string, string, string];
  for (const path of [written, folder]) mkdirSync(path, { recursive: true });
  const request = {
    do: 'start',
    table: `ice.${[...table.namespace, table.name].join('.')}`,
    folder,
    checkpoint,
  };
  const start = async (): Promise<SparkProgram> => {
    const program = await startSpark('spark_stream.py', catalog, log);
    await program.ask(request);
    return program;
  };
  let program = await start();
  onClose(() => program.stop());
  let failures = 0;
  const fed: Batch[] = [];
  const landed: Batch[] = [];

  const source = batches('Spark', base);
  const feed = turnstile(async () => {
    const batch = source.next().value;
    const name = `${batch.firstSeq}.json`;
    writeFileSync(
      join(written, name),
      spelledRows(batch)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    );
    // A rename, because the stream reads a file as soon as it sees it.
    renameSync(join(written, name), join(folder, name));
    account.add(batch.rows);
    fed.push(batch);
    await sleep(EVERY_MS);
    await restartIfEnded();
  });
  /** A stream ends when a commit has lost too often. Its checkpoint tells where to continue. */
  const restartIfEnded = async (): Promise<boolean> => {
    const error = await program.ask({ do: 'error' });
    if (error === null) return false;
    failures += 1;
    log(`Spark: ${error}\n`);
    await program.ask(request);
    return true;
  };
  const drain = async (): Promise<void> => {
    for (;;) {
      try {
        await program.ask({ do: 'drain' });
        break;
      } catch (error) {
        if (!(await restartIfEnded())) throw error;
      }
    }
    landed.push(...fed.splice(0));
  };
  return {
    name: 'Spark',
    landed,
    // Spark keeps the newest of these files; each is named by the number of its commit.
    commits() {
      const numbers = readdirSync(join(checkpoint, 'commits')).filter((name) => /^\d+$/.test(name));
      return Math.max(-1, ...numbers.map(Number)) + 1;
    },
    conflicts: () => failures,
    async pause() {
      await feed.pause();
      await drain();
    },
    resume: feed.resume,
    async kill() {
      await feed.pause();
      await program.kill();
      program = await start();
      feed.resume();
    },
    async stop() {
      await feed.stop();
      await drain();
      await program.stop();
    },
  };
}
