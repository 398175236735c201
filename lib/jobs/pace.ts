/** How far work on listed objects has come. */

/** The number of objects, counted by a separate pass alongside the work. */
export interface ObjectCount {
  readonly counted: number;
  /** False while counting is still under way: there are more. */
  readonly isAll: boolean;
}

/** Counts objects alongside the work. If this listing fails, the count stops: the listing of the work itself reports the error. */
export function countObjects(objects: AsyncIterable<unknown>, signal: AbortSignal): () => ObjectCount {
  const count = { counted: 0, isAll: false };
  const pass = async () => {
    for await (const _ of objects) {
      if (signal.aborted) return;
      count.counted += 1;
    }
    count.isAll = true;
  };
  pass().catch(() => undefined);
  return () => count;
}

/** How fast work proceeds, and how long it will take at this rate. */
export interface Pace {
  readonly count: ObjectCount;
  readonly perSecond: number;
  /** Undefined until all objects are counted. */
  readonly leftMs: number | undefined;
}

export function paceOf(count: ObjectCount, done: number, left: number, durationMs: number): Pace {
  const perSecond = durationMs === 0 ? 0 : (done / durationMs) * 1_000;
  const leftMs = count.isAll && perSecond > 0 ? (Math.max(0, left) / perSecond) * 1_000 : undefined;
  return { count, perSecond, leftMs };
}
