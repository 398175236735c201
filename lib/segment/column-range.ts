import { indexById, type Schema } from '../spec/schema.ts';
import { widenBound } from './bound.ts';
import type { Bound } from './column-tally.ts';
import type { Segment } from './segment.ts';

/** What a file's footer says about one column, in single-value bytes of the table's type. */
export interface ColumnRange {
  readonly lower: Bound | undefined;
  readonly upper: Bound | undefined;
  /** Undefined if the footer does not give it. */
  readonly nullCount: bigint | undefined;
  /** Nulls included. */
  readonly valueCount: bigint;
}

/** The ranges of a segment's columns by field ID, for computing partition values. Columns below lists and maps are left out. */
export function columnRanges(
  segment: Pick<Segment, 'columns'>,
  tableSchema: Schema,
): ReadonlyMap<number, ColumnRange> {
  const fields = indexById(tableSchema);
  const ranges = new Map<number, ColumnRange>();
  for (const { fieldId, type, isRepeated, lower, upper, nullCount, valueCount } of segment.columns) {
    const tableType = fields.get(fieldId)?.type;
    if (isRepeated || typeof tableType !== 'string') continue;
    const widened = (bound: Bound | undefined): Bound | undefined => {
      const bytes = bound && widenBound(bound.bytes, type, tableType);
      return bytes && { bytes, isExact: bound.isExact };
    };
    ranges.set(fieldId, { lower: widened(lower), upper: widened(upper), nullCount, valueCount });
  }
  return ranges;
}
