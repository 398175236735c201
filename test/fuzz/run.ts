/**
 * `npm run fuzz -- --runs 1000000 [--seed text]`: reads that many damaged and random footers. Exits 1 and writes the input to
 * test/fuzz/seeds when one of them breaks a promise of the segment stage; the tests read those again.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readCommandLine } from '../../local/command-line.ts';
import { type Depth, fuzzedFooter, readFuzzed } from './footer-fuzz.ts';
import { realFooters } from './real-footers.ts';

const { values } = readCommandLine({
  options: { runs: { type: 'string', default: '100000' }, seed: { type: 'string', default: 'footer' } },
});
const runs = Number(values.runs);
const real = realFooters();
const reached: Record<Depth, number> = { undecoded: 0, schema: 0, end: 0 };
let broken = 0;
let slowest = { ms: 0, sizeBytes: 0, run: 0 };

for (let run = 0; run < runs; run++) {
  const bytes = fuzzedFooter(`${values.seed}/${run}`, real);
  const start = performance.now();
  try {
    reached[readFuzzed(bytes, run % 2 === 0 ? 2 : 3)]++;
  } catch (error) {
    broken++;
    const name = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    writeFileSync(path.join(import.meta.dirname, 'seeds', `${name}.hex`), Buffer.from(bytes).toString('hex'));
    console.error(`run ${values.seed}/${run}, kept as seeds/${name}.hex:`, error);
  }
  const ms = performance.now() - start;
  if (ms > slowest.ms) {
    // Once more: it may have been the machine.
    const again = Math.min(ms, timed(bytes));
    if (again > slowest.ms) slowest = { ms: again, sizeBytes: bytes.length, run };
  }
}

function timed(bytes: Uint8Array): number {
  const start = performance.now();
  try {
    readFuzzed(bytes, 3);
  } catch {
    // Reported by the run itself.
  }
  return performance.now() - start;
}

const share = (count: number): string => `${((100 * count) / runs).toFixed(1)} %`;
const walked = reached.schema + reached.end;
console.log(
  `${runs} footers: ${share(walked)} reached the schema walk, ${share(reached.end)} were read to the end`,
);
console.log(`slowest: ${slowest.ms.toFixed(1)} ms for ${slowest.sizeBytes} bytes (run ${slowest.run})`);
console.log(`${broken} broke a promise`);
if (broken > 0 || walked < runs / 2 || reached.end < runs / 10) process.exitCode = 1;
