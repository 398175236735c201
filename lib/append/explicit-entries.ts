import type { AvroShape } from './avro/avro-shape.ts';
import type { ByteReader } from './avro/byte-reader.ts';
import { type HeadedContainer, recordsRead } from './avro/object-container.ts';
import type { FieldValues } from './avro/record-editor.ts';
import { type Columns, rowReader } from './avro/row-reader.ts';
import type { ListedManifest } from './manifest-file-type.ts';

/** Status of an entry that a snapshot before has added. */
const EXISTING = 0n;
const ADDED = 1;
const DELETED = 2;
/** Content of a data file; format version 1 knows no other. */
const DATA = 0n;

const COLUMNS = {
  status: { id: 0, as: 'int' },
  snapshotId: { id: 1, as: 'long' },
  sequenceNumber: { id: 3, as: 'long' },
  fileSequenceNumber: { id: 4, as: 'long' },
  content: { id: 134, as: 'int' },
  filePath: { id: 100, as: 'string' },
  recordCount: { id: 103, as: 'long' },
  fileSizeInBytes: { id: 104, as: 'long' },
  firstRowId: { id: 142, as: 'long' },
} as const satisfies Columns;

/** A live data file of a manifest, to be written to another one. */
export interface ExplicitEntry {
  readonly filePath: string;
  readonly recordCount: bigint;
  readonly fileSizeInBytes: bigint;
  readonly sequenceNumber: bigint;
  /** The entry as its writer encoded it. */
  readonly record: Uint8Array;
  /** What makes it an existing entry, what it inherits from its manifest made explicit (spec, "Manifest Entry Fields"). */
  readonly values: FieldValues;
}

/**
 * The live entries of a manifest of data files, in its order; deleted ones are history, which their snapshot's own list keeps.
 *
 * @throws RangeError, TypeError or SyntaxError saying what is wrong, while iterating
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
    if ((row.content ?? 0) !== 0) throw new TypeError(`"${filePath}" is not a data file`);
    // Of an existing entry neither number is the manifest's (spec, "Sequence Number Inheritance"); manifests of version 1 have 0 for both.
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
      [134, DATA],
      ...(firstRowId === undefined ? [] : ([[142, firstRowId]] as const)),
    ]);
    yield { filePath, recordCount, fileSizeInBytes, sequenceNumber, record, values };
  }
}

export type EntryReader = ReturnType<typeof entryReader>;

/** Reads entries of a writer's schema. @throws TypeError when a field has another type in it */
export function entryReader(shape: AvroShape) {
  const read = rowReader(shape, COLUMNS);
  return (input: ByteReader) => {
    const start = input.at;
    const row = read(input);
    return { row, record: input.bytes.subarray(start, input.at) };
  };
}
