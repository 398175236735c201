import { parsePrimitive } from '../spec/primitive-type.ts';
import type { PrimitiveType } from '../spec/schema.ts';
import {
  codePointOffset,
  fittingBytes,
  isWholeNumber,
  wholeNumber,
  wholeNumberBytes,
} from '../spec/single-value.ts';
import { murmur3 } from './murmur3.ts';
import type { Transform } from './transform.ts';

export type ValueTransform = Exclude<Transform, { readonly name: 'void' }>;

/**
 * The partition value of a column's value, both in single-value bytes (spec, "Partition Transforms"). Undefined for a value that
 * its type cannot hold: the hour of the latest timestamp, which Java wraps round to another partition, or a decimal with more
 * digits than its precision.
 */
export function partitionValue(
  transform: ValueTransform,
  type: PrimitiveType,
  value: Uint8Array,
): Uint8Array | undefined {
  switch (transform.name) {
    case 'identity':
      return withinPrecision(type, value);
    case 'bucket':
      return int(BigInt((murmur3(hashed(type, value)) & 0x7fff_ffff) % transform.buckets));
    case 'truncate':
      return truncated(type, value, transform.width);
    case 'year':
      return int(floorDivide(months(days(type, value)), 12n));
    case 'month':
      return int(months(days(type, value)));
    case 'day':
      return wholeNumberBytes('date', days(type, value));
    case 'hour':
      return int(floorDivide(micros(type, value), MICROS_OF_HOUR));
  }
}

const MICROS_OF_HOUR = 3_600_000_000n;

/** The bytes that are hashed (spec, Appendix B): every number as a long, decimals and text as they are. */
function hashed(type: PrimitiveType, value: Uint8Array): Uint8Array {
  if (!isWholeNumber(type)) return value;
  if (type.startsWith('decimal')) return wholeNumberBytes(type, wholeNumber(type, value));
  return wholeNumberBytes(
    'long',
    type.startsWith('timestamp') ? micros(type, value) : wholeNumber(type, value),
  );
}

function truncated(type: PrimitiveType, value: Uint8Array, width: number): Uint8Array | undefined {
  if (isWholeNumber(type)) {
    const step = BigInt(width);
    const result = fittingBytes(type, floorDivide(wholeNumber(type, value), step) * step);
    return result && withinPrecision(type, result);
  }
  return type === 'string' ? value.subarray(0, codePointOffset(value, width)) : value.subarray(0, width);
}

/** Statistics may hold more digits than a decimal's precision, and a truncated negative number has one more. */
function withinPrecision(type: PrimitiveType, value: Uint8Array): Uint8Array | undefined {
  const parsed = parsePrimitive(type);
  if (!('precision' in parsed)) return value;
  const limit = 10n ** BigInt(parsed.precision);
  const number = wholeNumber(type, value);
  return number < limit && -number < limit ? value : undefined;
}

/** Microseconds since 1970. Nanoseconds are rounded down, so that a promoted column keeps its partitions. */
function micros(type: PrimitiveType, value: Uint8Array): bigint {
  const number = wholeNumber(type, value);
  return type.endsWith('_ns') ? floorDivide(number, 1000n) : number;
}

/** Days since 1970. */
function days(type: PrimitiveType, value: Uint8Array): bigint {
  return type === 'date' ? wholeNumber(type, value) : floorDivide(micros(type, value), 24n * MICROS_OF_HOUR);
}

const DAYS_OF_400_YEARS = 146_097n;

/** Months since January 1970, also for days that `Date` cannot hold (cases.md B25): every 400 years have the same number of days. */
function months(daysSince1970: bigint): bigint {
  const era = floorDivide(daysSince1970, DAYS_OF_400_YEARS);
  const date = new Date(Number(daysSince1970 - era * DAYS_OF_400_YEARS) * 86_400_000);
  return era * 4800n + BigInt((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth());
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

function int(value: bigint): Uint8Array | undefined {
  return fittingBytes('int', value);
}
