/**
 * Every engine reads what the registrar writes: `npm run certify -- [--short] [--engines PyIceberg,Spark] [--sections types,…]
 * [--minutes 4] [--seed …] [--json run.json]`, or `-- --from run.json`. A full run writes docs/compatibility.md and docs/compatibility.html,
 * and so does a saved run. The last line counts the cells. The exit code is 1 if one is red without explanation, or was not run.
 */
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, refuse } from '../local/command-line.ts';
import { installedFolder, startServices } from '../test/integration/services/services.ts';
import type { Cell } from './cell.ts';
import { engineNames, shortEngines } from './engines/engine.ts';
import { startEngines } from './engines/start.ts';
import { type Certification, type CertifiedSection, unexplained, verdict } from './matrix.ts';
import { writePages } from './pages.ts';
import type { Context, Section } from './section.ts';
import { sections } from './sections.ts';

const { values } = readCommandLine({
  options: {
    short: { type: 'boolean', default: false },
    engines: { type: 'string' },
    sections: { type: 'string' },
    minutes: { type: 'string', default: '4' },
    seed: { type: 'string', default: 'certified' },
    json: { type: 'string' },
    from: { type: 'string' },
  },
});

const wantedEngines = named(values.engines, values.short ? shortEngines : engineNames, engineNames);
const wantedSections = named(
  values.sections,
  sections.filter(({ short }) => short || !values.short).map(({ name }) => name),
  sections.map(({ name }) => name),
).map((name) => sections.find((section) => section.name === name) as Section);

const scratch = mkdtempSync(join(tmpdir(), 'iceberg-registrar-certify-'));
const logFolder = join(installedFolder, 'logs', `certify-${new Date().toISOString().replaceAll(':', '-')}`);
mkdirSync(logFolder, { recursive: true });
const log = createWriteStream(join(logFolder, 'certify.log'));
// Exiting also stops what was started: everything handles the exit of this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
const closing: (() => Promise<void>)[] = [];
const startedMs = Date.now();
const say = (line: string): void => console.log(`${seconds(startedMs).padStart(6)} s  ${line}`);
try {
  const passed = values.from === undefined ? await certify() : rewritePages(values.from);
  process.exitCode = passed ? 0 : 1;
} finally {
  for (const close of closing.toReversed()) await close().catch(() => {});
  rmSync(scratch, { recursive: true, force: true });
  log.end();
}

async function certify(): Promise<boolean> {
  const services = await startServices({ want: ['seaweedfsCatalog'] });
  closing.push(() => services.stop({ keepLogs: false }));
  const catalog = services.services.seaweedfsCatalog;
  if (catalog === undefined) throw new Error(`Cannot certify: ${Object.values(services.notRun).join('; ')}`);
  const write = (text: string) => void log.write(text);
  const { engines, notRun } = await startEngines(wantedEngines, { catalog, scratch, logFolder, log: write });
  for (const engine of engines) closing.push(() => engine.stop());
  for (const { name, version } of engines) say(`${name} ${version}`);
  for (const [name, reason] of notRun) say(`${name} is not run: ${reason}`);

  const context: Context = {
    catalog,
    engines,
    notRun,
    seed: values.seed,
    minutes: Number(values.minutes),
    scratch,
    say,
    log: write,
    onClose: (close) => void closing.push(close),
  };
  const versions = wantedEngines.map((name) => {
    const version = engines.find((engine) => engine.name === name)?.version;
    return { name, ...(version !== undefined && { version }) };
  });
  const found: CertifiedSection[] = [];
  const certification = (): Certification => ({
    at: new Date(startedMs).toISOString(),
    seconds: (Date.now() - startedMs) / 1000,
    engines: versions,
    sections: found,
  });
  for (const section of wantedSections) {
    found.push(await cellsOf(section, context));
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(certification())}\n`);
  }
  if (!values.short && values.engines === undefined && values.sections === undefined)
    writePages(certification());
  console.log(`${seconds(startedMs)} s; what programs said is in ${logFolder}`);
  return conclude(certification());
}

/** Writes the pages again from a run saved with --json, for example after its red cells have been explained. */
function rewritePages(run: string): boolean {
  const certification = JSON.parse(readFileSync(run, 'utf8')) as Certification;
  writePages(certification);
  return conclude(certification);
}

/** Prints the unexplained cells and the totals. Returns whether the run passed. */
function conclude(certification: Certification): boolean {
  for (const line of unexplained(certification)) console.log(line);
  const { line, passed } = verdict(certification);
  console.log(line);
  return passed;
}

async function cellsOf(section: Section, context: Context) {
  const sectionMs = Date.now();
  const cells: Cell[] = [];
  try {
    for await (const cell of section.run(context)) cells.push(cell);
  } catch (error) {
    const { message, stack = message } = error as Error;
    context.log(`${stack}\n`);
    cells.push({
      feature: 'the section itself',
      engine: 'registrar',
      outcome: 'red',
      detail: message.replaceAll(/\s+/g, ' ').slice(0, 600),
    });
  }
  const count = (outcome: Cell['outcome']) => cells.filter((cell) => cell.outcome === outcome).length;
  say(
    `${section.title}: ${count('green')} green, ${count('red')} red, ${count('not-run')} not run, in ${seconds(sectionMs)} s`,
  );
  return { title: section.title, name: section.name, cells };
}

/** The items that a comma-separated option names, ignoring case. Ends the process at an unknown one */
function named<Name extends string>(
  option: string | undefined,
  byDefault: readonly Name[],
  all: readonly Name[],
): readonly Name[] {
  if (option === undefined) return byDefault;
  return option.split(',').map((text) => {
    const name = all.find((one) => one.toLowerCase() === text.toLowerCase());
    return name ?? refuse(`Cannot certify "${text}": known are ${all.join(', ')}`);
  });
}

function seconds(sinceMs: number): string {
  return ((Date.now() - sinceMs) / 1000).toFixed(0);
}
