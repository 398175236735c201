import { describe, expect, test } from 'vitest';
import { makeSegment } from '../../local/shipper/segment.ts';
import type { Fleet } from './fleet.ts';
import { checksum, readings } from './readings.ts';
import { compare } from './verdict.ts';

const dataset = readings('readings_00');
const { rows } = makeSegment(dataset, 2, 0);
const shipped = { rows: rows.length, distinct: rows.length, checksum: checksum(rows) };
const fleet: Fleet = {
  datasets: [dataset],
  shipped: [],
  expected: () => shipped,
  ship: () => Promise.reject(new Error('nothing is shipped here')),
};
const reader = (found: typeof shipped) => ({
  name: 'an engine',
  count: async () => found,
  stop: async () => {},
});

describe('compare: what an engine counts against what was shipped', () => {
  test('the same rows', async () => {
    expect(await compare([reader(shipped)], fleet)).toEqual({
      rows: 20,
      duplicates: 0,
      lost: 0,
      differences: [],
    });
  });

  test('a row twice, a row lost, and a value that changed', async () => {
    const twice = { ...shipped, rows: 21 };
    const lost = { ...shipped, rows: 19, distinct: 19 };
    const changed = { ...shipped, checksum: checksum([{ ...rows[0], level: 99 }, ...rows.slice(1)]) };
    expect(await compare([reader(twice)], fleet)).toMatchObject({
      duplicates: 1,
      differences: [expect.any(String)],
    });
    expect(await compare([reader(lost)], fleet)).toMatchObject({
      lost: 1,
      differences: [expect.any(String)],
    });
    expect(await compare([reader(changed)], fleet)).toMatchObject({
      lost: 0,
      differences: [expect.any(String)],
    });
  });

  test('one lost in one table is not made up for by one too many in another', async () => {
    const both = { ...fleet, datasets: [dataset, readings('readings_01')] };
    const counts = [
      { ...shipped, rows: 19, distinct: 19 },
      { ...shipped, rows: 21 },
    ];
    const uneven = { name: 'an engine', count: async () => counts.shift() ?? shipped, stop: async () => {} };
    expect(await compare([uneven], both)).toMatchObject({ duplicates: 1, lost: 1 });
  });
});
