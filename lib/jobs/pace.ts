/** How far work on listed objects has come. */

/** How many objects there are, counted by a pass of its own beside the work. */
export interface ObjectCount {
  readonly counted: number;
  /** Not yet: there are more. */
  readonly isAll: boolean;
}

/** Counts objects beside the work; a list that fails ends it, since the work's own says why. */
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

/** How fast work goes, and for how long it will at this rate. */
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
