import { parsePrimitive } from '../lib/spec/primitive-type.ts';
import type { PrimitiveType } from '../lib/spec/schema.ts';
import { floatingPoint, wholeNumber } from '../lib/spec/single-value.ts';

/** Iceberg single-value bytes in readable form; in hex for types that have none. */
export function readableValue(type: PrimitiveType, bytes: Uint8Array): string {
  const primitive = parsePrimitive(type);
  if ('precision' in primitive) return decimal(wholeNumber(type, bytes), primitive.scale);
  switch (type) {
    case 'boolean':
      return String(bytes[0] !== 0);
    case 'int':
    case 'long':
      return String(wholeNumber(type, bytes));
    case 'float':
    case 'double':
      return Object.is(floatingPoint(bytes), -0) ? '-0' : String(floatingPoint(bytes));
    case 'date':
      return (
        instant(wholeNumber(type, bytes) * 86_400n, 1n)?.slice(0, -10) ?? `day ${wholeNumber(type, bytes)}`
      );
    case 'time':
      return instant(wholeNumber(type, bytes), 1_000_000n)?.split('T')[1]?.slice(0, -1) ?? hex(bytes);
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return timestamp(type, wholeNumber(type, bytes));
    case 'string':
      return JSON.stringify(Buffer.from(bytes).toString('utf8'));
    case 'uuid':
      return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    default:
      return hex(bytes);
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function decimal(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const sign = unscaled < 0n ? '-' : '';
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function timestamp(type: PrimitiveType, value: bigint): string {
  const isNanos = type.endsWith('_ns');
  const text = instant(value, isNanos ? 1_000_000_000n : 1_000_000n);
  if (text === undefined) return `${value} ${isNanos ? 'ns' : 'µs'} since 1970`;
  return type.startsWith('timestamptz') ? text : text.slice(0, -1);
}

/** ISO 8601 in UTC with all digits of the unit; undefined outside the years that a Date supports (case B25). */
function instant(value: bigint, perSecond: bigint): string | undefined {
  const rest = ((value % perSecond) + perSecond) % perSecond;
  const date = new Date(Number((value - rest) / perSecond) * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  const fraction = rest === 0n ? '' : `.${rest.toString().padStart(perSecond.toString().length - 1, '0')}`;
  return date.toISOString().replace('.000Z', `${fraction}Z`);
}
