import { type ObjectCount, type Pace, paceOf } from '../pace.ts';

/** How far the comparison of one dataset has come; the rate counts objects looked at. */
export interface ReconcileProgress extends Pace {
  readonly directory: string;
  readonly listed: number;
}

export function reconcileProgress(
  directory: string,
  listed: number,
  count: ObjectCount,
  durationMs: number,
): ReconcileProgress {
  return { directory, listed, ...paceOf(count, listed, count.counted - listed, durationMs) };
}
