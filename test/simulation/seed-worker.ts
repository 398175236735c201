import { parentPort, workerData } from 'node:worker_threads';
import { runSeeds } from './seeds.ts';

/** One of the threads that share a range of seeds: each takes the next one that none has taken. */
export interface SeedRange {
  readonly from: number;
  readonly count: number;
  /** How many seeds have been taken: one 32-bit integer, shared. */
  readonly taken: SharedArrayBuffer;
  readonly shrunk: boolean;
}

/** Errors are values here, thrown by the thousand: nobody reads where. A seed that is run alone has its stacks. */
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
