import { readManifestEntries } from '../append/manifest.ts';
import { type ManifestList, manifestFiles, readManifestList } from '../append/manifest-list.ts';
import { RegistrarError } from '../errors.ts';
import type { ManifestReader } from '../ledger/ledger.ts';
import type { Store } from '../ports.ts';
import type { ManifestEntry, ManifestFile } from '../spec/manifest.ts';
import type { Snapshot } from '../spec/snapshot.ts';

/** A snapshot's manifest list; undefined for v1 snapshots that have none. @throws `store.unavailable` when it is gone */
export async function readList(
  store: Pick<Store, 'read'>,
  snapshot: Snapshot | undefined,
): Promise<ManifestList | undefined> {
  if (snapshot?.manifestList === undefined) return undefined;
  return readManifestList(await readWhole(store, snapshot.manifestList), snapshot.manifestList);
}

/** Reads manifests for the ledger, each snapshot's additions once: snapshots never change. */
export function manifestReader(store: Pick<Store, 'read'>): ManifestReader {
  const additions = new Map<bigint, Promise<readonly ManifestEntry[]>>();
  return {
    added(snapshot) {
      let known = additions.get(snapshot.snapshotId);
      if (known === undefined) {
        known = readAdditions(store, snapshot);
        additions.set(snapshot.snapshotId, known);
      }
      return known;
    },
    async *live(head) {
      for (const manifest of dataManifests(await readList(store, head))) {
        for (const entry of await entriesOf(store, manifest)) if (entry.status !== 'deleted') yield entry;
      }
    },
  };
}

async function readAdditions(
  store: Pick<Store, 'read'>,
  snapshot: Snapshot,
): Promise<readonly ManifestEntry[]> {
  const manifests = dataManifests(await readList(store, snapshot)).filter(
    ({ addedSnapshotId }) => addedSnapshotId === snapshot.snapshotId,
  );
  const entries = await Promise.all(manifests.map((manifest) => entriesOf(store, manifest)));
  return entries
    .flat()
    .filter(
      ({ status, snapshotId }) =>
        status === 'added' && (snapshotId ?? snapshot.snapshotId) === snapshot.snapshotId,
    );
}

function dataManifests(list: ManifestList | undefined): readonly ManifestFile[] {
  return (list === undefined ? [] : manifestFiles(list)).filter(({ content }) => content === 0);
}

async function entriesOf(
  store: Pick<Store, 'read'>,
  manifest: ManifestFile,
): Promise<readonly ManifestEntry[]> {
  return [...readManifestEntries(await readWhole(store, manifest.manifestPath), manifest.manifestPath)];
}

async function readWhole(store: Pick<Store, 'read'>, uri: string): Promise<Uint8Array> {
  const read = await store.read(uri);
  if (read.kind === 'object') return read.bytes;
  throw new RegistrarError(
    'store.unavailable',
    `Cannot read "${uri}", which the table's metadata names: the store says ${read.kind}; check the table with the platform's tools and the permissions of the function's role`,
    { context: { uri } },
  );
}
