import type { ListedManifest } from './manifest-file-type.ts';

/** When manifests are merged: the table properties that Iceberg's own writers follow (Iceberg documentation, "Write properties"). */
export interface MergeLimits {
  readonly isEnabled: boolean;
  /** `commit.manifest.min-count-to-merge` */
  readonly minCount: number;
  /** `commit.manifest.target-size-bytes`: the limit for the total size of the sources of one merge. */
  readonly targetSizeBytes: bigint;
}

const MIN_COUNT = 100;
const TARGET_SIZE_BYTES = 8n * 1024n * 1024n;
/** Upper limit of the target size, whatever the table asks for, because a merge holds its sources in memory. */
const MOST_SIZE_BYTES = 64n * 1024n * 1024n;
/** One commit merges at most this many times the minimum count. A larger backlog takes several commits. */
const MOST_TIMES_MIN_COUNT = 2;
/** After a search without result, the list is searched again once this share of the minimum count has been added, at the earliest. */
const LOOK_AGAIN_SHARE = 0.1;

/** Reads the limits from the table's properties. A value that is not a positive whole number is replaced by the default. */
export function mergeLimits(properties: Readonly<Record<string, string>>): MergeLimits {
  const whole = (name: string): bigint | undefined => {
    const text = properties[name];
    return text !== undefined && /^[1-9]\d*$/.test(text) ? BigInt(text) : undefined;
  };
  const minCount = Number(whole('commit.manifest.min-count-to-merge') ?? MIN_COUNT);
  const targetSizeBytes = whole('commit.manifest.target-size-bytes') ?? TARGET_SIZE_BYTES;
  return {
    isEnabled: properties['commit.manifest-merge.enabled']?.toLowerCase() !== 'false',
    minCount: Math.max(2, minCount),
    targetSizeBytes: targetSizeBytes < MOST_SIZE_BYTES ? targetSizeBytes : MOST_SIZE_BYTES,
  };
}

export interface MergePlan {
  /** Neighbouring data manifests of one partition spec, newest first; empty if there is nothing to merge yet. */
  readonly sources: readonly ListedManifest[];
  /** The number of manifests from which it is worth searching the list again. */
  readonly lookAgainAt: number;
}

/**
 * Chooses the manifests of a list to merge: at least the minimum count of neighbours, none of which has more than half of the
 * files of the run. An entry is therefore only ever rewritten into a manifest with at least twice as many files, so each entry
 * is rewritten at most log2(files) times (the logarithmic method of Bentley and Saxe). Java's merges rewrite everything up to
 * the target size each time.
 *
 * @param manifests as listed, newest first
 * @param specIds the partition specs for which manifests can be written
 */
export function planMerge(
  manifests: readonly ListedManifest[],
  specIds: ReadonlySet<number>,
  limits: MergeLimits,
): MergePlan {
  const mergeable = manifests.filter((one) => isMergeable(one) && specIds.has(one.partitionSpecId));
  const bySpec = Map.groupBy(mergeable, ({ partitionSpecId }) => partitionSpecId);
  let longest = 0;
  for (const group of bySpec.values()) {
    for (let start = 0; start < group.length; start += 1) {
      const { run, isBalanced } = runFrom(group, start, limits);
      if (isBalanced && run.length >= limits.minCount) return { sources: run, lookAgainAt: 0 };
      longest = Math.max(longest, run.length);
    }
  }
  const needed = Math.max(limits.minCount - longest, Math.ceil(limits.minCount * LOOK_AGAIN_SHARE));
  return { sources: [], lookAgainAt: manifests.length + needed };
}

/** Only manifests of data files with known counts that are not encrypted. Manifests without live files have nothing to merge. */
function isMergeable({ content, addedFilesCount, existingFilesCount, keyMetadata }: ListedManifest): boolean {
  if (content !== 0 || keyMetadata !== undefined) return false;
  return (
    addedFilesCount !== undefined &&
    existingFilesCount !== undefined &&
    addedFilesCount + existingFilesCount > 0
  );
}

/**
 * As many neighbours as fit into one manifest, none of which has more files than all before it together. Then only the first
 * can have more than half of the files.
 */
function runFrom(
  group: readonly ListedManifest[],
  start: number,
  { minCount, targetSizeBytes }: MergeLimits,
) {
  const run: ListedManifest[] = [];
  let files = 0;
  let sizeBytes = 0n;
  for (const manifest of group.slice(start, start + MOST_TIMES_MIN_COUNT * minCount)) {
    sizeBytes += manifest.manifestLength;
    if (sizeBytes > targetSizeBytes || (run.length > 0 && liveFiles(manifest) > files)) break;
    run.push(manifest);
    files += liveFiles(manifest);
  }
  const [first] = run;
  return { run, isBalanced: first !== undefined && 2 * liveFiles(first) <= files };
}

function liveFiles({ addedFilesCount = 0, existingFilesCount = 0 }: ListedManifest): number {
  return addedFilesCount + existingFilesCount;
}
