import { readEntryMetrics, readManifestEntries } from '../../append/manifest.ts';
import { type ManifestList, manifestFiles, readManifestList } from '../../append/manifest-list.ts';
import { RegistrarError } from '../../errors.ts';
import type { ManifestReader } from '../../ledger/ledger.ts';
import type { Store } from '../../ports.ts';
import type { ManifestEntry, ManifestFile } from '../../spec/manifest.ts';
import type { Snapshot } from '../../spec/snapshot.ts';

/** A snapshot's manifest list; undefined for v1 snapshots that have none. @throws `store.unavailable` when the file is gone */
export async function readList(
  store: Pick<Store, 'read'>,
  snapshot: Snapshot | undefined,
): Promise<ManifestList | undefined> {
  if (snapshot?.manifestList === undefined) return undefined;
  return readManifestList(await readWhole(store, snapshot.manifestList), snapshot.manifestList);
}

/** Reads manifests for the ledger. The ledger's memory keeps what was read before. */
export function manifestReader(store: Pick<Store, 'read'>): ManifestReader {
  return {
    added: (snapshot) => readAdditions(store, snapshot),
    async *live(head) {
      for (const manifest of dataManifests(await readList(store, head))) {
        if (!holdsLiveFiles(manifest)) continue;
        for (const entry of await entriesOf(store, manifest)) {
          // An entry without a snapshot is of the one that added its manifest (spec, "Manifest Entry Fields").
          const snapshotId = entry.snapshotId ?? manifest.addedSnapshotId;
          if (entry.status !== 'deleted') yield { ...entry, snapshotId };
        }
      }
    },
    async metrics({ manifestPath, filePath }) {
      return readEntryMetrics(await readWhole(store, manifestPath), manifestPath, filePath);
    },
  };
}

/** How many live data files a snapshot has according to its list: only a hint for sizing. */
export async function liveFileCount(store: Pick<Store, 'read'>, head: Snapshot): Promise<number> {
  return dataManifests(await readList(store, head)).reduce(
    (sum, { addedFilesCount = 0, existingFilesCount = 0 }) => sum + addedFilesCount + existingFilesCount,
    0,
  );
}

async function readAdditions(
  store: Pick<Store, 'read'>,
  snapshot: Snapshot,
): Promise<readonly ManifestEntry[]> {
  // A manifest that a snapshot wrote need not have anything that it added: it may be merged, or without what was deleted.
  const manifests = dataManifests(await readList(store, snapshot)).filter(
    ({ addedSnapshotId, addedFilesCount }) =>
      addedSnapshotId === snapshot.snapshotId && addedFilesCount !== 0,
  );
  const additions: ManifestEntry[] = [];
  for (const manifest of manifests) {
    for (const entry of await entriesOf(store, manifest)) {
      const isOwn = (entry.snapshotId ?? snapshot.snapshotId) === snapshot.snapshotId;
      if (entry.status === 'added' && isOwn) additions.push(entry);
    }
  }
  return additions;
}

function dataManifests(list: ManifestList | undefined): readonly ManifestFile[] {
  return (list === undefined ? [] : manifestFiles(list)).filter(({ content }) => content === 0);
}

/** Whether a manifest may hold live files. A count that its writer left out is unknown, not zero. */
function holdsLiveFiles({ addedFilesCount, existingFilesCount }: ManifestFile): boolean {
  return addedFilesCount !== 0 || existingFilesCount !== 0;
}

/** The entries of a manifest, decoded block by block as they are iterated. */
async function entriesOf(
  store: Pick<Store, 'read'>,
  { manifestPath }: ManifestFile,
): Promise<Iterable<ManifestEntry>> {
  return readManifestEntries(await readWhole(store, manifestPath), manifestPath);
}

/** Reads a file of the table. @throws `store.unavailable` when it is gone */
export async function readWhole(store: Pick<Store, 'read'>, uri: string): Promise<Uint8Array> {
  const read = await store.read(uri);
  if (read.kind === 'object') return read.bytes;
  throw new RegistrarError(
    'store.unavailable',
    `Cannot read "${uri}", which the table's metadata names: the store says ${read.kind}; check the table with the platform's tools and the permissions of the function's role`,
    { context: { uri } },
  );
}
