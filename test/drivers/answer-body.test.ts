import { expect, test } from 'vitest';
import { answerBody } from '../../lib/drivers/answer-body.ts';

const MIB = 1024 * 1024;

test.each([
  ['no chunk', []],
  ['an empty one', [0]],
  ['one', [7]],
  ['small ones', [7, 0, 9]],
  ['one that is large', [9 * MIB, 3]],
  ['many', Array(95).fill(100_000)],
])(
  'a body is its chunks one after another, and leaves them as they were: %s',
  (_, sizes: readonly number[]) => {
    for (const expected of [0, 100, 9 * MIB, 64 * MIB]) {
      const chunks = sizes.map((size, index) => Buffer.alloc(size, index + 1));
      const whole = Buffer.concat(chunks);
      const body = answerBody(expected);
      for (const chunk of chunks) body.push(chunk);
      expect(body.sizeBytes).toBe(whole.length);
      expect(body.bytes().equals(whole)).toBe(true);
      expect(Buffer.concat(chunks).equals(whole)).toBe(true);
    }
  },
);

test('a large body as long as expected is moved once', () => {
  const body = answerBody(12 * MIB);
  for (let byte = 0; byte < 12; byte += 1) body.push(Buffer.alloc(MIB, byte));
  expect(body.bytes().buffer.byteLength).toBe(12 * MIB);
});
