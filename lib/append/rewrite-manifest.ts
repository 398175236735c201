import { messageOf, RegistrarError } from '../errors.ts';
import {
  CODEC,
  packBlocks,
  readContainer,
  shapeOf,
  syncMarker,
  writeContainer,
} from './avro/object-container.ts';
import { editableFields, recordEditor } from './avro/record-editor.ts';
import { type ExplicitEntry, entryReader, explicitEntries } from './explicit-entries.ts';
import type { ListedManifest } from './manifest-file-type.ts';
import type { PreparedManifest } from './prepare.ts';

/** A rewritten manifest in which some files are marked as deleted, and the counts of these files. */
export interface RewrittenManifest extends PreparedManifest {
  /** The path of the manifest that it replaces. */
  readonly replaces: string;
  readonly removed: readonly Pick<ExplicitEntry, 'vectorOf' | 'recordCount' | 'fileSizeInBytes'>[];
}

const DELETED = 2n;

/** Fields that have to be explicit in a rewritten entry, and the format version whose manifests first have them. */
const REQUIRED_SINCE = [
  { id: 3, version: 2 },
  { id: 142, version: 3 },
] as const;

/**
 * Writes a manifest again without some of its files (spec, "Manifest Entry Fields"). These are marked as deleted by this
 * snapshot. The other entries become existing entries whose inherited values are explicit. Everything else, including metrics
 * and partition, is kept byte for byte.
 *
 * @param input.removes called with each live entry, in order
 * @param input.uuid names the manifest, so it must never have been used before (I1)
 * @throws `table.unsupported` for a manifest that cannot be read, or one of format version 1 in a later table
 */
export function rewriteManifest(input: {
  readonly manifest: ListedManifest;
  readonly bytes: Uint8Array;
  readonly formatVersion: 1 | 2 | 3;
  readonly removes: (entry: Pick<ExplicitEntry, 'filePath' | 'vectorOf'>) => boolean;
  readonly snapshotId: bigint;
  readonly path: string;
  readonly uuid: string;
}): RewrittenManifest {
  const { manifest, formatVersion, path, snapshotId } = input;
  const { container, edit, fields, entries } = readEntries(manifest, input.bytes);
  const lacking = REQUIRED_SINCE.find(({ id, version }) => formatVersion >= version && !fields.has(id));
  if (lacking !== undefined) {
    throw new RegistrarError(
      'table.unsupported',
      `Cannot rewrite manifest "${manifest.manifestPath}": it is of a format version before ${lacking.version}, and the table is of version ${formatVersion}; rewrite the manifests once (Spark: rewrite_manifests)`,
    );
  }
  const encoded: Uint8Array[] = [];
  const removed: ExplicitEntry[] = [];
  const kept: ExplicitEntry[] = [];
  const asRemoved = [
    [0, DELETED],
    [1, snapshotId],
  ] as const;
  for (const entry of entries) {
    const isRemoved = input.removes(entry);
    (isRemoved ? removed : kept).push(entry);
    encoded.push(edit(entry.record, isRemoved ? new Map([...entry.values, ...asRemoved]) : entry.values));
  }
  const { 'avro.schema': _schema, 'avro.codec': _codec, ...header } = Object.fromEntries(container.metadata);
  const bytes = writeContainer(
    { schema: container.schema, codec: CODEC, blocks: packBlocks(encoded) },
    header,
    syncMarker(input.uuid),
  );
  return {
    replaces: manifest.manifestPath,
    path,
    bytes,
    removed: removed.map(({ vectorOf, recordCount, fileSizeInBytes }) => ({
      vectorOf,
      recordCount,
      fileSizeInBytes,
    })),
    file: {
      ...manifest,
      manifestPath: path,
      manifestLength: BigInt(bytes.length),
      minSequenceNumber: leastSequenceNumber(kept) ?? manifest.minSequenceNumber,
      addedSnapshotId: snapshotId,
      addedFilesCount: 0,
      existingFilesCount: kept.length,
      deletedFilesCount: removed.length,
      addedRowsCount: 0n,
      existingRowsCount: rowsOf(kept),
      deletedRowsCount: rowsOf(removed),
    },
  };
}

function readEntries(manifest: ListedManifest, bytes: Uint8Array) {
  try {
    const container = readContainer(bytes);
    const shape = shapeOf(container);
    const entries = [...explicitEntries(manifest, container, entryReader(shape))];
    return { container, edit: recordEditor(shape), fields: editableFields(shape), entries };
  } catch (cause) {
    throw new RegistrarError(
      'table.unsupported',
      `Cannot rewrite manifest "${manifest.manifestPath}": ${messageOf(cause)}`,
      { cause },
    );
  }
}

function leastSequenceNumber(entries: readonly ExplicitEntry[]): bigint | undefined {
  return entries.reduce<bigint | undefined>(
    (least, { sequenceNumber }) => (least === undefined || sequenceNumber < least ? sequenceNumber : least),
    undefined,
  );
}

function rowsOf(entries: readonly ExplicitEntry[]): bigint {
  return entries.reduce((sum, { recordCount }) => sum + recordCount, 0n);
}
