/**
 * Thrift structs described as tables of their fields, and decoded strictly: a known field with another wire type is an error,
 * as is a missing required field; unknown fields are skipped.
 */
import { isAscii } from 'node:buffer';
import {
  BINARY,
  BYTE,
  type Cursor,
  FALSE,
  I32,
  I64,
  LIST,
  readBinary,
  readByte,
  readFieldId,
  readListHeader,
  readZigZag32,
  readZigZag64,
  STRUCT,
  skip,
  TRUE,
  unreadable,
} from './compact-protocol.ts';

/** How one Thrift type is read: the wire types it may have, and the decoding. */
export interface Wire<T> {
  readonly types: readonly number[];
  /** `type` is the wire type that was met, which for a boolean field is also its value. */
  read(cursor: Cursor, type: number): T;
}

export const boolean: Wire<boolean> = { types: [TRUE, FALSE], read: (_cursor, type) => type === TRUE };
export const i8: Wire<number> = { types: [BYTE], read: (cursor) => (readByte(cursor) << 24) >> 24 };
export const i32: Wire<number> = { types: [I32], read: readZigZag32 };
export const i64: Wire<number> = { types: [I64], read: readZigZag64 };
export const binary: Wire<Uint8Array> = { types: [BINARY], read: readBinary };

/** Text in UTF-8. Invalid bytes are refused: a repaired name would name another column. */
export const text: Wire<string> = {
  types: [BINARY],
  read(cursor) {
    const bytes = readBinary(cursor);
    if (bytes.length <= shortText && isAscii(bytes)) return String.fromCharCode(...bytes);
    try {
      return utf8.decode(bytes);
    } catch {
      return unreadable(cursor, 'a name that is not valid UTF-8 ends');
    }
  },
};
/** Up to this length an ASCII name is built faster without the decoder. */
const shortText = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A field whose presence matters, but not its value. */
export function ignored(type: 'i32' | 'i64' | 'list' | 'struct' | 'binary'): Wire<true> {
  const wireType = { i32: I32, i64: I64, list: LIST, struct: STRUCT, binary: BINARY }[type];
  return {
    types: [wireType],
    read(cursor) {
      skip(cursor, wireType);
      return true;
    },
  };
}

/** A list of which the first element, often the only one, is decoded, and the others are left for {@link elementsOf}. */
export interface BegunList<T> {
  /** Undefined if the list is empty. */
  readonly first: T | undefined;
  readonly element: Wire<T>;
  /** The wire type of the elements. */
  readonly type: number;
  readonly restAt: number;
  readonly restSize: number;
}

export function begunList<T>(element: Wire<T>, max: number): Wire<BegunList<T>> {
  return {
    types: [LIST],
    read(cursor) {
      const [type, size] = listHeader(cursor, element, max);
      const first = size === 0 ? undefined : element.read(cursor, type);
      const restAt = cursor.at;
      const restSize = Math.max(size - 1, 0);
      for (let i = 0; i < restSize; i++) skip(cursor, type);
      return { first, element, type, restAt, restSize };
    },
  };
}

/** The elements of a list, one decoded at a time. @param cursor at `restAt` */
export function* elementsOf<T>(list: BegunList<T>, cursor: Cursor): Generator<T> {
  if (list.first !== undefined) yield list.first;
  for (let i = 0; i < list.restSize; i++) yield list.element.read(cursor, list.type);
}

/** Lists longer than `max` are refused before anything is allocated. */
export function list<T>(element: Wire<T>, max: number): Wire<readonly T[]> {
  return {
    types: [LIST],
    read(cursor) {
      const values: T[] = [];
      const [type, size] = listHeader(cursor, element, max);
      for (let i = 0; i < size; i++) values.push(element.read(cursor, type));
      return values;
    },
  };
}

/**
 * Returns the very same value for bytes that it has read before, so that what repeats from footer to footer is compared instead
 * of decoded. Keeps the last few by their bytes, none larger than `maxBytes`.
 */
export function remembering<T extends object>(
  wire: Wire<T>,
  { values, maxBytes }: { readonly values: number; readonly maxBytes: number },
): Wire<T> {
  interface Read {
    readonly bytes: Uint8Array;
    readonly nodes: number;
    readonly value: T;
  }
  let known: readonly Read[] = [];
  return {
    types: wire.types,
    read(cursor, type) {
      const { at, nodes } = cursor;
      const again = known.find(({ bytes }) => isAt(cursor, bytes));
      if (again !== undefined) {
        cursor.at += again.bytes.length;
        cursor.nodes += again.nodes;
        return again.value;
      }
      const value = wire.read(cursor, type);
      const bytes = cursor.bytes.slice(at, cursor.at);
      if (bytes.length <= maxBytes)
        known = [{ bytes, nodes: cursor.nodes - nodes, value }, ...known].slice(0, values);
      return value;
    },
  };
}

function isAt({ bytes, at }: Cursor, wanted: Uint8Array): boolean {
  return Buffer.compare(bytes.subarray(at, at + wanted.length), wanted) === 0;
}

function listHeader(
  cursor: Cursor,
  element: Wire<unknown>,
  max: number,
): readonly [type: number, size: number] {
  const header = readListHeader(cursor);
  const [type, size] = header;
  if (size > max) unreadable(cursor, `a list of ${size} elements (the limit is ${max})`);
  if (size > 0 && !element.types.includes(type)) unreadable(cursor, `a list of wire type ${type}`);
  cursor.nodes += size;
  return header;
}

export interface Field<T> {
  readonly id: number;
  readonly wire: Wire<T>;
  readonly required: boolean;
}

export const required = <T>(id: number, wire: Wire<T>): Field<T> => ({ id, wire, required: true });
export const optional = <T>(id: number, wire: Wire<T>): Field<T | undefined> => ({
  id,
  wire,
  required: false,
});

type Fields = Readonly<Record<string, Field<unknown>>>;
type Struct<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** The type that a wire type decodes to. */
export type Decoded<W> = W extends Wire<infer T> ? T : never;

/** A struct, described as a table of its fields. If a field occurs twice the last one counts, as in every Thrift reader. */
export function struct<F extends Fields>(name: string, fields: F): Wire<Struct<F>> {
  const byId: ([string, Wire<unknown>] | undefined)[] = [];
  for (const [key, field] of Object.entries(fields)) byId[field.id] = [key, field.wire];
  const blank = Object.fromEntries(Object.keys(fields).map((key) => [key, undefined]));
  const requiredKeys = Object.keys(fields).filter((key) => fields[key]?.required);
  return {
    types: [STRUCT],
    read(cursor) {
      const value: Record<string, unknown> = { ...blank };
      for (let id = 0, header = readByte(cursor); header !== 0; header = readByte(cursor)) {
        cursor.nodes++;
        id = readFieldId(cursor, header, id);
        const known = byId[id];
        if (known) value[known[0]] = readKnown(cursor, name, known, header & 0x0f);
        else skip(cursor, header & 0x0f);
      }
      for (const key of requiredKeys) {
        if (value[key] === undefined) unreadable(cursor, `a ${name} without its required ${key} ends`);
      }
      return value as Struct<F>;
    },
  };
}

type Members = Readonly<Record<string, readonly [id: number, wire: Wire<unknown>]>>;
type Union<M extends Members> =
  | { readonly [K in keyof M]: { readonly kind: K; readonly value: Decoded<M[K][1]> } }[keyof M]
  | { readonly kind: 'unknown'; readonly value: number };

/** A union of exactly one field. A field whose ID is not in the table becomes `unknown`, with that ID. */
export function union<M extends Members>(name: string, members: M): Wire<Union<M>> {
  const byId: ([string, Wire<unknown>] | undefined)[] = [];
  for (const [kind, [id, wire]] of Object.entries(members)) byId[id] = [kind, wire];
  return {
    types: [STRUCT],
    read(cursor) {
      const header = readByte(cursor);
      if (header === 0) unreadable(cursor, `an empty ${name} ends`);
      cursor.nodes++;
      const id = readFieldId(cursor, header, 0);
      const member = byId[id];
      const kind = member?.[0] ?? 'unknown';
      const value = member ? readKnown(cursor, name, member, header & 0x0f) : id;
      if (member === undefined) skip(cursor, header & 0x0f);
      if (readByte(cursor) !== 0) unreadable(cursor, `a ${name} with more than one field ends`);
      return { kind, value } as Union<M>;
    },
  };
}

function readKnown(
  cursor: Cursor,
  name: string,
  [key, wire]: [string, Wire<unknown>],
  type: number,
): unknown {
  if (!wire.types.includes(type)) unreadable(cursor, `field ${name}.${key} of wire type ${type}`);
  return wire.read(cursor, type);
}
