/** What all row groups of a file say together: row count, split offsets, and for each column its sums and bounds. */
import { RegistrarError } from '../errors.ts';
import type { PrimitiveType } from '../spec/schema.ts';
import { addChunk, type Bound, boundsOf, type ColumnTally, newTally } from './column-tally.ts';
import type { ColumnMetaData, Footer, RowGroup } from './footer.ts';
import type { LeafColumn } from './iceberg-schema.ts';
import { formatPath, type SchemaNode } from './parquet-schema.ts';

/** A column that has a field ID, over all row groups. What is not known is undefined, never zero. */
export interface Column {
  /** The field ID of the leaf, provisional in files without IDs. */
  readonly fieldId: number;
  /** The type that the file has; the table's may be wider. */
  readonly type: PrimitiveType;
  /** The IDs of the fields around it, from the root, and its own. */
  readonly lineage: readonly number[];
  /** Below a list or map, where counts and bounds mean nothing to Iceberg (case B19). */
  readonly isRepeated: boolean;
  readonly compressedSizeBytes: bigint;
  /** Nulls included. */
  readonly valueCount: bigint;
  readonly nullCount: bigint | undefined;
  /** In the width of `type`, not cut. */
  readonly lower?: Bound;
  readonly upper?: Bound;
}

export interface RowGroups {
  readonly rowGroupCount: number;
  readonly recordCount: bigint;
  readonly columns: readonly Column[];
  /** Where each row group with rows starts, ascending. */
  readonly splitOffsets: readonly bigint[];
}

/**
 * Merges the row groups of a footer, decoding one at a time.
 *
 * @param columns The Iceberg columns, by the index of their leaf.
 * @param dataEnd Where the footer begins, in bytes from the start of the file.
 * @throws `segment.unreadable`; `segment.inconsistent` where the footer contradicts itself or describes other bytes
 */
export function mergeRowGroups(
  footer: Footer,
  leaves: readonly SchemaNode[],
  columns: ReadonlyMap<number, LeafColumn>,
  dataEnd: bigint,
): RowGroups {
  const orders = footer.columnOrders?.length === leaves.length ? footer.columnOrders : undefined;
  const states = leaves.map((leaf, index) => {
    const column = columns.get(index);
    return {
      leaf,
      column,
      isRepeated: leaf.isRepeated,
      pathBytes: leaf.path.map((name) => Buffer.from(name)),
      tally: newTally(column?.form ?? 'unordered', orders?.[index], leaf.element.typeLength),
    };
  });
  const splitOffsets: bigint[] = [];
  let rowGroupCount = 0;
  let recordCount = 0n;

  for (const group of footer.rowGroups()) {
    rowGroupCount++;
    recordCount += group.numRows;
    if (group.numRows < 0n) throw broken(`a row group has ${group.numRows} rows`);
    if (group.columns.length !== leaves.length) {
      throw broken(`a row group has ${group.columns.length} column chunks for ${leaves.length} columns`);
    }
    let groupStart: bigint | undefined;
    for (const [index, { leaf, column, isRepeated, pathBytes, tally }] of states.entries()) {
      const chunk = chunkOf(group, index, leaf, pathBytes);
      const start = checkedStart(chunk, group, leaf, isRepeated, dataEnd);
      if (groupStart === undefined || start < groupStart) groupStart = start;
      addChunk(tally, chunk, column?.isRequired ?? false);
    }
    if (group.numRows > 0n && groupStart !== undefined) splitOffsets.push(groupStart);
  }
  if (footer.numRows !== recordCount) {
    throw broken(`it has ${footer.numRows} rows, and its ${rowGroupCount} row groups have ${recordCount}`);
  }

  return {
    rowGroupCount,
    recordCount,
    columns: states.flatMap(({ column, isRepeated, tally }) =>
      column ? [columnOf(column, isRepeated, tally)] : [],
    ),
    splitOffsets: splitOffsets.sort((a, b) => (a < b ? -1 : 1)),
  };
}

function columnOf({ fieldId, lineage, type }: LeafColumn, isRepeated: boolean, tally: ColumnTally): Column {
  return {
    fieldId,
    lineage,
    type,
    isRepeated,
    compressedSizeBytes: tally.sizeBytes,
    valueCount: tally.values,
    nullCount: tally.nulls,
    ...boundsOf(tally),
  };
}

/** The chunk of a leaf, which has to be where the schema says, of its type, in this file and readable. */
function chunkOf(
  group: RowGroup,
  index: number,
  leaf: SchemaNode,
  path: readonly Uint8Array[],
): ColumnMetaData {
  const chunk = group.columns[index];
  const metaData = chunk?.metaData;
  const name = formatPath(leaf.path);
  if (chunk?.cryptoMetaData || chunk?.encryptedMetaData) {
    throw new RegistrarError(
      'segment.unreadable',
      `Cannot read column ${name}: it is encrypted; write the dataset without encryption`,
    );
  }
  if (metaData === undefined) throw broken(`a chunk of column ${name} has no metadata`);
  if (chunk?.filePath?.length) throw broken(`a chunk of column ${name} lies in another file`);
  if (metaData.type !== leaf.element.type) {
    throw broken(
      `column ${name} has the physical type ${leaf.element.type}, and a chunk of it ${metaData.type}`,
    );
  }
  const isSamePath =
    metaData.path.length === path.length &&
    path.every((part, i) => Buffer.compare(part, metaData.path[i] ?? nowhere) === 0);
  if (!isSamePath) throw broken(`a chunk in the place of column ${name} belongs to another column`);
  return metaData;
}
const nowhere = new Uint8Array();

/** Where a chunk starts; its counts and its place in the file are checked. */
function checkedStart(
  chunk: ColumnMetaData,
  group: RowGroup,
  leaf: SchemaNode,
  isRepeated: boolean,
  dataEnd: bigint,
): bigint {
  const { numValues, totalCompressedSize, dataPageOffset, dictionaryPageOffset = 0n } = chunk;
  const name = formatPath(leaf.path);
  if (numValues < group.numRows || (numValues > group.numRows && !isRepeated)) {
    throw broken(`a chunk of column ${name} has ${numValues} values for ${group.numRows} rows`);
  }
  // Some writers set 0 for a dictionary page that is not there.
  const start =
    dictionaryPageOffset > 0n && dictionaryPageOffset < dataPageOffset
      ? dictionaryPageOffset
      : dataPageOffset;
  const isInFile = start >= headLength && totalCompressedSize >= 0n && start + totalCompressedSize <= dataEnd;
  if (group.numRows > 0n && !isInFile) {
    throw broken(
      `a chunk of column ${name} lies at ${start} with ${totalCompressedSize} bytes, outside the ${dataEnd} bytes of data`,
    );
  }
  return start;
}

/** The magic at the head. */
const headLength = 4n;

function broken(what: string): RegistrarError {
  return new RegistrarError('segment.inconsistent', `Cannot use the footer of the segment: ${what}`);
}
