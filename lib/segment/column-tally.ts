/**
 * Accumulates one column over the row groups: a count or bound is known only if every row group provides it (cases B1, B17,
 * B24).
 */
import type { ValueForm } from './column-type.ts';
import { type ColumnValue, codecOf, type Side, type ValueCodec } from './column-value.ts';
import type { ColumnMetaData, ColumnOrder, Statistics } from './footer.ts';

export interface ColumnTally {
  readonly codec: ValueCodec | undefined;
  /** The length of a fixed-length physical type. */
  readonly fixedLength: number | undefined;
  readonly usesMinMaxValue: boolean;
  readonly usesDeprecatedMinMax: boolean;
  sizeBytes: number;
  values: number;
  /** Undefined once a row group does not give it. */
  nulls: number | undefined;
  readonly lower: Extreme;
  readonly upper: Extreme;
}

interface Extreme {
  readonly side: Side;
  value: ColumnValue | undefined;
  /** False if the writer says that it truncated the value. */
  isExact: boolean;
  /** False once a row group with values does not give the value. */
  isKnown: boolean;
}

/**
 * Starts the tally of one column. `min_value` and `max_value` have a meaning only if the declared order is known, the deprecated
 * `min` and `max` only if the column's values are ordered as signed numbers. An unknown order rules out both (parquet.thrift,
 * `Statistics` and `ColumnOrder`).
 *
 * @param order The order that the footer declares for the column; undefined if it declares no orders at all.
 */
export function newTally(
  form: ValueForm,
  order: ColumnOrder | undefined,
  fixedLength: number | undefined,
): ColumnTally {
  const codec = codecOf(form);
  const isTotalOrder = order === 'ieee754Total' && (form === 'float' || form === 'double');
  const isKnownOrder = order === 'typeDefined' || isTotalOrder;
  return {
    codec,
    fixedLength,
    usesMinMaxValue: isKnownOrder,
    usesDeprecatedMinMax: (isKnownOrder || order === undefined) && codec?.signedOrder === true,
    sizeBytes: 0,
    values: 0,
    nulls: 0,
    lower: { side: 'lower', value: undefined, isExact: false, isKnown: true },
    upper: { side: 'upper', value: undefined, isExact: false, isKnown: true },
  };
}

/** @param isRequired Whether the column is required all the way up, so that it has no null whatever the statistics say. */
export function addChunk(tally: ColumnTally, chunk: ColumnMetaData, isRequired: boolean): void {
  const { statistics, numValues } = chunk;
  const nulls = isRequired ? 0 : nullCount(statistics, numValues);
  tally.sizeBytes += chunk.totalCompressedSize;
  tally.values += numValues;
  tally.nulls = nulls === undefined || tally.nulls === undefined ? undefined : tally.nulls + nulls;
  if (tally.codec === undefined || nulls === numValues) return;

  const { minValue, maxValue, isMinValueExact, isMaxValueExact, min, max } = statistics ?? {};
  if (tally.usesMinMaxValue && (minValue ?? maxValue) !== undefined) {
    addExtremes(tally, tally.codec, minValue, maxValue, isMinValueExact, isMaxValueExact);
  } else {
    const isUsed = tally.usesDeprecatedMinMax;
    addExtremes(tally, tally.codec, isUsed ? min : undefined, isUsed ? max : undefined);
  }
}

/**
 * Adds the extremes of one row group. A minimum above the maximum, or a NaN, shows that the writer orders values differently.
 * Then neither bound of the column is known, whatever the other row groups have.
 */
function addExtremes(
  tally: ColumnTally,
  codec: ValueCodec,
  minBytes: Uint8Array | undefined,
  maxBytes: Uint8Array | undefined,
  isMinExact?: boolean,
  isMaxExact?: boolean,
): void {
  const min = minBytes && codec.read(minBytes, tally.fixedLength);
  const max = maxBytes && codec.read(maxBytes, tally.fixedLength);
  const isInverted = min !== undefined && max !== undefined && codec.compare(min, max) > 0;
  if (isInverted || Number.isNaN(min) || Number.isNaN(max)) {
    tally.lower.isKnown = false;
    tally.upper.isKnown = false;
    return;
  }
  addExtreme(codec, tally.lower, min, isMinExact);
  addExtreme(codec, tally.upper, max, isMaxExact);
}

/** The null count of a chunk; undefined if it is missing or impossible. */
function nullCount(statistics: Statistics | undefined, numValues: number): number | undefined {
  const count = numValues === 0 ? 0 : statistics?.nullCount;
  return count !== undefined && count >= 0 && count <= numValues ? count : undefined;
}

function addExtreme(
  codec: ValueCodec,
  extreme: Extreme,
  value: ColumnValue | undefined,
  isExact = true,
): void {
  if (value === undefined) {
    extreme.isKnown = false;
    return;
  }
  const order = extreme.value === undefined ? -1 : codec.compare(value, extreme.value);
  if (extreme.value === undefined || (extreme.side === 'lower' ? order < 0 : order > 0)) {
    extreme.value = value;
    extreme.isExact = isExact;
  } else if (order === 0) {
    extreme.isExact ||= isExact;
  }
}

export interface Bound {
  /** Iceberg single-value bytes (spec, Appendix D). */
  readonly bytes: Uint8Array;
  /** False if the writer says that it truncated the value: still a bound, but not a value of the file (case A32). */
  readonly isExact: boolean;
}

/** The bound of one side; undefined if a row group does not give it, or the type has no bounds. */
export function boundOf(tally: ColumnTally, side: Side): Bound | undefined {
  const { isKnown, value, isExact } = tally[side];
  const bytes = isKnown && value !== undefined ? tally.codec?.write(value, side) : undefined;
  return bytes && { bytes, isExact };
}
