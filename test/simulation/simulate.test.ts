import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeContents } from './contents.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import { simulate } from './simulate.ts';

const contents = makeContents();
const found = new URL('found/', import.meta.url);

describe('simulate', () => {
  test('finds nothing in the first schedules (I1 to I9, I11)', { timeout: 120_000 }, async () => {
    let commits = 0;
    for (let seed = 1; seed <= 300; seed += 1) {
      const outcome = await simulate(scheduleOf(seed), contents);
      expect(outcome.violations, `seed ${seed}`).toEqual([]);
      commits += outcome.commits;
    }
    expect(commits).toBeGreaterThan(1000);
  });

  test('is the same run for the same schedule, drawn or written down', { timeout: 120_000 }, async () => {
    let fired = 0;
    for (let seed = 1; seed <= 20; seed += 1) {
      const schedule = scheduleOf(seed);
      const drawn = await simulate(schedule, contents, { traced: true });
      const again = await simulate(schedule, contents, { traced: true });
      const written = await simulate({ ...schedule, faults: drawn.faults }, contents, { traced: true });
      expect(again.lines).toEqual(drawn.lines);
      expect(written.lines).toEqual(drawn.lines);
      fired += drawn.faults.length;
    }
    expect(fired).toBeGreaterThan(20);
  });

  /** Schedules that once violated an invariant, shrunk: each is a file, named for what happens in it. */
  test.each(readdirSync(found))('finds nothing any more in %s', async (file) => {
    const schedule = JSON.parse(readFileSync(new URL(file, found), 'utf8')) as Schedule;
    const { violations } = await simulate(schedule, contents);
    expect(violations).toEqual([]);
  });
});
