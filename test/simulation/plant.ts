/**
 * Plants each classic bug into the source, as it is loaded, and looks for it:
 * `node test/simulation/plant.ts [--seeds 3000] [--bug part of its name] [--shrink]`. One JSON line a bug: its name, the seed
 * that found it, or null, the invariant that did not hold, and the least schedule.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bugs } from './bugs.ts';
import { makeContents } from './contents.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import { shrink } from './shrink.ts';

const root = new URL('../../', import.meta.url).href;

/** A module graph of its own for every bug: its name travels with the addresses of this project's files. */
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const bug = context.parentURL === undefined ? null : new URL(context.parentURL).searchParams.get('bug');
    const isOurs = resolved.url.startsWith(root) && !resolved.url.includes('/node_modules/');
    if (bug === null || !isOurs || resolved.url.includes('?')) return resolved;
    return { ...resolved, url: `${resolved.url}?bug=${encodeURIComponent(bug)}` };
  },
  load(url, context, next) {
    const loaded = next(url, context);
    const bug = url.startsWith(root) ? new URL(url).searchParams.get('bug') : null;
    const file = url.slice(root.length).split('?')[0] ?? '';
    const edits = (bugs[bug ?? ''] ?? []).filter((edit) => edit.file === file);
    if (edits.length === 0) return loaded;
    let source = readFileSync(fileURLToPath(`${root}${file}`), 'utf8');
    for (const { from, to } of edits) {
      if (source.split(from).length !== 2) throw new Error(`"${from}" does not stand once in ${file}`);
      source = source.replace(from, () => to);
    }
    return { ...loaded, source };
  },
});

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3000' },
    bug: { type: 'string', default: '' },
    shrink: { type: 'boolean', default: false },
  },
});
const contents = makeContents();
for (const bug of Object.keys(bugs).filter((name) => name.includes(values.bug))) {
  process.stdout.write(`${JSON.stringify(await find(bug))}\n`);
}

function* schedules(): Generator<Schedule> {
  const found = new URL('found/', import.meta.url);
  for (const file of values.shrink ? [] : readdirSync(found)) {
    yield JSON.parse(readFileSync(new URL(file, found), 'utf8')) as Schedule;
  }
  for (let seed = 1; seed <= Number(values.seeds); seed += 1) yield scheduleOf(seed);
}

interface Found {
  readonly bug: string;
  readonly seed: number | null;
  readonly violation?: string | undefined;
  readonly least?: Schedule;
}

/** Runs schedules until one of them violates an invariant: those that were found once, then seed after seed. */
async function find(bug: string): Promise<Found> {
  const from = `./simulate.ts?bug=${encodeURIComponent(bug)}`;
  const { simulate, violatesAs } = (await import(from)) as typeof import('./simulate.ts');
  for (const schedule of schedules()) {
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
