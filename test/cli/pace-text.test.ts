import { expect, test } from 'vitest';
import { paceText } from '../../cli/pace-text.ts';

const pace = (counted: number, isAll = true) => ({
  count: { counted, isAll },
  perSecond: 1310,
  leftMs: undefined,
});

test('paceText has seen no more objects than there are, and one object is one', () => {
  expect(paceText(3_007, pace(3_004))).toBe('3,007 of 3,007 objects · 1,310 a second');
  expect(paceText(3_007, pace(3_004, false))).toMatch(/^3,007 of at least 3,007 objects /);
  expect(paceText(0, pace(1))).toMatch(/^0 of 1 object /);
});
