/**
 * JSON that preserves 64-bit integers. Iceberg's snapshot IDs have 63 bits, which `JSON.parse` rounds (cases.md C14). Integers
 * that a double cannot represent become `bigint`, and `bigint` is written as a JSON number.
 */

/**
 * Parses JSON. An integer literal beyond ±(2^53 - 1) becomes a `bigint`, every other number a `number`.
 *
 * `JSON.parse` passes the digits of a literal only to a reviver, which takes several times as long. Therefore long literals are
 * first turned into strings that begin with NUL, a character with which no string of this JSON begins, and these strings are
 * turned into integers after parsing.
 */
export function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  if (/\\u0000/.test(text)) return JSON.parse(text, reviveInt64);
  const quoted = quoteLongIntegers(text);
  return quoted === text ? JSON.parse(text) : integersOf(JSON.parse(quoted));
}

const LONG_INTEGER = /(?<![\d.eE+])-?[1-9]\d{15,}(?![\d.eE])/g;
const MARK = '\\u0000';

function quoteLongIntegers(text: string): string {
  let quoted = '';
  let copiedTo = 0;
  // Outside of strings: up to here, the quotes have been followed.
  let at = 0;
  for (const { 0: literal, index } of text.matchAll(LONG_INTEGER)) {
    for (let quote = text.indexOf('"', at); quote !== -1 && quote < index; quote = text.indexOf('"', at)) {
      at = stringEnd(text, quote + 1);
    }
    if (at > index) continue;
    quoted += `${text.slice(copiedTo, index)}"${MARK}${literal}"`;
    copiedTo = index + literal.length;
    at = copiedTo;
  }
  return quoted + text.slice(copiedTo);
}

/** The position after the closing quote, or the end of the text if there is none. */
function stringEnd(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Replaces the marked strings by integers, in place. */
function integersOf(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('\0') ? integerOf(value.slice(1)) : value;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) if (mayHoldMark(item)) value[at] = integersOf(item);
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const name in members) {
      if (mayHoldMark(members[name])) members[name] = integersOf(members[name]);
    }
  }
  return value;
}

function mayHoldMark(value: unknown): boolean {
  return typeof value === 'string' ? value.startsWith('\0') : typeof value === 'object';
}

function integerOf(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
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

/** Iceberg's Java parser accepts `1.0` as a double and refuses `1`, but JavaScript has the same number for both. */
function withPoint(value: number | bigint): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
