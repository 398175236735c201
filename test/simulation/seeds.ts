import { makeContents } from './contents.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import { shrink } from './shrink.ts';
import { type Outcome, simulate, violatesAs } from './simulate.ts';

/** The results of a range of seeds. */
export interface Tally {
  readonly schedules: number;
  readonly violations: number;
  readonly commits: number;
  readonly faults: ReadonlyMap<string, number>;
}

export interface SeedOptions {
  /** Print every step. */
  readonly traced: boolean;
  /** Reduce a violating schedule to the smallest one that still violates the invariant. */
  readonly shrunk: boolean;
  readonly say: (text: string) => void;
}

/** Runs seeds until `next` returns undefined. A violation is printed as soon as it is found. */
export async function runSeeds(next: () => number | undefined, options: SeedOptions): Promise<Tally> {
  const contents = makeContents();
  const faults = new Map<string, number>();
  let [schedules, violations, commits] = [0, 0, 0];
  for (let seed = next(); seed !== undefined; seed = next()) {
    const schedule = scheduleOf(seed);
    const outcome = await simulate(schedule, contents, { traced: options.traced });
    schedules += 1;
    commits += outcome.commits;
    for (const { kind } of outcome.faults) faults.set(kind, (faults.get(kind) ?? 0) + 1);
    if (options.traced) options.say(outcome.lines.join('\n'));
    if (outcome.violations.length === 0) continue;
    violations += 1;
    await report(schedule, outcome);
  }
  return { schedules, violations, commits, faults };

  async function report(schedule: Schedule, outcome: Outcome): Promise<void> {
    const lines = outcome.violations.slice(0, 5).map((violation) => `  ${violation.split('\n')[0]}`);
    if (options.shrunk) lines.push(...(await leastOf(schedule, outcome)));
    options.say([`seed ${schedule.seed} violates`, ...lines].join('\n'));
  }

  async function leastOf(schedule: Schedule, outcome: Outcome): Promise<readonly string[]> {
    const [first] = outcome.violations;
    const fails = (candidate: Schedule) => violatesAs(first, candidate, contents);
    const least = await shrink(schedule, outcome.faults, fails);
    const { lines } = await simulate(least, contents, { traced: true });
    return [
      'its least schedule, and what happens in it:',
      JSON.stringify(least),
      ...lines.map((line) => `  ${line.split('\n')[0]}`),
      `run it again: npm run simulate -- --seed ${schedule.seed}`,
    ];
  }
}

/** Adds up the tallies of several threads. */
export function total(tallies: readonly Tally[]): Tally {
  const sum = (of: 'schedules' | 'violations' | 'commits') =>
    tallies.reduce((so, tally) => so + tally[of], 0);
  const faults = new Map<string, number>();
  for (const [kind, times] of tallies.flatMap((tally) => [...tally.faults])) {
    faults.set(kind, (faults.get(kind) ?? 0) + times);
  }
  return { schedules: sum('schedules'), violations: sum('violations'), commits: sum('commits'), faults };
}
