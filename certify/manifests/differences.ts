import type { AvroFile, WrittenSnapshot } from './java.ts';

/** A field whose value differs between our file and Java's; undefined on the side that does not have the field. */
export interface Difference {
  /** `manifests.0.records.3.data_file.lower_bounds.5` */
  readonly path: string;
  readonly ours: string | undefined;
  readonly java: string | undefined;
}

/** Compares every field of a snapshot, its manifest list and its manifests, including schemas and headers: counts them, and lists differences. */
export function compareSnapshots(
  ours: WrittenSnapshot,
  java: WrittenSnapshot,
): { readonly fields: number; readonly differences: readonly Difference[] } {
  const [mine, theirs] = [fieldsOf(comparable(ours)), fieldsOf(comparable(java))];
  const paths = new Set([...mine.keys(), ...theirs.keys()]);
  const differences = [...paths]
    .map((path) => ({ path, ours: mine.get(path), java: theirs.get(path) }))
    .filter(({ ours: one, java: other }) => one !== other);
  return { fields: paths.size, differences };
}

/**
 * Removes what two writers cannot have in common: the snapshot's ID, and the names and lengths of the manifests that it added. Parses JSON
 * in headers, and sorts entries by file.
 */
function comparable(snapshot: WrittenSnapshot): unknown {
  const { snapshotId, list, manifests, ...rest } = snapshot;
  const records = list.records.map((record) => {
    if (record['added_snapshot_id'] !== snapshotId) return record;
    return { ...record, manifest_path: 'added', manifest_length: 'added', added_snapshot_id: 'added' };
  });
  const { 'snapshot-id': own, ...metadata } = list.metadata;
  return {
    ...rest,
    list: { ...readable({ ...list, metadata }), records, ownId: own === snapshotId },
    manifests: manifests.map((manifest) => ({
      ...readable(manifest),
      records: manifest.records
        .map((entry) => (entry['snapshot_id'] === snapshotId ? { ...entry, snapshot_id: 'added' } : entry))
        .toSorted((a, b) => (filePath(a) < filePath(b) ? -1 : 1)),
    })),
  };
}

const JSON_HEADERS = new Set(['schema', 'partition-spec', 'iceberg.schema']);

function readable({ metadata, ...file }: AvroFile) {
  const headers = Object.entries(metadata).map(([key, text]) => [
    key,
    JSON_HEADERS.has(key) ? JSON.parse(text) : text,
  ]);
  return { ...file, metadata: Object.fromEntries(headers) as object };
}

function filePath(entry: Readonly<Record<string, unknown>>): string {
  return String((entry['data_file'] as { readonly file_path?: string })?.file_path);
}

/** The leaves of a value by path. Null, an empty list and an empty object are leaves too. */
function fieldsOf(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (members.length === 0) found.set(path, spelled(value));
  for (const [name, member] of members) fieldsOf(member, path === '' ? name : `${path}.${name}`, found);
  return found;
}

/** Writes types as `decimal(9,2)`, without a space. */
function spelled(value: unknown): string {
  if (typeof value === 'string' && /^(decimal|fixed)\W/.test(value)) return value.replaceAll(' ', '');
  // Java's reader returns an empty map as an empty list.
  return typeof value === 'object' && value !== null ? 'empty' : String(value);
}
