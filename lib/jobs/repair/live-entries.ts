import { readManifestEntries, readVectors } from '../../append/manifest.ts';
import type { ListedManifest } from '../../append/manifest-file-type.ts';
import { type ManifestList, manifestFiles } from '../../append/manifest-list.ts';
import type { Store } from '../../ports.ts';
import type { ManifestEntry } from '../../spec/manifest.ts';
import { plainSpelling } from '../../spec/object-uri.ts';
import { readWhole } from '../register/table-manifests.ts';

/** A manifest with live entries of the requested path. */
export interface ManifestWithEntries {
  readonly manifest: ListedManifest;
  readonly bytes: Uint8Array;
  readonly entries: readonly ManifestEntry[];
}

/** The live entries of one path, in any spelling of it, grouped by manifest in the order of the manifest list. */
export async function liveEntries(
  store: Pick<Store, 'read'>,
  list: ManifestList,
  uri: string,
): Promise<readonly ManifestWithEntries[]> {
  const path = plainSpelling(uri);
  const found: ManifestWithEntries[] = [];
  for (const manifest of manifestFiles(list)) {
    if (manifest.content !== 0) continue;
    const bytes = await readWhole(store, manifest.manifestPath);
    const entries = [...readManifestEntries(bytes, manifest.manifestPath)].filter(
      ({ filePath, status }) => status !== 'deleted' && plainSpelling(filePath) === path,
    );
    if (entries.length > 0) found.push({ manifest, bytes, entries });
  }
  return found;
}

/** The manifests with a live deletion vector of a data file, in the order of the manifest list. */
export async function vectorManifests(
  store: Pick<Store, 'read'>,
  list: ManifestList,
  uri: string,
): Promise<readonly Omit<ManifestWithEntries, 'entries'>[]> {
  const path = plainSpelling(uri);
  const found: Omit<ManifestWithEntries, 'entries'>[] = [];
  for (const manifest of manifestFiles(list)) {
    if (manifest.content !== 1) continue;
    const bytes = await readWhole(store, manifest.manifestPath);
    const isIn = readVectors(bytes, manifest.manifestPath).some((file) => plainSpelling(file) === path);
    if (isIn) found.push({ manifest, bytes });
  }
  return found;
}
