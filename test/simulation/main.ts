/**
 * Runs fault schedules on every core: `npm run simulate -- --seeds 20000 [--from 1]`. `--seed 7` runs one and prints every step.
 * A schedule that violates an invariant is shrunk and printed. The last line is `N schedules, M violations`.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { readCommandLine } from '../../local/command-line.ts';
import type { SeedRange } from './seed-worker.ts';
import { runSeeds, type Tally, total } from './seeds.ts';

const { values } = readCommandLine({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
  },
});
const shrunk = !values['no-shrink'];
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** How often a long run prints its progress. It can be resumed from there with `--from`. */
const PROGRESS_MS = 10_000;
/** No object outlives its schedule. A young generation with room for many schedules leaves the garbage collector little to copy. */
const YOUNG_GENERATION_MB = 128;

const beganMs = performance.now();
const tally = values.seed === undefined ? await runRange() : await runOne(Number(values.seed));
const seconds = (performance.now() - beganMs) / 1000;
say([...tally.faults].map(([kind, times]) => `${kind} ${times}`).join(', '));
say(`${Math.round(tally.schedules / seconds)} schedules a second, ${tally.commits} commits`);
say(`${tally.schedules} schedules, ${tally.violations} violations`);
process.exitCode = tally.violations > 0 ? 1 : 0;

function runOne(seed: number): Promise<Tally> {
  const seeds = [seed];
  return runSeeds(() => seeds.pop(), { traced: true, shrunk, say });
}

async function runRange(): Promise<Tally> {
  const range: SeedRange = {
    from: Number(values.from),
    count: Number(values.seeds),
    taken: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    shrunk,
  };
  const progress = setInterval(() => {
    const done = Math.min(range.count, new Int32Array(range.taken)[0] ?? 0);
    process.stderr.write(`up to seed ${range.from + done - 1}\n`);
  }, PROGRESS_MS);
  try {
    return total(await Promise.all(Array.from({ length: availableParallelism() }, () => thread(range))));
  } finally {
    clearInterval(progress);
  }
}

function thread(range: SeedRange): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./seed-worker.ts', import.meta.url), {
      workerData: range,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.on('message', ({ text, tally: done }: { text?: string; tally?: Tally }) => {
      if (text !== undefined) say(text);
      if (done !== undefined) resolve(done);
    });
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`A thread ended with exit code ${code}`)));
  });
}
