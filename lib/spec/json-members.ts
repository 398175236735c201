/**
 * Finds the positions of members and elements in a JSON text, in one pass over its bytes. Only names are decoded. Nesting is
 * followed by the brackets outside of strings; the inside of a value is checked when it is parsed.
 */

export interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Visits the members of an object, in order.
 *
 * @param visit gets a member's name and the start of its value; returns the end of the value (`valueEnd`, `arrayEnd`)
 * @returns the end of the object
 * @throws SyntaxError if there is no object at `from`
 */
export function scanObject(
  text: Uint8Array,
  from: number,
  visit: (name: string, start: number) => number,
): number {
  let at = skipBlank(text, from);
  expect(text, at, OPEN_OBJECT);
  at = skipBlank(text, at + 1);
  if (text[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    expect(text, at, QUOTE);
    const nameEnd = stringEnd(text, at + 1);
    const name = String(JSON.parse(decode(text, { start: at, end: nameEnd })));
    at = skipBlank(text, nameEnd);
    expect(text, at, COLON);
    at = skipBlank(text, visit(name, skipBlank(text, at + 1)));
    if (text[at] === CLOSE_OBJECT) return at + 1;
    expect(text, at, COMMA);
    at = skipBlank(text, at + 1);
  }
}

/**
 * Visits the elements of an array, in order.
 *
 * @returns the end of the array
 * @throws SyntaxError if there is no array at `from`
 */
export function scanArray(text: Uint8Array, from: number, visit: (element: Span) => void): number {
  let at = skipBlank(text, from);
  expect(text, at, OPEN_ARRAY);
  at = skipBlank(text, at + 1);
  if (text[at] === CLOSE_ARRAY) return at + 1;
  for (;;) {
    const end = valueEnd(text, at);
    visit({ start: at, end });
    at = skipBlank(text, end);
    if (text[at] === CLOSE_ARRAY) return at + 1;
    expect(text, at, COMMA);
    at = skipBlank(text, at + 1);
  }
}

export function decode(text: Uint8Array, { start, end }: Span): string {
  return Buffer.from(text.buffer, text.byteOffset + start, end - start).toString();
}

/** The end of the value that begins at `start`. @throws SyntaxError */
export function valueEnd(text: Uint8Array, start: number): number {
  const first = text[start];
  if (first === QUOTE) return stringEnd(text, start + 1);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return nestedEnd(text, start + 1, 1);
  let at = start;
  while (at < text.length && !isDelimiter(text[at] ?? 0)) at += 1;
  if (at === start) throw unexpected(text, at);
  return at;
}

/** The end of an array, if `from` is between two of its elements. @throws SyntaxError */
export function arrayEnd(text: Uint8Array, from: number): number {
  return nestedEnd(text, from, 1);
}

/** The end of a value with this many open brackets. */
function nestedEnd(text: Uint8Array, from: number, open: number): number {
  let depth = open;
  for (let at = from; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) at = stringEnd(text, at + 1) - 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  throw unexpected(text, text.length);
}

/** The position after the closing quote. In UTF-8 no byte of another character equals a quote or backslash. */
function stringEnd(text: Uint8Array, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  throw unexpected(text, text.length);
}

function skipBlank(text: Uint8Array, from: number): number {
  let at = from;
  while (isBlank(text[at])) at += 1;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDelimiter(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || isBlank(byte);
}

function expect(text: Uint8Array, at: number, byte: number): void {
  if (text[at] !== byte) throw unexpected(text, at);
}

function unexpected(text: Uint8Array, at: number): SyntaxError {
  const what = at < text.length ? `byte ${text[at]}` : 'the end';
  return new SyntaxError(`Cannot read the JSON: it has ${what} at ${at}`);
}
