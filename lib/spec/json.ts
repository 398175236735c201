/**
 * JSON in which 64-bit integers survive. Iceberg's snapshot IDs have 63 bits and `JSON.parse` rounds them
 * (cases.md C14): integers that a double cannot hold become `bigint`, and `bigint` is written as a JSON number.
 */

/**
 * Parses JSON; an integer literal beyond ±(2^53 - 1) becomes a `bigint`, every other number a `number`. A text without 16
 * digits in a row has no such literal and is parsed four times as fast.
 */
export function parseJson(text: string): unknown {
  return /\d{16}/.test(text) ? JSON.parse(text, reviveInt64) : JSON.parse(text);
}

function reviveInt64(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** Writes JSON; a `bigint` becomes a JSON number, and the default of a float or double column has a point. */
export function stringifyJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, writeNumber, indent);
}

function writeNumber(this: unknown, key: string, value: unknown): unknown {
  if (typeof value !== 'bigint' && typeof value !== 'number') return value;
  if (DEFAULTS.has(key) && isFloatingPoint(this)) return rawJson(withPoint(value));
  return typeof value === 'bigint' ? rawJson(value.toString()) : value;
}

const DEFAULTS: ReadonlySet<string> = new Set(['initial-default', 'write-default']);

function isFloatingPoint(column: unknown): boolean {
  const { type } = column as { readonly type?: unknown };
  return type === 'float' || type === 'double';
}

/** Iceberg's Java parser takes `1.0` for a double and refuses `1`, which is all that JavaScript knows of it. */
function withPoint(value: number | bigint): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
