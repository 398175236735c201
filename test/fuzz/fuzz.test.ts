import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Depth, fuzzedFooter, readFuzzed } from './footer-fuzz.ts';
import { realFooters } from './real-footers.ts';

const seeds = path.join(import.meta.dirname, 'seeds');

test('every footer that once broke a promise of the segment stage keeps it now', () => {
  for (const name of readdirSync(seeds).filter((file) => file.endsWith('.hex'))) {
    const bytes = Buffer.from(readFileSync(path.join(seeds, name), 'utf8'), 'hex');
    for (const formatVersion of [2, 3] as const)
      expect(() => readFuzzed(bytes, formatVersion), name).not.toThrow();
  }
});

test('5,000 damaged and random footers end in a segment or a typed refusal, in work linear in their size', () => {
  const real = realFooters(['test/files']);
  const reached: Record<Depth, number> = { undecoded: 0, schema: 0, end: 0 };
  for (let run = 0; run < 5000; run++) {
    reached[readFuzzed(fuzzedFooter(`test/${run}`, real), run % 2 === 0 ? 2 : 3)]++;
  }
  expect(reached.schema + reached.end).toBeGreaterThan(2500);
  expect(reached.end).toBeGreaterThan(500);
});
