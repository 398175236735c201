import { describe, expect, test } from 'vitest';
import type { Fault } from './faults.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import { shrink } from './shrink.ts';

const fault = (site: string): Fault => ({ site, operation: 'catalog.commit', kind: 'answer lost', ms: 1 });
const fired = ['a', 'b', 'c', 'd', 'e'].map(fault);

function sitesOf({ faults }: Schedule): readonly string[] {
  return faults === 'drawn' ? [] : faults.map(({ site }) => site);
}

describe('shrink', () => {
  test('keeps the two faults and the one upload that it takes', async () => {
    const schedule = scheduleOf(11);
    const key = schedule.ops.flatMap((op) => (op.kind === 'ship' ? op.uploads : []))[0]?.key;
    const least = await shrink(schedule, fired, async (candidate) => {
      const sites = sitesOf(candidate);
      const uploads = candidate.ops.flatMap((op) => (op.kind === 'ship' ? op.uploads : []));
      return sites.includes('b') && sites.includes('e') && uploads.some((upload) => upload.key === key);
    });
    expect(sitesOf(least)).toEqual(['b', 'e']);
    expect(least.ops).toMatchObject([{ kind: 'ship', uploads: [{ key }] }]);
    expect(least.settings.handlers).toBe(1);
  });

  test('leaves a schedule as it is whose written faults do not make it fail', async () => {
    const schedule = scheduleOf(11);
    expect(await shrink(schedule, fired, async () => false)).toBe(schedule);
  });
});
