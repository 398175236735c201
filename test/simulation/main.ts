/**
 * Runs schedules: `npm run simulate -- --seeds 20000 [--from 1]`, or one of them with all that happens in it: `--seed 7`.
 * A schedule that violates an invariant is shrunk and printed; the last line is `N schedules, M violations`.
 */
import { parseArgs } from 'node:util';
import { makeContents } from './contents.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import { shrink } from './shrink.ts';
import { type Outcome, simulate, violatesAs } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
  },
});
const one = values.seed !== undefined;
const from = Number(values.seed ?? values.from);
const count = one ? 1 : Number(values.seeds);
const contents = makeContents();
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** How far a long run has come: it goes on from there with `--from`. */
const PROGRESS_EVERY = 1000;

const beganMs = performance.now();
let violations = 0;
let commits = 0;
const faults = new Map<string, number>();
for (let seed = from; seed < from + count; seed += 1) {
  const schedule = scheduleOf(seed);
  const outcome = await simulate(schedule, contents, { traced: one });
  commits += outcome.commits;
  for (const { kind } of outcome.faults) faults.set(kind, (faults.get(kind) ?? 0) + 1);
  if (seed % PROGRESS_EVERY === 0) process.stderr.write(`up to seed ${seed}: ${violations} violations\n`);
  if (one) say(outcome.lines.join('\n'));
  if (outcome.violations.length === 0) continue;
  violations += 1;
  await report(schedule, outcome);
}
const seconds = (performance.now() - beganMs) / 1000;
say(`${[...faults].map(([kind, times]) => `${kind} ${times}`).join(', ')}`);
say(`${Math.round(count / seconds)} schedules a second, ${commits} commits`);
say(`${count} schedules, ${violations} violations`);
process.exitCode = violations > 0 ? 1 : 0;

async function report(schedule: Schedule, outcome: Outcome): Promise<void> {
  say(`seed ${schedule.seed} violates`);
  for (const violation of outcome.violations.slice(0, 5)) say(`  ${violation.split('\n')[0]}`);
  if (values['no-shrink']) return;
  const [first] = outcome.violations;
  const least = await shrink(schedule, outcome.faults, (candidate) => violatesAs(first, candidate, contents));
  const { lines } = await simulate(least, contents, { traced: true });
  say('its least schedule, and what happens in it:');
  say(JSON.stringify(least));
  for (const line of lines) say(`  ${line.split('\n')[0]}`);
  say(`run it again: npm run simulate -- --seed ${schedule.seed}`);
}
