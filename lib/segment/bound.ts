/**
 * Bounds as manifests store them: in the width of the table's type, truncated to the length that the table's metrics mode gives
 * (spec, Appendix D; Iceberg Java, `UnicodeUtil`, `BinaryUtil`).
 */
import { isPromotion, samePrimitive } from '../spec/primitive-type.ts';
import type { PrimitiveType } from '../spec/schema.ts';
import {
  codePointOffset,
  floatingPoint,
  floatingPointBytes,
  wholeNumber,
  wholeNumberBytes,
} from '../spec/single-value.ts';
import type { Side } from './column-value.ts';

/** Converts single-value bytes of type `from` to type `to`; undefined if values of one do not read as the other (case B14). */
export function widenBound(
  bytes: Uint8Array,
  from: PrimitiveType,
  to: PrimitiveType,
): Uint8Array | undefined {
  if (samePrimitive(from, to)) return bytes;
  if (!isPromotion(from, to)) return undefined;
  switch (from) {
    case 'int':
      return wholeNumberBytes('long', wholeNumber('int', bytes));
    case 'float':
      return floatingPointBytes('double', floatingPoint(bytes));
    default:
      return bytes; // A decimal's bytes do not depend on its precision.
  }
}

/**
 * Truncates a string to `length` code points or a binary to `length` bytes; other types are never truncated (case B27). A
 * truncated upper bound is raised at its last code point or byte, dropping those that cannot be raised; undefined if none can
 * (cases B7, B9).
 */
export function truncateBound(
  bytes: Uint8Array,
  type: PrimitiveType,
  length: number,
  side: Side,
): Uint8Array | undefined {
  if (type === 'string') return truncateText(bytes, length, side);
  if (type !== 'binary' || bytes.length <= length) return bytes;
  const cut = bytes.subarray(0, length);
  return side === 'lower' ? cut : raiseBytes(cut);
}

function raiseBytes(bytes: Uint8Array): Uint8Array | undefined {
  const last = bytes.findLastIndex((byte) => byte !== 0xff);
  if (last < 0) return undefined;
  // A copy of any kind of array: a Buffer's own `slice` would change the value itself.
  const raised = Buffer.from(bytes.subarray(0, last + 1));
  raised[last] = (raised[last] ?? 0) + 1;
  return raised;
}

function truncateText(utf8: Uint8Array, length: number, side: Side): Uint8Array | undefined {
  const end = codePointOffset(utf8, length);
  if (end === utf8.length) return utf8;
  const cut = utf8.subarray(0, end);
  return side === 'lower' ? cut : raiseText(cut);
}

function raiseText(utf8: Uint8Array): Uint8Array | undefined {
  const codePoints = Array.from(Buffer.from(utf8).toString('utf8'), (char) => char.codePointAt(0) ?? 0);
  const last = codePoints.findLastIndex((codePoint) => codePoint !== 0x10ffff);
  if (last < 0) return undefined;
  const raised = (codePoints[last] ?? 0) + 1;
  // UTF-8 has no surrogates.
  const next = raised === 0xd800 ? 0xe000 : raised;
  return Buffer.from(String.fromCodePoint(...codePoints.slice(0, last), next));
}
