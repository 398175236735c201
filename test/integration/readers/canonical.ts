import type { StructType, Type } from '../../../lib/spec/schema.ts';
import { decimalText, fieldOf } from '../../../local/shipper/canonical-text.ts';
import type { Row as ShippedRow, Value } from '../../../local/shipper/dataset.ts';

/** A value as the readers spell it; see connection.py. */
export type Canonical =
  | null
  | boolean
  | number
  | string
  | readonly Canonical[]
  | { readonly [name: string]: Canonical };

export type Row = Readonly<Record<string, Canonical>>;

/** Rows in an order that depends on nothing but their values, so that two readers' rows compare. */
export function sorted(rows: readonly Row[]): readonly Row[] {
  return rows
    .map((row) => ({ row, text: orderedText(row) }))
    .sort((left, right) => (left.text < right.text ? -1 : left.text > right.text ? 1 : 0))
    .map(({ row }) => row);
}

function orderedText(value: Canonical): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(orderedText).join()}]`;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${orderedText(member)}`).join()}}`;
}

function isList(value: Canonical): value is readonly Canonical[] {
  return Array.isArray(value);
}

/** What the readers must give for a row that the shipper wrote under `schema`. */
export function canonicalRow(schema: StructType, row: ShippedRow): Row {
  return Object.fromEntries(
    schema.fields.map(({ name, type }) => [name, canonical(type, row[name] ?? null)]),
  );
}

/** A row written under one version of a schema, as a table of another version shows it: by field ID. */
export function projectRow(written: StructType, shown: StructType, row: Row): Row {
  const sources = new Map(written.fields.map((field) => [field.id, field]));
  return Object.fromEntries(
    shown.fields.map(({ id, name, type }) => {
      const source = sources.get(id);
      const value = source === undefined ? null : (row[source.name] ?? null);
      return [name, source === undefined ? value : projectValue(source.type, type, value)];
    }),
  );
}

function projectValue(written: Type, shown: Type, value: Canonical): Canonical {
  if (value === null || typeof written === 'string' || typeof shown === 'string') return value;
  if (written.type === 'struct' && shown.type === 'struct') return projectRow(written, shown, value as Row);
  if (written.type === 'list' && shown.type === 'list') {
    return (value as readonly Canonical[]).map((each) => projectValue(written.element, shown.element, each));
  }
  if (written.type === 'map' && shown.type === 'map') {
    return (value as readonly (readonly [Canonical, Canonical])[]).map(([key, each]) => [
      projectValue(written.key, shown.key, key),
      projectValue(written.value, shown.value, each),
    ]);
  }
  return value;
}

function canonical(type: Type, value: Value): Canonical {
  if (value === null) return null;
  if (typeof type !== 'string') {
    switch (type.type) {
      case 'struct':
        return Object.fromEntries(
          type.fields.map(({ name, type: child }) => [name, canonical(child, fieldOf(value, name))]),
        );
      case 'list':
        return (value as readonly Value[]).map((element) => canonical(type.element, element));
      case 'map':
        return [...(value as ReadonlyMap<string, Value>)].map(([key, each]) => [
          canonical(type.key, key),
          canonical(type.value, each),
        ]);
    }
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  const scale = /^decimal\(\d+,(\d+)\)$/.exec(type)?.[1];
  if (scale !== undefined) return decimalText(value as bigint, Number(scale));
  switch (type) {
    case 'int':
    case 'long':
      return String(value);
    case 'float':
    case 'double':
      if (Object.is(value, -0)) return '-0';
      return Number.isFinite(value as number) ? (value as number) : String(value);
    case 'date':
      return new Date(Number(value) * 86_400_000).toISOString().slice(0, 10);
    case 'timestamp':
      return isoMicros(value as bigint);
    case 'timestamptz':
      return `${isoMicros(value as bigint)}+00:00`;
    case 'timestamp_ns':
      return isoNanos(value as bigint);
    case 'timestamptz_ns':
      return `${isoNanos(value as bigint)}+00:00`;
    case 'time':
      return isoMicros(value as bigint).slice('1970-01-01T'.length);
    case 'boolean':
    case 'string':
      return value as boolean | string;
    default:
      throw new Error(`Cannot spell a ${type}: the shipper writes none`);
  }
}

/** Microseconds since 1970 as `2026-01-01T00:00:00.000000`. */
function isoMicros(micros: bigint): string {
  const micro = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - micro) / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${micro.toString().padStart(6, '0')}`;
}

/** Nanoseconds since 1970; nine digits where six do not say all. */
function isoNanos(nanos: bigint): string {
  const rest = ((nanos % 1000n) + 1000n) % 1000n;
  return `${isoMicros((nanos - rest) / 1000n)}${rest === 0n ? '' : rest.toString().padStart(3, '0')}`;
}
