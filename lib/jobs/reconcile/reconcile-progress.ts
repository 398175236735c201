import type { ObjectCount } from '../object-count.ts';

/** How far the comparison of one dataset has come. */
export interface ReconcileProgress {
  readonly directory: string;
  readonly listed: number;
  readonly count: ObjectCount;
  /** Objects looked at each second so far. */
  readonly perSecond: number;
  /** At this rate; undefined until all objects are counted. */
  readonly leftMs: number | undefined;
}

export function reconcileProgress(
  directory: string,
  listed: number,
  count: ObjectCount,
  durationMs: number,
): ReconcileProgress {
  const perSecond = durationMs === 0 ? 0 : (listed / durationMs) * 1_000;
  const left = Math.max(0, count.counted - listed);
  const leftMs = count.isAll && perSecond > 0 ? (left / perSecond) * 1_000 : undefined;
  return { directory, listed, count, perSecond, leftMs };
}
