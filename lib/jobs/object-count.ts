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
