import type { ListedManifest } from '../../lib/append/manifest-file-type.ts';
import { readContainer, records } from '../../lib/append/object-container.ts';
import { type Columns, rowReader } from '../../lib/append/row-reader.ts';

const DELETED = 2;

const COLUMNS = {
  status: { id: 0, as: 'int' },
  snapshotId: { id: 1, as: 'long' },
  sequenceNumber: { id: 3, as: 'long' },
  fileSequenceNumber: { id: 4, as: 'long' },
  filePath: { id: 100, as: 'string' },
  recordCount: { id: 103, as: 'long' },
  firstRowId: { id: 142, as: 'long' },
} as const satisfies Columns;

/**
 * By path, what a reader makes of each live entry of a manifest: the snapshot that added it, both sequence numbers, which
 * decide what deletes apply to it, and its first row ID (spec, "Manifest Entry Fields"). Manifests come and go; this stays.
 */
export function entryIdentities(manifest: ListedManifest, bytes: Uint8Array): ReadonlyMap<string, string> {
  const identities = new Map<string, string>();
  let rowId = manifest.firstRowId;
  for (const row of records(readContainer(bytes), (shape) => rowReader(shape, COLUMNS))) {
    if (row.status === DELETED) continue;
    const { addedSnapshotId, sequenceNumber } = manifest;
    const identity = [
      row.snapshotId ?? addedSnapshotId,
      row.sequenceNumber ?? sequenceNumber,
      row.fileSequenceNumber ?? sequenceNumber,
      row.firstRowId ?? rowId,
    ];
    if (row.firstRowId === undefined && rowId !== undefined) rowId += row.recordCount ?? 0n;
    identities.set(row.filePath ?? '', identity.join('/'));
  }
  return identities;
}
