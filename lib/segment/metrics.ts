/** The column metrics of a segment, as the manifest entry of its data file contains them. */
import type { Metrics } from '../spec/manifest.ts';
import { indexById, type Schema } from '../spec/schema.ts';
import { truncateBound, widenBound } from './bound.ts';
import type { Bound } from './column-tally.ts';
import type { Side } from './column-value.ts';
import { type MetricsConfig, metricsMode } from './metrics-config.ts';
import type { Segment } from './segment.ts';

/**
 * Metrics by field ID, for the columns that the table has. For columns below lists and maps only the size is given (case B19).
 *
 * @param tableSchema Its types decide the width of the bounds (case B14).
 */
export function metricsOf(
  segment: Pick<Segment, 'recordCount' | 'columns' | 'splitOffsets'>,
  tableSchema: Schema,
  config: MetricsConfig,
): Metrics {
  const columnSizes = new Map<number, bigint>();
  const valueCounts = new Map<number, bigint>();
  const nullValueCounts = new Map<number, bigint>();
  const lowerBounds = new Map<number, Uint8Array>();
  const upperBounds = new Map<number, Uint8Array>();
  const fields = indexById(tableSchema);

  for (const column of segment.columns) {
    const { fieldId } = column;
    const type = fields.get(fieldId)?.type;
    const mode = metricsMode(config, fieldId);
    if (typeof type !== 'string' || mode.kind === 'none') continue;
    columnSizes.set(fieldId, column.compressedSizeBytes);
    if (column.isRepeated) continue;
    valueCounts.set(fieldId, column.valueCount);
    if (column.nullCount !== undefined) nullValueCounts.set(fieldId, column.nullCount);
    if (mode.kind === 'counts') continue;
    const length = mode.kind === 'truncate' ? mode.length : Number.POSITIVE_INFINITY;
    const boundOf = (bound: Bound | undefined, side: Side): Uint8Array | undefined => {
      const wide = bound && widenBound(bound.bytes, column.type, type);
      return wide && truncateBound(wide, type, length, side);
    };
    const lower = boundOf(column.lower, 'lower');
    const upper = boundOf(column.upper, 'upper');
    if (lower) lowerBounds.set(fieldId, lower);
    if (upper) upperBounds.set(fieldId, upper);
  }
  const { recordCount, splitOffsets } = segment;
  return { recordCount, columnSizes, valueCounts, nullValueCounts, lowerBounds, upperBounds, splitOffsets };
}
