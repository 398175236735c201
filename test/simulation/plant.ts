/**
 * Plants each classic bug into the source while it is loaded, and runs schedules until one finds it:
 * `node test/simulation/plant.ts [--seeds 3000] [--bug part of its name] [--search] [--shrink]`. Prints one JSON line per bug: its name,
 * the seed that found it (or null), the violated invariant, and the smallest schedule. The seed that found the bug before is tried
 * first (planted.json; `--search` writes that file anew).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../../local/command-line.ts';
import { bugs } from './bugs.ts';
import { makeContents } from './contents.ts';
import { importersOf } from './importers.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import { shrink } from './shrink.ts';

const root = new URL('../../', import.meta.url).href;
const simulator = new URL('simulate.ts', import.meta.url).href;
const planted = new URL('planted.json', import.meta.url);

const { values } = readCommandLine({
  options: {
    seeds: { type: 'string', default: '3000' },
    bug: { type: 'string', default: '' },
    search: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
  },
});

/** By bug, the addresses of the modules to load anew: the changed one, and all that import it. */
const concerned = new Map<string, ReadonlySet<string>>();

/** Every bug has its own instances of these modules: the name of the bug is part of their addresses. */
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const bug = context.parentURL === undefined ? null : new URL(context.parentURL).searchParams.get('bug');
    if (bug === null || resolved.url.includes('?') || !concerned.get(bug)?.has(resolved.url)) return resolved;
    return { ...resolved, url: `${resolved.url}?bug=${encodeURIComponent(bug)}` };
  },
  load(url, context, next) {
    const bug = url.startsWith(root) ? new URL(url).searchParams.get('bug') : null;
    const [address = ''] = url.split('?');
    const edits = (bugs[bug ?? ''] ?? []).filter((edit) => edit.file === address.slice(root.length));
    if (edits.length === 0) return next(url, context);
    let source = readFileSync(fileURLToPath(address), 'utf8');
    for (const { from, to } of edits) {
      if (source.split(from).length !== 2) throw new Error(`"${from}" does not stand once in ${address}`);
      source = source.replace(from, () => to);
    }
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

const known = JSON.parse(readFileSync(planted, 'utf8')) as Readonly<Record<string, number>>;
const contents = makeContents();
const seeds: Record<string, number> = { ...known };
for (const bug of Object.keys(bugs).filter((name) => name.includes(values.bug))) {
  const found = await find(bug);
  // Some bugs are only found by a schedule in `found`; no seed in this range finds them.
  if (found.seed !== null && found.seed <= Number(values.seeds)) seeds[bug] = found.seed;
  process.stdout.write(`${JSON.stringify(found)}\n`);
}
if (values.search) writeFileSync(planted, `${JSON.stringify(seeds, undefined, 2)}\n`);

function* schedules(bug: string): Generator<Schedule> {
  const before = known[bug];
  if (values.search || values.shrink) yield* drawn();
  else if (before !== undefined && before <= Number(values.seeds)) yield scheduleOf(before);
  const found = new URL('found/', import.meta.url);
  for (const file of readdirSync(found)) {
    yield JSON.parse(readFileSync(new URL(file, found), 'utf8')) as Schedule;
  }
  if (!values.search && !values.shrink) yield* drawn();
}

function* drawn(): Generator<Schedule> {
  for (let seed = 1; seed <= Number(values.seeds); seed += 1) yield scheduleOf(seed);
}

interface Found {
  readonly bug: string;
  readonly seed: number | null;
  readonly violation?: string | undefined;
  readonly least?: Schedule;
}

/** Runs schedules until one violates an invariant. */
async function find(bug: string): Promise<Found> {
  const edited = (bugs[bug] ?? []).map(({ file }) => new URL(file, root).href);
  concerned.set(bug, importersOf(simulator, edited));
  const from = `./simulate.ts?bug=${encodeURIComponent(bug)}`;
  const { simulate, violatesAs } = (await import(from)) as typeof import('./simulate.ts');
  for (const schedule of schedules(bug)) {
    const { violations, faults } = await simulate(schedule, contents);
    const [violation] = violations;
    if (violation === undefined) continue;
    const found = { bug, seed: schedule.seed, violation: violation.split('\n')[0] };
    if (!values.shrink) return found;
    const fails = (candidate: Schedule) => violatesAs(violation, candidate, contents);
    return { ...found, least: await shrink(schedule, faults, fails) };
  }
  return { bug, seed: null };
}
