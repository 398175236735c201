import { parsePrimitive } from '../lib/spec/primitive-type.ts';
import type { PrimitiveType } from '../lib/spec/schema.ts';
import type { Canonical, Row } from '../test/integration/readers/canonical.ts';
import type { Predicate } from './predicate.ts';

/** Whether a row fulfils a predicate by the rules of SQL and the table spec: null fulfils only IS NULL. */
export function fulfils(row: Row, predicate: Predicate): boolean {
  const value = row[predicate.column] ?? null;
  if (predicate.op === 'is null') return value === null;
  if (value === null) return false;
  const order = (other: Canonical) => compare(predicate.type, value, other);
  switch (predicate.op) {
    case 'is not null':
      return true;
    case '=':
      return order(predicate.value) === 0;
    case '<':
      return order(predicate.value) < 0;
    case '>=':
      return order(predicate.value) >= 0;
    case 'in':
      return predicate.values.some((one) => order(one) === 0);
    case 'starts with':
      return String(value).startsWith(predicate.value);
  }
}

/** The order of Iceberg's bounds on canonical values: negative, zero or positive. */
export function compare(type: PrimitiveType, a: Canonical, b: Canonical): number {
  const [left, right] = [ordered(type, a), ordered(type, b)];
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  return left < right ? -1 : left > right ? 1 : 0;
}

function ordered(type: PrimitiveType, value: Canonical): bigint | number | boolean | Uint8Array {
  switch (parsePrimitive(type).name) {
    case 'boolean':
      return value === true;
    case 'int':
    case 'long':
      return BigInt(String(value));
    case 'decimal':
      return BigInt(String(value).replace('.', ''));
    case 'float':
    case 'double':
      return Number(value);
    default:
      // Dates and times in ISO 8601, bytes in hexadecimal, and text, which Iceberg orders by code points.
      return Buffer.from(String(value));
  }
}
