import { parsePrimitive } from '../../lib/spec/primitive-type.ts';
import type { PrimitiveType } from '../../lib/spec/schema.ts';
import type { Value } from '../../local/shipper/dataset.ts';

/** The highest rank. Values in rows have even ranks, so that an odd rank is a value between two of them and in no row. */
export const RANKS = 160;

/** The value of a type at a rank: the higher the rank, the greater the value. */
export function valueAt(type: PrimitiveType, rank: number): Value {
  const from = rank - RANKS / 2;
  const primitive = parsePrimitive(type);
  if ('precision' in primitive) {
    return BigInt(from) * 10n ** BigInt(Math.max(0, primitive.precision - 4)) + BigInt(rank % 7);
  }
  if ('length' in primitive) return new Uint8Array(primitive.length).fill(0x5a).with(0, rank);
  switch (primitive.name) {
    case 'boolean':
      return rank >= RANKS / 2;
    case 'int':
      return from * 26_000_000 + 1;
    case 'long':
      return BigInt(from) * 2n ** 56n + 2n ** 53n + 1n;
    case 'float':
      return Math.fround(from * 1.5e30 + 0.25);
    case 'double':
      return from * 1e300 + 0.1;
    case 'date':
      return from * 250 + 1;
    case 'time':
      return BigInt(rank) * 530_000_000n + 1n;
    case 'timestamp':
    case 'timestamptz':
      return BigInt(from) * 577_777_777_777_777n + 1n;
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return BigInt(from) * 77_777_777_777_777_777n + 1n;
    case 'string':
      return `ключ-${String(rank).padStart(3, '0')}-𝒳-and more than sixteen letters`;
    case 'uuid':
      return new Uint8Array(16).fill(0x11).with(0, rank + 60);
    case 'binary':
      return new Uint8Array(40).fill(0xff).with(0, rank + 60);
    default:
      throw new Error(`no values of type ${type}`);
  }
}
