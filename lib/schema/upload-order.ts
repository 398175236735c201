export interface Upload {
  readonly uri: string;
  readonly lastModifiedMs: number;
  /**
   * S3's event sequencer: hexadecimal; orders the events of one key once the shorter value is padded with zeros on the right.
   */
  readonly sequencer?: string;
}

/**
 * Sorts uploads into the order in which their schemas are followed: by Last-Modified, then by sequencer (within one key), then
 * as given.
 */
export function inUploadOrder<T extends Upload>(uploads: readonly T[]): readonly T[] {
  const firstOfKey = new Map<string, number>();
  for (const [index, { uri }] of uploads.entries()) {
    if (!firstOfKey.has(uri)) firstOfKey.set(uri, index);
  }
  const placeOf = ({ uri }: Upload) => firstOfKey.get(uri) ?? 0;
  return uploads.toSorted(
    (a, b) => a.lastModifiedMs - b.lastModifiedMs || placeOf(a) - placeOf(b) || compareSequencers(a, b),
  );
}

function compareSequencers({ sequencer: a }: Upload, { sequencer: b }: Upload): number {
  if (a === undefined || b === undefined) return 0;
  const length = Math.max(a.length, b.length);
  const [left, right] = [a.padEnd(length, '0'), b.padEnd(length, '0')];
  return left < right ? -1 : left > right ? 1 : 0;
}
