import type { AvroShape } from './avro/avro-shape.ts';
import type { ByteReader } from './avro/byte-reader.ts';
import { type HeadedContainer, recordsRead } from './avro/object-container.ts';
import type { FieldValues } from './avro/record-editor.ts';
import { type Columns, rowReader } from './avro/row-reader.ts';
import type { ListedManifest } from './manifest-file-type.ts';

/** Status of an entry that an earlier snapshot added. */
const EXISTING = 0n;
const ADDED = 1;
const DELETED = 2;
/** Content of a data file, the only content in format version 1. */
const DATA = 0n;

const COLUMNS = {
  status: { id: 0, as: 'int' },
  snapshotId: { id: 1, as: 'long' },
  sequenceNumber: { id: 3, as: 'long' },
  fileSequenceNumber: { id: 4, as: 'long' },
  content: { id: 134, as: 'int' },
  filePath: { id: 100, as: 'string' },
  fileFormat: { id: 101, as: 'string' },
  recordCount: { id: 103, as: 'long' },
  fileSizeInBytes: { id: 104, as: 'long' },
  firstRowId: { id: 142, as: 'long' },
  referencedDataFile: { id: 143, as: 'string' },
  contentSizeInBytes: { id: 145, as: 'long' },
} as const satisfies Columns;

/** A live data file or file of deletes of a manifest, to be written to another manifest. */
export interface ExplicitEntry {
  readonly filePath: string;
  /** The data file of which the entry is the deletion vector. */
  readonly vectorOf: string | undefined;
  readonly recordCount: bigint;
  /** Of a deletion vector its part of the file. */
  readonly fileSizeInBytes: bigint;
  readonly sequenceNumber: bigint;
  /** The entry as its writer encoded it. */
  readonly record: Uint8Array;
  /** Field values that make it an existing entry: whatever it inherited from its manifest is explicit (spec, "Manifest Entry Fields"). */
  readonly values: FieldValues;
}

/** The data file of which an entry is the deletion vector: the only entries of Puffin files (spec, "Deletion Vectors"). */
export function vectorOf({
  fileFormat,
  referencedDataFile,
}: {
  readonly fileFormat?: string;
  readonly referencedDataFile?: string;
}): string | undefined {
  return fileFormat?.toLowerCase() === 'puffin' ? referencedDataFile : undefined;
}

/**
 * Yields the live entries of a manifest, in the order of the manifest. Deleted entries are skipped: the snapshot
 * that deleted them still has them in its own list.
 *
 * @throws RangeError, TypeError or SyntaxError naming the problem, while iterating
 */
export function* explicitEntries(
  manifest: ListedManifest,
  container: HeadedContainer,
  read: EntryReader,
): Generator<ExplicitEntry> {
  let nextRowId = manifest.firstRowId;
  for (const { row, record } of recordsRead(container, read)) {
    if (row.status === DELETED) continue;
    const { filePath, recordCount, fileSizeInBytes } = row;
    if (filePath === undefined || recordCount === undefined || fileSizeInBytes === undefined) {
      throw new TypeError('an entry lacks field 100, 103 or 104');
    }
    const isData = manifest.content === 0;
    if (isData && (row.content ?? 0) !== 0) throw new TypeError(`"${filePath}" is not a data file`);
    // Existing entries never inherit sequence numbers (spec, "Sequence Number Inheritance"). In manifests of version 1 both numbers are 0.
    const inherited =
      row.status === ADDED || manifest.sequenceNumber === 0n ? manifest.sequenceNumber : undefined;
    const sequenceNumber = row.sequenceNumber ?? inherited;
    if (sequenceNumber === undefined) throw new TypeError(`"${filePath}" exists without a sequence number`);
    const firstRowId = row.firstRowId ?? nextRowId;
    if (row.firstRowId === undefined && nextRowId !== undefined) nextRowId += recordCount;
    const values = new Map<number, bigint | null>([
      [0, EXISTING],
      [1, row.snapshotId ?? manifest.addedSnapshotId],
      [3, sequenceNumber],
      [4, row.fileSequenceNumber ?? inherited ?? null],
      ...(isData ? ([[134, DATA]] as const) : []),
      ...(firstRowId === undefined ? [] : ([[142, firstRowId]] as const)),
    ]);
    yield {
      filePath,
      vectorOf: vectorOf(row),
      recordCount,
      fileSizeInBytes: row.contentSizeInBytes ?? fileSizeInBytes,
      sequenceNumber,
      record,
      values,
    };
  }
}

export type EntryReader = ReturnType<typeof entryReader>;

/** Makes a reader for entries in a writer's schema. @throws TypeError if a field has an unexpected type in that schema */
export function entryReader(shape: AvroShape) {
  const read = rowReader(shape, COLUMNS);
  return (input: ByteReader) => {
    const start = input.at;
    const row = read(input);
    return { row, record: input.bytes.subarray(start, input.at) };
  };
}
