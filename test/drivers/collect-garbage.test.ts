import { expect, test } from 'vitest';
import { collectGarbage } from '../../lib/drivers/collect-garbage.ts';

const MIB = 1024 * 1024;

/** The bytes of array buffers after answers of 4 MiB, each of which is kept until the next two have come. */
function heldAfter(answers: number, collect: (answerBytes: number) => void): number {
  const kept: Buffer[] = [];
  for (let n = 0; n < answers; n += 1) {
    kept.push(Buffer.allocUnsafeSlow(4 * MIB));
    if (kept.length > 2) kept.shift();
    collect(4 * MIB);
  }
  return process.memoryUsage().arrayBuffers;
}

test('collectGarbage frees answers that have been replaced, also those that outlived a minor collection', () => {
  expect(heldAfter(8, () => undefined)).toBeGreaterThan(20 * MIB);
  expect(heldAfter(60, collectGarbage)).toBeLessThan(28 * MIB);
});

test('collectGarbage leaves no gc behind for others', () => {
  collectGarbage(0);
  expect(globalThis.gc).toBeUndefined();
});
