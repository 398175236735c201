import { type Engine, openEngine } from './engine.ts';
import { type Functions, startFunctions } from './functions.ts';
import { keepRunning } from './keep.ts';
import { type Narrator, narrator } from './narrator.ts';
import { report, verdictJson } from './report.ts';
import { demoTables, playScenario } from './scenario.ts';
import { type Screen, screenOn } from './screen.ts';
import { type Services, startServices } from './services.ts';
import { judge } from './verdict.ts';

export interface DemoOptions {
  /** One JSON object as the last line of the output; everything else goes to the error stream. */
  readonly json: boolean;
  /** Leave it running after the verdict until it is interrupted. */
  readonly keep: boolean;
}

/**
 * Runs the whole pipeline on embedded services and reads everything back. Returns the exit code: 0 only if every figure agrees.
 */
export async function runDemo({ json, keep }: DemoOptions): Promise<0 | 1> {
  const screen = screenOn(json ? process.stderr : process.stdout);
  const startedMs = performance.now();
  await using stage = await setStage(screen);
  const played = await playScenario(stage, ({ segments }) => segments);
  screen.progress('  reading everything back');
  const verdict = await judge(stage.engine, stage.services, played);
  const exitCode = report(screen, verdict, (performance.now() - startedMs) / 1000);
  if (json) process.stdout.write(`${verdictJson(verdict)}\n`);
  if (keep) await keepRunning(stage);
  return exitCode;
}

/** The running services, functions and engine that the scenario needs. */
export interface Stage extends AsyncDisposable {
  readonly services: Services;
  readonly functions: Functions;
  readonly narrator: Narrator;
  readonly engine: Engine;
  readonly screen: Screen;
}

/** Starts services, functions and the engine. Disposing of the result stops them. */
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
