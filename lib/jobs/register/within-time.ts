import type { Timers } from '../../ports.ts';

/** The work's answer, or what `late` says when it is not there in time; nothing of the waiting stays behind. */
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
