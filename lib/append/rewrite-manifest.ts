import { RegistrarError } from '../errors.ts';
import type { ListedManifest } from './manifest-file-type.ts';
import { CODEC, packBlocks, readContainer, records, syncMarker, writeContainer } from './object-container.ts';
import type { PreparedManifest } from './prepare.ts';
import { editableFields, type FieldValues, recordEditor } from './record-editor.ts';
import { type Columns, type Row, rowReader } from './row-reader.ts';

/** A manifest without some of its files, and what they were. */
export interface RewrittenManifest extends PreparedManifest {
  /** The path of the manifest that it takes the place of. */
  readonly replaces: string;
  readonly removed: readonly { readonly recordCount: bigint; readonly fileSizeInBytes: bigint }[];
}

const EXISTING = 0n;
const DELETED = 2;

const COLUMNS = {
  status: { id: 0, as: 'int' },
  snapshotId: { id: 1, as: 'long' },
  sequenceNumber: { id: 3, as: 'long' },
  fileSequenceNumber: { id: 4, as: 'long' },
  filePath: { id: 100, as: 'string' },
  recordCount: { id: 103, as: 'long' },
  fileSizeInBytes: { id: 104, as: 'long' },
  firstRowId: { id: 142, as: 'long' },
} as const satisfies Columns;

/** What an entry cannot have made explicit in an older manifest. */
const REQUIRED_SINCE = [
  { id: 3, version: 2 },
  { id: 142, version: 3 },
] as const;

type Entry = Row<typeof COLUMNS>;

/**
 * Writes a manifest again without some of its data files (spec, "Manifest Entry Fields"): they are marked as deleted by
 * this snapshot, the others as existing, with what they inherited made explicit; everything else of an entry stays byte
 * for byte, metrics and partition included.
 *
 * @param input.removes asked of the path of each live entry, in order
 * @param input.uuid names the manifest, so it must never have been used before (I1)
 * @throws `table.unsupported` for a manifest that cannot be read, or one of format version 1 in a later table
 */
export function rewriteManifest(input: {
  readonly manifest: ListedManifest;
  readonly bytes: Uint8Array;
  readonly formatVersion: 1 | 2 | 3;
  readonly removes: (filePath: string) => boolean;
  readonly snapshotId: bigint;
  readonly path: string;
  readonly uuid: string;
}): RewrittenManifest {
  const { manifest, formatVersion, path, snapshotId } = input;
  const { container, fields, entries } = readEntries(manifest, input.bytes);
  const lacking = REQUIRED_SINCE.find(({ id, version }) => formatVersion >= version && !fields.has(id));
  if (lacking !== undefined) {
    throw new RegistrarError(
      'table.unsupported',
      `Cannot rewrite manifest "${manifest.manifestPath}": it is of a format version before ${lacking.version}, and the table is of version ${formatVersion}; rewrite the manifests once (Spark: rewrite_manifests)`,
    );
  }
  const encoded: Uint8Array[] = [];
  const removed: Entry[] = [];
  const kept: Entry[] = [];
  let minSequenceNumber: bigint | undefined;
  let nextRowId = manifest.firstRowId;
  for (const { entry, edit } of entries) {
    if (entry.status === DELETED) continue;
    const sequenceNumber = entry.sequenceNumber ?? manifest.sequenceNumber;
    const firstRowId = entry.firstRowId ?? nextRowId;
    if (entry.firstRowId === undefined && nextRowId !== undefined) nextRowId += entry.recordCount ?? 0n;
    const isRemoved = input.removes(entry.filePath ?? '');
    (isRemoved ? removed : kept).push(entry);
    if (!isRemoved && (minSequenceNumber === undefined || sequenceNumber < minSequenceNumber)) {
      minSequenceNumber = sequenceNumber;
    }
    encoded.push(
      edit(
        new Map<number, bigint>([
          [0, isRemoved ? BigInt(DELETED) : EXISTING],
          [1, isRemoved ? snapshotId : (entry.snapshotId ?? manifest.addedSnapshotId)],
          [3, sequenceNumber],
          [4, entry.fileSequenceNumber ?? manifest.sequenceNumber],
          ...(firstRowId === undefined ? [] : ([[142, firstRowId]] as const)),
        ]),
      ),
    );
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
    removed: removed.map(({ recordCount = 0n, fileSizeInBytes = 0n }) => ({ recordCount, fileSizeInBytes })),
    file: {
      ...manifest,
      manifestPath: path,
      manifestLength: BigInt(bytes.length),
      minSequenceNumber: minSequenceNumber ?? manifest.minSequenceNumber,
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

function readEntries({ manifestPath }: ListedManifest, bytes: Uint8Array) {
  try {
    const container = readContainer(bytes);
    let fields: ReadonlySet<number> = new Set();
    const entries = records(container, (shape) => {
      fields = editableFields(shape);
      const read = rowReader(shape, COLUMNS);
      const edit = recordEditor(shape);
      return (from) => {
        const start = from.at;
        const entry = read(from);
        const raw = from.bytes.subarray(start, from.at);
        return { entry, edit: (values: FieldValues) => edit(raw, values) };
      };
    });
    const read = [...entries];
    return { container, entries: read, fields };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RegistrarError('table.unsupported', `Cannot rewrite manifest "${manifestPath}": ${reason}`, {
      cause,
    });
  }
}

function rowsOf(entries: readonly Entry[]): bigint {
  return entries.reduce((sum, { recordCount = 0n }) => sum + recordCount, 0n);
}
