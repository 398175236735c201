/**
 * The Thrift compact protocol as Parquet footers use it, read strictly: every length is checked against the remaining bytes
 * before anything is allocated, varints and nesting are bounded, a known field with another wire type is an error, and unknown
 * fields are skipped. Every value read or skipped consumes at least one byte, so the work is linear in the footer's size.
 */
import { RegistrarError } from '../errors.ts';

export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
  /** Number of values met so far, including skipped ones: a measure of work. */
  nodes: number;
}

/** Wire types. */
export const TRUE = 1;
export const FALSE = 2;
export const BYTE = 3;
const I16 = 4;
export const I32 = 5;
export const I64 = 6;
const DOUBLE = 7;
export const BINARY = 8;
export const LIST = 9;
const SET = 10;
const MAP = 11;
export const STRUCT = 12;
const UUID = 13;

/** Unknown fields may nest this deep; no known writer needs more than 8. */
const maxDepth = 32;

export function cursorOf(bytes: Uint8Array, at = 0): Cursor {
  const { buffer, byteOffset, byteLength } = bytes;
  // Never a Buffer, whose subarray costs more: it is called for each statistic.
  return { bytes: new Uint8Array(buffer, byteOffset, byteLength), at, nodes: 0 };
}

/** @throws `segment.unreadable` always */
export function unreadable(cursor: Cursor, found: string): never {
  throw new RegistrarError(
    'segment.unreadable',
    `Cannot decode the Parquet footer: ${found} at byte ${cursor.at} of ${cursor.bytes.length}`,
  );
}

/** Skips a value of any wire type without building anything. */
export function skip(cursor: Cursor, type: number, depth = 0): void {
  if (depth > maxDepth) unreadable(cursor, `nesting of more than ${maxDepth} levels`);
  cursor.nodes++;
  switch (type) {
    case TRUE:
    case FALSE:
      return;
    case BYTE:
      advance(cursor, 1);
      return;
    case I16:
    case I32:
    case I64:
      skipVarint(cursor);
      return;
    case DOUBLE:
      advance(cursor, 8);
      return;
    case UUID:
      advance(cursor, 16);
      return;
    case BINARY:
      advance(cursor, readVarint32(cursor));
      return;
    case LIST:
    case SET: {
      const [elementType, size] = readListHeader(cursor);
      for (let i = 0; i < size; i++) skipElement(cursor, elementType, depth + 1);
      return;
    }
    case MAP: {
      const size = readVarint32(cursor);
      if (size === 0) return;
      const types = readByte(cursor);
      requireBytes(cursor, size);
      for (let i = 0; i < size; i++) {
        skipElement(cursor, types >> 4, depth + 1);
        skipElement(cursor, types & 0x0f, depth + 1);
      }
      return;
    }
    case STRUCT:
      for (let header = readByte(cursor); header !== 0; header = readByte(cursor)) {
        if (header >> 4 === 0) skipVarint(cursor);
        skip(cursor, header & 0x0f, depth + 1);
      }
      return;
    default:
      unreadable(cursor, `wire type ${type}`);
  }
}

/** Skips an element of a list or map, in which each boolean takes a byte. */
function skipElement(cursor: Cursor, type: number, depth: number): void {
  skip(cursor, type === TRUE || type === FALSE ? BYTE : type, depth);
}

export function readListHeader(cursor: Cursor): readonly [type: number, size: number] {
  const header = readByte(cursor);
  const short = header >> 4;
  const size = short === 15 ? readVarint32(cursor) : short;
  requireBytes(cursor, size);
  return [header & 0x0f, size];
}

export function readBinary(cursor: Cursor): Uint8Array {
  const length = readVarint32(cursor);
  const start = cursor.at;
  advance(cursor, length);
  return cursor.bytes.subarray(start, start + length);
}

export function readByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at];
  if (byte === undefined) unreadable(cursor, 'the end');
  cursor.at++;
  return byte;
}

function advance(cursor: Cursor, count: number): void {
  requireBytes(cursor, count);
  cursor.at += count;
}

function requireBytes(cursor: Cursor, count: number): void {
  const left = cursor.bytes.length - cursor.at;
  if (count > left) unreadable(cursor, `a length of ${count} with ${left} bytes left`);
}

function readVarint32(cursor: Cursor): number {
  let value = 0;
  for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
    const byte = readByte(cursor);
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (value > 0xffffffff) unreadable(cursor, 'a varint beyond 32 bits');
      return value;
    }
  }
  return unreadable(cursor, 'a varint of more than 5 bytes');
}

export function readZigZag32(cursor: Cursor): number {
  const value = readVarint32(cursor);
  return (value >>> 1) ^ -(value & 1);
}

/**
 * A 64-bit number, beyond 2^52 only nearly: no count and no offset of a file is so large, and each is checked against what the file
 * can hold.
 */
export function readZigZag64(cursor: Cursor): number {
  const isNegative = ((cursor.bytes[cursor.at] ?? 0) & 1) === 1;
  let value = 0;
  for (let scale = 1; scale <= 2 ** 63; scale *= 128) {
    const byte = readByte(cursor);
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (scale === 2 ** 63 && byte > 1) unreadable(cursor, 'a varint beyond 64 bits');
      return isNegative ? -(value + 1) / 2 : value / 2;
    }
  }
  return unreadable(cursor, 'a varint of more than 10 bytes');
}

function skipVarint(cursor: Cursor): void {
  for (let i = 0; i < 10; i++) {
    if (readByte(cursor) < 0x80) return;
  }
  unreadable(cursor, 'a varint of more than 10 bytes');
}

/** The field ID of a field header: a difference to the last ID in the short form, the ID itself in the long form. */
export function readFieldId(cursor: Cursor, header: number, lastId: number): number {
  const delta = header >> 4;
  const id = delta === 0 ? readZigZag32(cursor) : lastId + delta;
  if (id < -32768 || id > 32767) unreadable(cursor, `field ID ${id}`);
  return id;
}
