import type { Timers } from '../../ports.ts';

/** The work's result, or that of `late`, which is only called if the work is not done in time. No timer is left behind. */
export async function withinTime<T>(work: Promise<T>, ms: number, late: () => T, timers: Timers): Promise<T> {
  const done = new AbortController();
  const over = timers.sleep(Math.max(0, ms), done.signal).then((): typeof OVER => OVER);
  try {
    const first = await Promise.race([work, over]);
    return first === OVER ? late() : first;
  } finally {
    // With a reason of one's own none is made, whose stack would cost more than all of this.
    done.abort('done');
  }
}

const OVER = Symbol('over');
