import { readManifestEntries } from '../../append/manifest.ts';
import { type ManifestList, manifestFiles } from '../../append/manifest-list.ts';
import type { Store } from '../../ports.ts';
import type { ManifestFile } from '../../spec/manifest.ts';
import { readWhole } from '../register/table-manifests.ts';

/** How many of the examined data files are far below the size that the table's writers aim at. */
export interface SmallFiles {
  readonly looked: number;
  readonly small: number;
  /** Files below this size count as small. */
  readonly belowBytes: number;
}

/**
 * At most this many manifests are read. The largest ones cover most files, so examining any table costs no more reads than
 * these.
 */
const MOST_MANIFESTS = 8;
const SMALL_SHARE = 8;
/** A table with so few files is quick to plan, whatever their size. */
const FEW_FILES = 1_000;
const MANY = 1_000_000;
const DEFAULT_TARGET_BYTES = 512 * 1024 * 1024;

/**
 * How many of a table's data files are below an eighth of `write.target-file-size-bytes`: files that make queries open much for
 * little data. Examines the data files in the largest manifests.
 *
 * @returns undefined for a table with at most 1,000 data files, of which no manifest is read
 * @throws `store.unavailable`, `auth.failed`, `table.unsupported`
 */
export async function smallFilesOf(
  list: ManifestList,
  properties: Readonly<Record<string, string>>,
  store: Pick<Store, 'read'>,
): Promise<SmallFiles | undefined> {
  const target = properties['write.target-file-size-bytes'] ?? '';
  const targetBytes = /^\d+$/.test(target) ? Number(target) : DEFAULT_TARGET_BYTES;
  const belowBytes = Math.floor(targetBytes / SMALL_SHARE);
  const manifests = manifestFiles(list).filter(({ content }) => content === 0);
  if (manifests.reduce((sum, manifest) => sum + liveFiles(manifest), 0) <= FEW_FILES) return undefined;
  let looked = 0;
  let small = 0;
  const largest = manifests.toSorted((a, b) => liveFiles(b) - liveFiles(a)).slice(0, MOST_MANIFESTS);
  // One after the other: a manifest is held in memory while it is counted.
  for (const { manifestPath } of largest) {
    for (const { status, fileSizeInBytes } of readManifestEntries(
      await readWhole(store, manifestPath),
      manifestPath,
    )) {
      if (status === 'deleted') continue;
      looked += 1;
      if (fileSizeInBytes < belowBytes) small += 1;
    }
  }
  return { looked, small, belowBytes };
}

/** The live files of a manifest. A count that its writer left out is assumed to be large, so that the manifest is read. */
function liveFiles({ addedFilesCount = MANY, existingFilesCount = MANY }: ManifestFile): number {
  return addedFilesCount + existingFilesCount;
}
