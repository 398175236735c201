import { describe, expect, test } from 'vitest';
import { mean, median, quantile } from '../../bench/side-by-side/report/statistics.ts';

describe('quantile', () => {
  test('of an even count lies between the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
  test('0.95 lies between the two values around it, whatever their order', () => {
    expect(quantile([10, 0, 20], 0.95)).toBeCloseTo(19);
  });
  test('leaves its input as it was', () => {
    const values = [3, 1, 2];
    quantile(values, 0.5);
    expect(values).toEqual([3, 1, 2]);
  });
  test.each([() => median([]), () => mean([])])('of nothing is refused', (work) => {
    expect(work).toThrow(RangeError);
  });
});
