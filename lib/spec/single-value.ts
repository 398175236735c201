import { parsePrimitive } from './primitive-type.ts';
import type { PrimitiveType } from './schema.ts';

/**
 * Iceberg's single-value bytes (spec, Appendix D): numbers are little-endian, decimals are the fewest bytes of big-endian two's
 * complement, strings are UTF-8, and UUID, fixed and binary are their own bytes. New ones are Buffers of Node's pool, because there are
 * thousands in a batch and a small array of its own takes twice the memory.
 */

/** A whole number: int, long, date, time, timestamps, or the unscaled value of a decimal. */
export function wholeNumber(type: PrimitiveType, bytes: Uint8Array): bigint {
  if (parsePrimitive(type).name === 'decimal') return bigEndian(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return bytes.byteLength === 4 ? BigInt(view.getInt32(0, true)) : view.getBigInt64(0, true);
}

/** The bytes of a whole number, in the width of the type. @throws RangeError if the number does not fit */
export function wholeNumberBytes(type: PrimitiveType, value: bigint): Uint8Array {
  const bytes = fittingBytes(type, value);
  if (bytes === undefined) throw new RangeError(`${value} does not fit in ${type}`);
  return bytes;
}

/** Like {@link wholeNumberBytes}, but undefined if the number does not fit. */
export function fittingBytes(type: PrimitiveType, value: bigint): Uint8Array | undefined {
  if (parsePrimitive(type).name === 'decimal') return minimalBigEndian(value);
  const width = type === 'int' || type === 'date' ? 4 : 8;
  if (BigInt.asIntN(width * 8, value) !== value) return undefined;
  return width === 4 ? intBytes(Number(value)) : longBytes(value);
}

/** The bytes of an int or date. */
export function intBytes(value: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32LE(value);
  return bytes;
}

/** The bytes of a long, time or timestamp. */
export function longBytes(value: bigint): Uint8Array {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

/** The bytes of a float or double. */
export function floatingPointBytes(type: 'float' | 'double', value: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(type === 'float' ? 4 : 8);
  if (type === 'float') bytes.writeFloatLE(value);
  else bytes.writeDoubleLE(value);
  return bytes;
}

export function floatingPoint(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return bytes.byteLength === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
}

/** Whether the values of a type are whole numbers. */
export function isWholeNumber(type: PrimitiveType): boolean {
  return /^(int|long|date|time|timestamp|decimal)/.test(type);
}

export function isFloatingPoint(type: PrimitiveType): boolean {
  return type === 'float' || type === 'double';
}

/**
 * The byte offset of the code point with that index in UTF-8 text, or the length of the text if it has fewer. Continuation bytes are
 * 10xxxxxx.
 */
export function codePointOffset(utf8: Uint8Array, codePoints: number): number {
  if (utf8.length <= codePoints) return utf8.length;
  let seen = 0;
  for (const [offset, byte] of utf8.entries()) {
    if ((byte & 0xc0) !== 0x80 && seen++ === codePoints) return offset;
  }
  return utf8.length;
}

/** Whether the bytes have a width that numbers of the type may have. An int or float may have been promoted since they were written. */
export function isReadable(type: PrimitiveType, { length }: Uint8Array): boolean {
  const isFixed = isFloatingPoint(type) || (isWholeNumber(type) && !type.startsWith('decimal'));
  return isFixed ? length === 4 || length === 8 : length > 0 || !isWholeNumber(type);
}

/** Compares two values of one type, neither of them NaN. Strings, UUIDs and bytes are in unsigned order (cases.md B6, B20). */
export function compareSingleValues(type: PrimitiveType, a: Uint8Array, b: Uint8Array): number {
  if (isWholeNumber(type)) {
    const [left, right] = [wholeNumber(type, a), wholeNumber(type, b)];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (isFloatingPoint(type)) {
    const [left, right] = [floatingPoint(a), floatingPoint(b)];
    if (left !== right) return left - right;
    return Object.is(left, right) ? 0 : Object.is(left, -0) ? -1 : 1;
  }
  return Buffer.compare(a, b);
}

/** The bytes of a decimal sign-extended to `size` bytes, as in Avro's `fixed`. */
export function signExtended(bytes: Uint8Array, size: number): Uint8Array {
  const extended = Buffer.alloc(size, (bytes[0] ?? 0) >= 0x80 ? 0xff : 0);
  extended.set(bytes, size - bytes.length);
  return extended;
}

function bigEndian(bytes: Uint8Array): bigint {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return BigInt.asIntN(bytes.byteLength * 8, BigInt(`0x${text || '0'}`));
}

function minimalBigEndian(value: bigint): Uint8Array {
  let width = 1;
  while (BigInt.asIntN(width * 8, value) !== value) width += 1;
  const bytes = Buffer.allocUnsafe(width);
  for (let at = width - 1, rest = value; at >= 0; at -= 1, rest >>= 8n) bytes[at] = Number(rest & 0xffn);
  return bytes;
}
