import { RegistrarError } from '../errors.ts';
import type { ColumnRange } from '../segment/column-range.ts';
import type { Bound } from '../segment/column-tally.ts';
import type { PartitionValue } from '../spec/partition-spec.ts';
import type { PrimitiveType } from '../spec/schema.ts';
import {
  compareSingleValues,
  floatingPoint,
  isFloatingPoint,
  isWholeNumber,
  wholeNumber,
} from '../spec/single-value.ts';
import { claimedValue, partitionClaims } from './partition-path.ts';
import { partitionValue } from './partition-value.ts';
import type { ResolvedPartitionField } from './transform.ts';

/**
 * The partition of a whole file. If the range of a source column leaves one value, that is the value. Otherwise it is the value
 * that the key claims, unless the range contradicts it. A column that the file lacks is null, or for `identity` the value that
 * the key claims.
 *
 * @param columns ranges by field ID of the source column, without the columns that the file lacks
 * @throws `sink.iceberg_partition_undetermined` naming column and bounds (cases.md A32)
 */
export function partitionTuple(input: {
  readonly uri: string;
  readonly key: string;
  readonly fields: readonly ResolvedPartitionField[];
  readonly columns: ReadonlyMap<number, ColumnRange>;
}): readonly PartitionValue[] {
  const { uri, key, fields, columns } = input;
  const claims = partitionClaims(key);
  return fields.map((field) => {
    const { name, 'source-id': sourceId } = field.field;
    const text = claims.get(name);
    const claim = text === undefined ? undefined : claimedValue(field, text);
    const range = columns.get(sourceId);
    const isUnreadable = claim === undefined && claims.has(name);
    const value = partitionOf(field, range, claim, isUnreadable);
    if (value === undefined) throw undetermined(uri, field, range, text);
    return value;
  });
}

/**
 * Undefined if the file has more than one value, or the value is not known.
 *
 * @param isUnreadable whether the key names the field, but without a value that can be understood
 */
function partitionOf(
  field: ResolvedPartitionField,
  range: ColumnRange | undefined,
  claim: PartitionValue | undefined,
  isUnreadable: boolean,
): PartitionValue | undefined {
  if (field.transform.name === 'void') return null;
  if (range === undefined) return valueWithoutColumn(field, claim, isUnreadable);
  if (range.nullCount === range.valueCount) return null;
  return (
    provenValue(field, range) ?? (claim !== undefined && agrees(field, range, claim) ? claim : undefined)
  );
}

/**
 * The partition of a file that lacks the source column. Readers then fill an identity-partitioned column with the partition's
 * value (spec, "Column Projection"), so null is no value for a required column.
 */
function valueWithoutColumn(
  field: ResolvedPartitionField,
  claim: PartitionValue | undefined,
  isUnreadable: boolean,
): PartitionValue | undefined {
  const isStated = field.transform.name === 'identity' && claim !== undefined;
  if (!isStated && (field.hasInitialDefault || isUnreadable || (claim ?? null) !== null)) return undefined;
  const value = isStated ? claim : null;
  return value === null && field.isRequired ? undefined : value;
}

/** The partition value that every row provably has. Never for floats, because bounds do not show a NaN. */
function provenValue(field: ResolvedPartitionField, range: ColumnRange): Uint8Array | undefined {
  const { transform, sourceType } = field;
  const { lower, upper } = range;
  if (transform.name === 'void' || isFloatingPoint(sourceType) || range.nullCount !== 0n) return undefined;
  if (lower?.isExact !== true || upper?.isExact !== true) return undefined;
  if (transform.name === 'bucket' && Buffer.compare(lower.bytes, upper.bytes) !== 0) return undefined;
  const first = partitionValue(transform, sourceType, lower.bytes);
  const last = partitionValue(transform, sourceType, upper.bytes);
  return first !== undefined && last !== undefined && Buffer.compare(first, last) === 0 ? first : undefined;
}

/** Whether all rows may have the partition value that the key claims. At least one row is not null. */
function agrees(field: ResolvedPartitionField, range: ColumnRange, claim: PartitionValue): boolean {
  const { lower, upper, nullCount } = range;
  if (claim === null) return nullCount !== 0n && lower === undefined && upper === undefined;
  if ((nullCount ?? 0n) > 0n) return false;
  return allows(field, claim, lower, 'lower') && allows(field, claim, upper, 'upper');
}

/** An exact bound is a value of the column, so its partition must be the claimed one. A truncated bound must only not exclude it. */
function allows(
  { transform, sourceType, resultType }: ResolvedPartitionField,
  claim: Uint8Array,
  bound: Bound | undefined,
  side: 'lower' | 'upper',
): boolean {
  if (bound === undefined || transform.name === 'void') return true;
  const value = partitionValue(transform, sourceType, bound.bytes);
  if (value === undefined) return false;
  if (bound.isExact) return isSame(resultType, value, claim);
  if (transform.name === 'bucket') return true;
  const order = compareSingleValues(resultType, value, claim);
  return side === 'lower' ? order <= 0 : order >= 0;
}

/** Zeros of either sign are the same: a lower bound of zero is written as -0 and an upper bound as +0. */
function isSame(type: PrimitiveType, a: Uint8Array, b: Uint8Array): boolean {
  return isFloatingPoint(type) ? floatingPoint(a) === floatingPoint(b) : Buffer.compare(a, b) === 0;
}

function undetermined(
  uri: string,
  { field, column, sourceType }: ResolvedPartitionField,
  range: ColumnRange | undefined,
  text: string | undefined,
): RegistrarError {
  const values =
    range === undefined
      ? 'the file lacks the column'
      : `its values run from ${shown(sourceType, range.lower)} to ${shown(sourceType, range.upper)}, ` +
        `${range.nullCount ?? 'an unknown number'} of ${range.valueCount} are null`;
  const claim = text === undefined ? '' : `, and the key says "${field.name}=${text}"`;
  return new RegistrarError(
    'sink.iceberg_partition_undetermined',
    `Cannot tell the partition "${field.name}" of "${uri}", ${field.transform} of column "${column}": ${values}${claim}; ` +
      `a file may hold rows of one partition only, told by exact statistics or by a directory "${field.name}=…" of its key`,
    { context: { uri, column } },
  );
}

function shown(type: PrimitiveType, bound: Bound | undefined): string {
  if (bound === undefined) return 'an unknown bound';
  return `${shownValue(type, bound.bytes)}${bound.isExact ? '' : ' (inexact)'}`;
}

function shownValue(type: PrimitiveType, value: Uint8Array): string {
  if (type === 'string') return `"${Buffer.from(value).toString('utf8')}"`;
  if (isWholeNumber(type)) return String(wholeNumber(type, value));
  return isFloatingPoint(type) ? String(floatingPoint(value)) : `0x${Buffer.from(value).toString('hex')}`;
}
