import type { Timers } from '../../ports.ts';

/** The work's result, or that of `late` if it is not there in time. No timer is left behind. */
export async function withinTime<T>(work: Promise<T>, ms: number, late: () => T, timers: Timers): Promise<T> {
  const done = new AbortController();
  const waited = timers.sleep(Math.max(0, ms), done.signal).then(late);
  try {
    return await Promise.race([work, waited]);
  } finally {
    // With a reason of one's own none is made, whose stack would cost more than all of this.
    done.abort('done');
  }
}
