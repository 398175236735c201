/** Partition values that the directories of a key claim: `dt=2024-01-01/region=eu/…` (cases.md A32). */

import type { PartitionValue } from '../spec/partition-spec.ts';
import { parsePrimitive } from '../spec/primitive-type.ts';
import type { PrimitiveType } from '../spec/schema.ts';
import { fittingBytes, floatingPointBytes, wholeNumberBytes } from '../spec/single-value.ts';
import { partitionValue } from './partition-value.ts';
import type { ResolvedPartitionField } from './transform.ts';

const HIVE_NULL = '__HIVE_DEFAULT_PARTITION__';
/** Iceberg's own writers spell null like this. For a string it may also be the text itself. */
const ICEBERG_NULL = 'null';

/**
 * The text that a key's directories give for each name, percent-decoded once. The text is undefined if it cannot be decoded, or
 * if two directories give different texts for the name: what the key claims is then unknown, which is not the same as no claim.
 */
export function partitionClaims(key: string): ReadonlyMap<string, string | undefined> {
  const claims = new Map<string, string | undefined>();
  for (const directory of key.split('/').slice(0, -1)) {
    const [, rawName = '', rawText = ''] = /^([^=]+)=(.*)$/s.exec(directory) ?? [];
    const name = decodeOnce(rawName);
    if (!name) continue;
    const text = decodeOnce(rawText);
    claims.set(name, claims.has(name) && claims.get(name) !== text ? undefined : text);
  }
  return claims;
}

function decodeOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Parses a claim as Iceberg and Hive write it, into single-value bytes; undefined if it is not a value of this field. */
export function claimedValue(field: ResolvedPartitionField, text: string): PartitionValue | undefined {
  const { transform, sourceType, resultType } = field;
  if (text === HIVE_NULL || (text === ICEBERG_NULL && resultType !== 'string')) return null;
  switch (transform.name) {
    case 'void':
      return undefined;
    case 'year':
    case 'month':
    case 'day':
    case 'hour': {
      const micros = PERIODS[transform.name].test(text) ? periodStart(text) : undefined;
      return micros === undefined
        ? undefined
        : partitionValue(transform, 'timestamp', wholeNumberBytes('timestamp', micros));
    }
    case 'bucket': {
      const bucket = /^\d{1,10}$/.test(text) ? Number(text) : transform.buckets;
      return bucket < transform.buckets ? wholeNumberBytes('int', BigInt(bucket)) : undefined;
    }
    case 'identity':
    case 'truncate': {
      const value = parsed(resultType, text);
      if (value === undefined) return undefined;
      const result = partitionValue(transform, sourceType, value);
      return result !== undefined && Buffer.compare(result, value) === 0 ? value : undefined;
    }
  }
}

const PERIODS = {
  year: /^\d{4}$/,
  month: /^\d{4}-\d\d$/,
  day: /^\d{4}-\d\d-\d\d$/,
  hour: /^\d{4}-\d\d-\d\d-\d\d$/,
};

/** Microseconds since 1970 of `2024`, `2024-01`, `2024-01-31` or `2024-01-31-23`; undefined if that day does not exist. */
function periodStart(text: string): bigint | undefined {
  const day = text.slice(0, 10) + '2000-01-01'.slice(text.length);
  const seconds = secondsOf(day, `${text.slice(11) || '00'}:00:00`);
  return seconds === undefined ? undefined : seconds * 1_000_000n;
}

/** Undefined for a day that does not exist, such as 30 February, which `Date` would move to another day. */
function secondsOf(day: string, time: string): bigint | undefined {
  const date = new Date(`${day}T${time}Z`);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day)) return undefined;
  return BigInt(date.getTime() / 1000);
}

function parsed(type: PrimitiveType, text: string): Uint8Array | undefined {
  const primitive = parsePrimitive(type);
  if ('precision' in primitive) return decimal(text, primitive);
  switch (type) {
    case 'string':
      return Buffer.from(text);
    case 'boolean':
      return text === 'true' || text === 'false' ? Uint8Array.of(text === 'true' ? 1 : 0) : undefined;
    case 'int':
    case 'long':
      return /^-?\d+$/.test(text) ? fittingBytes(type, BigInt(text)) : undefined;
    case 'float':
    case 'double':
      return floatingPoint(type, text);
    case 'date': {
      const micros = PERIODS.day.test(text) ? periodStart(text) : undefined;
      return micros === undefined ? undefined : wholeNumberBytes('date', micros / 86_400_000_000n);
    }
    case 'uuid':
      return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
        ? Buffer.from(text.replaceAll('-', ''), 'hex')
        : undefined;
    default:
      return type.startsWith('timestamp') ? timestamp(type, text) : undefined;
  }
}

function decimal(
  text: string,
  { precision, scale }: { readonly precision: number; readonly scale: number },
): Uint8Array | undefined {
  const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > scale) return undefined;
  const unscaled = BigInt(whole + fraction.padEnd(scale, '0'));
  const limit = 10n ** BigInt(precision);
  return unscaled < limit && -unscaled < limit
    ? wholeNumberBytes(`decimal(${precision},${scale})`, unscaled)
    : undefined;
}

function floatingPoint(type: 'float' | 'double', text: string): Uint8Array | undefined {
  if (!/^(-?(\d+(\.\d*)?([eE][+-]?\d+)?|Infinity)|NaN)$/.test(text)) return undefined;
  return floatingPointBytes(type, Number(text));
}

/** `2024-01-31T23:59:59.000001Z`, `2024-01-31 23:59`. The text must have a zone if the type has one, and none otherwise. */
function timestamp(type: PrimitiveType, text: string): Uint8Array | undefined {
  const [, day, minutes, seconds = '00', fraction = '', zone] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|\+00:00)?$/.exec(text) ?? [];
  if (day === undefined || (zone !== undefined) !== type.startsWith('timestamptz')) return undefined;
  const sinceEpoch = secondsOf(day, `${minutes}:${seconds}`);
  if (sinceEpoch === undefined) return undefined;
  const nanos = sinceEpoch * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
  if (type.endsWith('_ns')) return fittingBytes(type, nanos);
  return nanos % 1000n === 0n ? fittingBytes(type, nanos / 1000n) : undefined;
}
