import type { ListedManifest } from './manifest-file-type.ts';

/** When manifests are merged: the table properties that Iceberg's own writers follow (its documentation, "Write properties"). */
export interface MergeLimits {
  readonly isEnabled: boolean;
  /** `commit.manifest.min-count-to-merge` */
  readonly minCount: number;
  /** `commit.manifest.target-size-bytes`: the sources of one merge are not larger together. */
  readonly targetSizeBytes: bigint;
}

const MIN_COUNT = 100;
const TARGET_SIZE_BYTES = 8n * 1024n * 1024n;
/** What a merge may hold in memory, whatever the table asks for. */
const MOST_SIZE_BYTES = 64n * 1024n * 1024n;
/** A backlog is worked off in as many commits as it needs: one merges this many times the least count at most. */
const MOST_TIMES_MIN_COUNT = 2;
/** A list is looked through again after this share of the least count has been added, at the earliest. */
const LOOK_AGAIN_SHARE = 0.1;

/** As the table has them; what is no number has the default. */
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
  /** Neighbours among the list's data manifests of one spec, newest first; empty when there is nothing to merge yet. */
  readonly sources: readonly ListedManifest[];
  /** How many manifests the list has to have before it is worth looking through again. */
  readonly lookAgainAt: number;
}

/**
 * Which manifests of a list to merge: at least the least count of neighbours, none of them with more than half of the files
 * that they have together. So a file is written anew only into a manifest with at least twice as many, which is the
 * logarithm of a table's files in all (the logarithmic method of Bentley and Saxe); Java's merges write everything up to the
 * target size anew each time.
 *
 * @param manifests as listed, newest first
 * @param specIds the partition specs that manifests can be written for
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

/** Data files of which all is known, and not encrypted. Manifests without live files have nothing to merge. */
function isMergeable({ content, addedFilesCount, existingFilesCount, keyMetadata }: ListedManifest): boolean {
  if (content !== 0 || keyMetadata !== undefined) return false;
  return (
    addedFilesCount !== undefined &&
    existingFilesCount !== undefined &&
    addedFilesCount + existingFilesCount > 0
  );
}

/** As many neighbours as fit together, each no larger than those before it; only the first may then be too large. */
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
