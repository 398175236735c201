import { readManifestEntries } from '../../lib/append/manifest.ts';
import type { ListedManifest } from '../../lib/append/manifest-file-type.ts';
import { manifestFiles, readManifestList } from '../../lib/append/manifest-list.ts';
import { onceFor } from '../../lib/memo.ts';
import type { ManifestEntry } from '../../lib/spec/manifest.ts';
import type { SnapshotJson, TableMetadata } from '../../local/catalog/table-metadata.ts';
import { type EntryIdentity, entryIdentities } from './entry-identity.ts';
import type { SimStore } from './store.ts';

/** Reads the files of tables from the store, each version of a file once. */
export interface TableFiles {
  /** @throws Error if a file is missing or unreadable */
  list(path: string): readonly ListedManifest[];
  /** The live data files of a snapshot. @throws Error if a file is missing or unreadable */
  live(snapshot: SnapshotJson | undefined): readonly ManifestEntry[];
  /** By path, how readers interpret its entries. At the limit of I2 a file may have two. */
  identities(snapshot: SnapshotJson | undefined): ReadonlyMap<string, readonly EntryIdentity[]>;
  /** The delete manifests. */
  deletes(snapshot: SnapshotJson | undefined): readonly string[];
  /** The files that this snapshot added. */
  added(snapshot: SnapshotJson): readonly ManifestEntry[];
}

export function tableFiles(store: SimStore): TableFiles {
  const lists = new Map<string, readonly ListedManifest[]>();
  const manifests = new Map<string, readonly ManifestEntry[]>();
  const identified = new Map<string, ReturnType<typeof entryIdentities>>();

  function cached<T>(known: Map<string, T>, path: string, read: (bytes: Uint8Array) => T): T {
    const object = store.objects.get(path);
    if (object === undefined) throw new Error(`"${path}" is gone`);
    const name = `${path}@${object.version}`;
    let value = known.get(name);
    if (value === undefined) {
      value = read(object.bytes);
      known.set(name, value);
    }
    return value;
  }
  const list = (path: string): readonly ListedManifest[] =>
    cached(lists, path, (bytes) => manifestFiles(readManifestList(bytes, path)));
  const entries = (path: string): readonly ManifestEntry[] =>
    cached(manifests, path, (bytes) => [...readManifestEntries(bytes, path)]);

  return {
    list,
    live: (snapshot) =>
      dataManifests(snapshot).flatMap(({ manifestPath }) =>
        entries(manifestPath).filter(({ status }) => status !== 'deleted'),
      ),
    identities: (snapshot) => {
      const all = dataManifests(snapshot).flatMap((manifest) => [
        ...cached(identified, manifest.manifestPath, (bytes) => entryIdentities(manifest, bytes)),
      ]);
      const byPath = Map.groupBy(all, ([path]) => path);
      return new Map([...byPath].map(([path, same]) => [path, same.map(([, identity]) => identity)]));
    },
    deletes: (snapshot) =>
      listOf(snapshot).flatMap(({ content, manifestPath }) => (content === 1 ? [manifestPath] : [])),
    added: (snapshot) => {
      const id = BigInt(snapshot['snapshot-id']);
      return dataManifests(snapshot)
        .filter(({ addedSnapshotId }) => addedSnapshotId === id)
        .flatMap(({ manifestPath }) => entries(manifestPath).filter(({ status }) => status === 'added'));
    },
  };

  function dataManifests(snapshot: SnapshotJson | undefined): readonly ListedManifest[] {
    return listOf(snapshot).filter(({ content }) => content === 0);
  }

  function listOf(snapshot: SnapshotJson | undefined): readonly ListedManifest[] {
    const path = snapshot?.['manifest-list'];
    return typeof path === 'string' ? list(path) : [];
  }
}

export function headOf(metadata: TableMetadata, branch: string): SnapshotJson | undefined {
  const id = metadata.refs[branch]?.['snapshot-id'];
  return id === undefined ? undefined : snapshotOf(metadata, BigInt(id));
}

export function snapshotOf(metadata: TableMetadata, id: bigint): SnapshotJson | undefined {
  return snapshotsById(metadata).get(id);
}

export const snapshotsById = onceFor(
  ({ snapshots }: TableMetadata): ReadonlyMap<bigint, SnapshotJson> =>
    new Map(snapshots.map((one) => [BigInt(one['snapshot-id']), one])),
);

/** A snapshot and its retained ancestors, newest first. */
export function ancestry(metadata: TableMetadata, head: SnapshotJson | undefined): readonly SnapshotJson[] {
  const line: SnapshotJson[] = [];
  for (let at = head; at !== undefined; ) {
    line.push(at);
    const parent = at['parent-snapshot-id'];
    at = parent === undefined ? undefined : snapshotOf(metadata, BigInt(parent));
  }
  return line;
}
