/** Combines all row groups of a file: row count, split offsets, and for each column its counts and bounds. */
import { RegistrarError } from '../errors.ts';
import type { PrimitiveType } from '../spec/schema.ts';
import { checkedChunk, MOST_VALUES } from './column-chunk.ts';
import { addChunk, type Bound, boundOf, type ColumnTally, newTally } from './column-tally.ts';
import type { ValueForm } from './column-type.ts';
import type { Footer } from './footer.ts';
import type { LeafColumn } from './iceberg-schema.ts';
import type { SchemaNode } from './parquet-schema.ts';

/** A column with a field ID, over all row groups. What is unknown is undefined, never zero. */
export interface Column {
  /** The field ID of the leaf, provisional in files without IDs. */
  readonly fieldId: number;
  /** The file's type; the table's may be wider. */
  readonly type: PrimitiveType;
  /** The form in which the file's statistics have it. */
  readonly form: ValueForm;
  /** The IDs of the fields around it, from the root, and its own. */
  readonly lineage: readonly number[];
  /** Below a list or map, where counts and bounds have no meaning in Iceberg (case B19). */
  readonly isRepeated: boolean;
  readonly compressedSizeBytes: bigint;
  /** Nulls included. */
  readonly valueCount: bigint;
  readonly nullCount: bigint | undefined;
  /** In the width of `type`, not truncated. */
  readonly lower: Bound | undefined;
  readonly upper: Bound | undefined;
}

export interface RowGroups {
  readonly rowGroupCount: number;
  readonly recordCount: bigint;
  readonly columns: readonly Column[];
  /** Where each row group with rows starts, ascending. */
  readonly splitOffsets: readonly bigint[];
  /** `CompressionCodec` of parquet.thrift, by number: every codec that a column chunk is compressed with. */
  readonly codecs: ReadonlySet<number>;
}

/**
 * Merges the row groups of a footer, decoding one at a time.
 *
 * @param columns The Iceberg columns, by the index of their leaf.
 * @param dataEnd Where the footer begins, in bytes from the start of the file.
 * @throws `segment.unreadable`; `segment.inconsistent` if the footer contradicts itself or the size of the file
 */
export function mergeRowGroups(
  footer: Footer,
  leaves: readonly SchemaNode[],
  columns: ReadonlyMap<number, LeafColumn>,
  dataEnd: number,
): RowGroups {
  const orders = footer.columnOrders?.length === leaves.length ? footer.columnOrders : undefined;
  const states = leaves.map((leaf, index) => {
    const column = columns.get(index);
    return {
      leaf,
      column,
      tally: newTally(column?.form ?? 'unordered', orders?.[index], column?.fixedLength),
    };
  });
  const splitOffsets: number[] = [];
  const codecs = new Set<number>();
  let rowGroupCount = 0;
  let recordCount = 0;

  for (const group of footer.rowGroups()) {
    rowGroupCount++;
    recordCount += group.numRows;
    if (group.numRows < 0) throw broken(`a row group has ${group.numRows} rows`);
    if (group.columns.length !== leaves.length) {
      throw broken(`a row group has ${group.columns.length} column chunks for ${leaves.length} columns`);
    }
    let groupStart: number | undefined;
    let next = 0;
    for (const { leaf, column, tally } of states) {
      const { metaData, start } = checkedChunk(group.columns[next++], leaf, group.numRows, dataEnd);
      if (groupStart === undefined || start < groupStart) groupStart = start;
      addChunk(tally, metaData, column?.isRequired ?? false);
      codecs.add(metaData.codec);
    }
    if (group.numRows > 0 && groupStart !== undefined) splitOffsets.push(groupStart);
  }
  if (recordCount > MOST_VALUES) throw broken(`it has ${recordCount} rows, more than any file holds`);
  if (footer.numRows !== recordCount) {
    throw broken(`it has ${footer.numRows} rows, and its ${rowGroupCount} row groups have ${recordCount}`);
  }

  const merged: Column[] = [];
  for (const { leaf, column, tally } of states) if (column) merged.push(columnOf(leaf, column, tally));
  return {
    rowGroupCount,
    recordCount: BigInt(recordCount),
    columns: merged,
    splitOffsets: splitOffsets.sort((a, b) => a - b).map(BigInt),
    codecs,
  };
}

function columnOf(
  { isRepeated }: SchemaNode,
  { fieldId, lineage, type, form }: LeafColumn,
  tally: ColumnTally,
): Column {
  return {
    fieldId,
    lineage,
    type,
    form,
    isRepeated,
    compressedSizeBytes: BigInt(tally.sizeBytes),
    valueCount: BigInt(tally.values),
    nullCount: tally.nulls === undefined ? undefined : BigInt(tally.nulls),
    lower: boundOf(tally, 'lower'),
    upper: boundOf(tally, 'upper'),
  };
}

function broken(what: string): RegistrarError {
  return new RegistrarError('segment.inconsistent', `Cannot use the footer of the segment: ${what}`);
}
