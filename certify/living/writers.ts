import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import { startProgram } from '../../test/soak/python.ts';
import { type Account, type Batch, batches, spelledRows } from './rows.ts';

/** A writer that appends continuously until it is paused or stopped. */
export interface Writer {
  readonly name: string;
  /** The batches that it has committed. */
  readonly landed: readonly Batch[];
  commits(): number;
  /** The number of commits that failed and were repeated. */
  conflicts(): number;
  /** Resolves when no commit is running; all earlier ones are in the table. */
  pause(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');
/** Often enough to conflict with the others, and rarely enough that commits succeed on a slow machine. */
const PAUSE_MS = 1_000;

/** PyIceberg or DuckDB, with one commit per batch. */
export function startWriter(
  name: 'PyIceberg' | 'DuckDB',
  options: {
    readonly catalog: CatalogService;
    readonly table: TableIdentifier;
    readonly base: bigint;
    readonly account: Account;
    readonly log: (text: string) => void;
    readonly onClose: (close: () => Promise<void>) => void;
  },
): Writer {
  const { catalog, table, base, account, log, onClose } = options;
  const program = startProgram(
    join(installedFolder, 'readers/bin/python'),
    [join(import.meta.dirname, 'row_writer.py')],
    { PYTHONPATH: join(root, 'test/integration/readers') },
    log,
  );
  onClose(() => program.stop());
  const landed: Batch[] = [];
  let conflicts = 0;
  const append = async (batch: Batch): Promise<void> => {
    for (;;) {
      const request = { engine: name.toLowerCase(), catalog, ...table, rows: spelledRows(batch) };
      const answer = (await program.ask(request)) as { readonly landed: boolean; readonly error?: string };
      if (answer.error !== undefined) {
        conflicts += 1;
        log(`${name}: ${answer.error}\n`);
      }
      if (answer.landed) break;
      await sleep(PAUSE_MS);
    }
    account.add(batch.rows);
    landed.push(batch);
  };

  const source = batches(name, base);
  const turns = turnstile(async () => {
    await append(source.next().value);
    await sleep(PAUSE_MS);
  });
  return {
    name,
    landed,
    commits: () => landed.length,
    conflicts: () => conflicts,
    pause: turns.pause,
    resume: turns.resume,
    async stop() {
      await turns.stop();
      await program.stop();
    },
  };
}

/** Runs `turn` again and again, except between `pause` and `resume`. If it throws, `pause` and `stop` throw its error. */
export function turnstile(turn: () => Promise<void>) {
  let stopped = false;
  let paused: PromiseWithResolvers<void> | undefined;
  let current: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    for (;;) {
      while (paused !== undefined) await paused.promise;
      if (stopped) return;
      current = turn();
      await current;
    }
  };
  const running = run();
  running.catch(() => {});
  const resume = () => {
    paused?.resolve();
    paused = undefined;
  };
  return {
    async pause() {
      paused ??= Promise.withResolvers();
      await current;
    },
    resume,
    async stop() {
      stopped = true;
      resume();
      await running;
    },
  };
}
