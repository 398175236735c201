import { parsePrimitive } from '../lib/spec/primitive-type.ts';
import type { Schema, StructType, Type } from '../lib/spec/schema.ts';
import type { Canonical, Row } from '../test/integration/readers/canonical.ts';

/** A row as an engine returns it: JSON, with values in the engine's notation. */
export type ReadRow = Readonly<Record<string, unknown>>;

/**
 * The row in the canonical spelling (test/integration/readers/connection.py), by the types of the table's schema. This unifies notations
 * only; different values remain different. Columns that are not in the schema are kept, so that the comparison reports them.
 */
export function canonicalised(schema: Schema | StructType, row: ReadRow): Row {
  const types = new Map(schema.fields.map(({ name, type }) => [name, type]));
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, spelled(types.get(name) ?? 'string', value)]),
  );
}

function spelled(type: Type, value: unknown): Canonical {
  if (value === null || value === undefined) return null;
  if (typeof type === 'string') return primitive(type, value);
  switch (type.type) {
    case 'struct': {
      const member = (name: string, index: number) =>
        Array.isArray(value) ? value[index] : (value as Readonly<Record<string, unknown>>)[name];
      return Object.fromEntries(
        type.fields.map(({ name, type: child }, index) => [name, spelled(child, member(name, index))]),
      );
    }
    case 'list':
      return (value as readonly unknown[]).map((each) => spelled(type.element, each));
    case 'map':
      return entriesOf(value)
        .map(([key, each]) => [spelled(type.key, key), spelled(type.value, each)] as const)
        .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  }
}

/** The entries of a map, which an engine returns as pairs, as structs of key and value (Arrow without maps), or as an object. */
function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (!Array.isArray(value)) return Object.entries(value as object);
  return value.map((entry) => (Array.isArray(entry) ? [entry[0], entry[1]] : [entry.key, entry.value]));
}

function primitive(type: string, value: unknown): Canonical {
  const parsed = parsePrimitive(type);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  switch (parsed.name) {
    case 'boolean':
      return typeof value === 'boolean' ? value : text;
    case 'int':
    case 'long':
      return text;
    case 'float':
    case 'double':
      return floating(parsed.name, value, text);
    case 'decimal':
      return 'scale' in parsed ? padded(text, parsed.scale) : text;
    case 'timestamp':
    case 'timestamp_ns':
      return momentText(text);
    case 'timestamptz':
    case 'timestamptz_ns':
      return `${momentText(text.replace(/ ?(UTC|Z|\+00:00|\+00)$/, ''))}+00:00`;
    case 'time':
      return text.includes('.') ? text.replace(/(\.\d{6})0+$/, '$1') : `${text}.000000`;
    case 'uuid':
      return text.replaceAll('-', '').toLowerCase();
    default:
      return text;
  }
}

function floating(type: 'float' | 'double', value: unknown, text: string): Canonical {
  if (/^-?nan$/i.test(text)) return 'NaN';
  if (/^\+?inf(inity)?$/i.test(text)) return 'Infinity';
  if (/^-inf(inity)?$/i.test(text)) return '-Infinity';
  const number = typeof value === 'number' ? value : Number(text);
  if (Number.isNaN(number)) return text;
  if (Object.is(number, -0)) return '-0';
  return type === 'float' ? Math.fround(number) : number;
}

/** A decimal with the digits of the type's scale: ClickHouse omits trailing zeros, Spark's Python adds some. */
function padded(text: string, scale: number): string {
  if (scale === 0 || !/^-?\d+(\.\d+)?$/.test(text)) return text;
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(scale, '0')}`;
}

/** A timestamp with `T` and six digits, or nine where six are not exact. */
function momentText(text: string): string {
  const [date, time = '00:00:00'] = text.replace(' ', 'T').split('T');
  const [seconds, fraction = ''] = time.split('.');
  const digits = fraction.padEnd(6, '0');
  return `${date}T${seconds}.${digits.length > 6 && /^0+$/.test(digits.slice(6)) ? digits.slice(0, 6) : digits}`;
}

/**
 * A value as engines without null lists, maps and structs show it: as empty ones, and as structs of nulls. This recognises a difference that
 * has no other cause.
 */
export function withoutNestedNulls(type: Type, value: Canonical): Canonical {
  if (typeof type === 'string') return value;
  switch (type.type) {
    case 'struct': {
      const struct = (value ?? {}) as Row;
      return Object.fromEntries(
        type.fields.map(({ name, type: child }) => [name, withoutNestedNulls(child, struct[name] ?? null)]),
      );
    }
    case 'list':
      return ((value ?? []) as readonly Canonical[]).map((each) => withoutNestedNulls(type.element, each));
    case 'map':
      return ((value ?? []) as readonly (readonly [Canonical, Canonical])[]).map(([key, each]) => [
        key,
        withoutNestedNulls(type.value, each),
      ]);
  }
}
