import { parentPort, workerData } from 'node:worker_threads';
import { runSeeds } from './seeds.ts';

/** A range of seeds that all threads share. Each thread takes the next seed that no other has taken. */
export interface SeedRange {
  readonly from: number;
  readonly count: number;
  /** The number of seeds taken so far: one shared 32-bit integer. */
  readonly taken: SharedArrayBuffer;
  readonly shrunk: boolean;
}

/** Thousands of expected errors are thrown, and nobody reads their stacks. A seed that is run alone keeps them. */
Error.stackTraceLimit = 0;

const { from, count, taken, shrunk } = workerData as SeedRange;
const counter = new Int32Array(taken);

const tally = await runSeeds(
  () => {
    const index = Atomics.add(counter, 0, 1);
    return index < count ? from + index : undefined;
  },
  { traced: false, shrunk, say: (text) => parentPort?.postMessage({ text }) },
);
parentPort?.postMessage({ tally });
