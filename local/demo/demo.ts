import { type Engine, openEngine } from './engine.ts';
import { type Functions, startFunctions } from './functions.ts';
import { keepRunning } from './keep.ts';
import { type Narrator, narrator } from './narrator.ts';
import { demoTables, playScenario } from './scenario.ts';
import { grouped, type Screen, screenOn } from './screen.ts';
import { type Services, startServices } from './services.ts';
import { judge, type Verdict } from './verdict.ts';

export interface DemoOptions {
  /** One JSON object as the last line of the output; everything else goes to the error stream. */
  readonly json: boolean;
  /** Leave it running after the verdict until it is interrupted. */
  readonly keep: boolean;
}

/** Plays the whole job on embedded services and reads everything back; answers the exit code: 0 only when every figure agrees. */
export async function runDemo({ json, keep }: DemoOptions): Promise<0 | 1> {
  const screen = screenOn(json ? process.stderr : process.stdout);
  const startedMs = performance.now();
  await using stage = await setStage(screen);
  const played = await playScenario(stage, ({ segments }) => segments);
  screen.progress('  reading everything back');
  const verdict = await judge(stage.engine, stage.services, played);
  showVerdict(screen, verdict, (performance.now() - startedMs) / 1000);
  if (json) process.stdout.write(`${verdictJson(verdict)}\n`);
  if (keep) await keepRunning(stage);
  else showNext(screen);
  return verdict.problems.length === 0 ? 0 : 1;
}

/** Everything that the scenario needs, running. */
export interface Stage extends AsyncDisposable {
  readonly services: Services;
  readonly functions: Functions;
  readonly narrator: Narrator;
  readonly engine: Engine;
  readonly screen: Screen;
}

/** Starts services, functions and the engine; disposing of it ends them. */
export async function setStage(screen: Screen): Promise<Stage> {
  screen.line('S3, SQS and an Iceberg REST catalog run in this process, each function in one of its own.');
  await using started = new AsyncDisposableStack();
  const engine = await openEngine();
  started.defer(() => engine.close());
  const services = await startServices();
  started.defer(() => services.close());
  const told = narrator(
    services.lake,
    demoTables.map(({ table }) => table),
    screen,
  );
  const functions = await startFunctions(services, told);
  started.defer(() => functions.stop());
  const running = started.move();
  return {
    services,
    functions,
    narrator: told,
    engine,
    screen,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** `{"tables":[…],"redelivered":n,"quarantined":n}` */
export function verdictJson({ tables, redelivered, quarantined }: Verdict): string {
  return JSON.stringify({
    tables: tables.map(({ redelivered: _, ...table }) => table),
    redelivered,
    quarantined,
  });
}

function showVerdict(screen: Screen, verdict: Verdict, seconds: number): void {
  screen.heading(
    'What the tables hold: by their metadata, their manifests, and ClickHouse reading every value',
  );
  screen.table(
    ['table', 'segments', 'rows', 'data files', 'snapshots', 'redelivered', 'duplicates', 'columns'],
    verdict.tables.map((table) => [
      table.table,
      ...[
        table.segments,
        table.rows,
        table.dataFiles,
        table.snapshots,
        table.redelivered,
        table.duplicates,
      ].map(grouped),
      grouped(table.columns.length),
    ]),
  );
  const rows = verdict.tables.reduce((sum, table) => sum + table.readBackRows, 0);
  if (verdict.problems.length === 0) {
    screen.line(
      `${screen.paint('green', 'Every figure agrees')} with the shipper's log: ${grouped(rows)} rows read back, each column's nulls, sum and checksum; each file's rows, size, null counts and bounds; ${verdict.quarantined} broken file in quarantine. ${seconds.toFixed(1)} s.`,
    );
    return;
  }
  screen.line(screen.paint('red', `${verdict.problems.length} figures do not agree:`));
  for (const problem of verdict.problems) screen.line(`  ${problem}`);
}

function showNext(screen: Screen): void {
  screen.heading('Try next');
  screen.line(
    '  npm run demo -- --keep                                        the same, left running for PyIceberg, DuckDB, Spark',
  );
  screen.line('  npx iceberg-registrar explain events/s3-put.json              what an event holds');
  screen.line(
    '  npx iceberg-registrar invoke register events/s3-put-fifo.json     the very handler on one event',
  );
}
