/**
 * Reads values in Parquet statistics into a comparable form and writes them as Iceberg single values (spec, Appendix D). Bytes
 * in, bytes out: nothing passes through a date, a double or a text of another width (cases B8 to B14).
 */
import { isUtf8 } from 'node:buffer';
import {
  floatingPointBytes,
  intBytes,
  longBytes,
  wholeNumber,
  wholeNumberBytes,
} from '../spec/single-value.ts';
import type { ValueForm } from './column-type.ts';

export type ColumnValue = number | bigint | Uint8Array;
export type Side = 'lower' | 'upper';

/** How the statistics of one form of column are read, compared and written. */
export interface ValueCodec {
  /** Undefined for bytes that are not a value of the type (case B14). `length` is that of a fixed-length physical type. */
  read(bytes: Uint8Array, length: number | undefined): ColumnValue | undefined;
  compare(a: ColumnValue, b: ColumnValue): number;
  /** The single-value form for a bound of that side; undefined if there is none. */
  write(value: ColumnValue, side: Side): Uint8Array | undefined;
  /** Whether the deprecated `min` and `max`, which are always in the order of signed numbers, are valid for this form. */
  readonly signedOrder: boolean;
}

export function codecOf(form: ValueForm): ValueCodec | undefined {
  return form === 'unordered' ? undefined : codecs[form];
}

/** Numbers are copied here to be read: a view of their own for each would take longer. */
const scratch = new DataView(new ArrayBuffer(8));
const scratchBytes = new Uint8Array(scratch.buffer);

function view(bytes: Uint8Array): DataView {
  scratchBytes.set(bytes);
  return scratch;
}

function numbers<T extends number | bigint>(
  width: number,
  read: (view: DataView) => T,
  write: (value: T, side: Side) => Uint8Array | undefined,
  signedOrder = true,
): ValueCodec {
  return {
    read: (bytes) => (bytes.length === width ? read(view(bytes)) : undefined),
    compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
    write: (value, side) => write(value as T, side),
    signedOrder,
  };
}

const readInt32 = (v: DataView): number => v.getInt32(0, true);
const readInt64 = (v: DataView): bigint => v.getBigInt64(0, true);

const writeDecimal = (value: bigint): Uint8Array => wholeNumberBytes('decimal(38,0)', value);

/** A zero bound stands for both zeros: lower -0, upper +0 (parquet.thrift, `ColumnOrder`; case B2). */
const signedZero = (value: number, side: Side): number => (value !== 0 ? value : side === 'lower' ? -0 : 0);

function byteStrings(
  read: ValueCodec['read'],
  write: (value: Uint8Array) => Uint8Array | undefined,
): ValueCodec {
  return {
    read,
    compare: (a, b) => Buffer.compare(a as Uint8Array, b as Uint8Array),
    write: (value) => write(value as Uint8Array),
    signedOrder: false,
  };
}

const BOOLEANS = [Uint8Array.of(0), Uint8Array.of(1)];

const codecs: Readonly<Record<Exclude<ValueForm, 'unordered'>, ValueCodec>> = {
  boolean: numbers(
    1,
    (v) => v.getUint8(0) & 1,
    (value) => BOOLEANS[value],
  ),
  int32: numbers(4, readInt32, intBytes),
  uint32: numbers(
    4,
    (v) => v.getUint32(0, true),
    (value) => longBytes(BigInt(value)),
    false,
  ),
  int64: numbers(8, readInt64, longBytes),
  millis: numbers(8, readInt64, (value) => {
    const micros = value * 1000n;
    return BigInt.asIntN(64, micros) === micros ? longBytes(micros) : undefined;
  }),
  float: numbers(
    4,
    (v) => v.getFloat32(0, true),
    (value, side) => floatingPointBytes('float', signedZero(value, side)),
  ),
  double: numbers(
    8,
    (v) => v.getFloat64(0, true),
    (value, side) => floatingPointBytes('double', signedZero(value, side)),
  ),
  int32Decimal: numbers(4, (v) => BigInt(readInt32(v)), writeDecimal),
  int64Decimal: numbers(8, readInt64, writeDecimal),
  bytesDecimal: {
    read: (bytes, length) => (hasLength(bytes, length) ? bigEndian(bytes) : undefined),
    compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
    write: (value) => writeDecimal(value as bigint),
    signedOrder: false,
  },
  utf8: byteStrings(short, (value) => (isUtf8(value) ? Buffer.from(value) : undefined)),
  bytes: byteStrings(short, (value) => Buffer.from(value)),
  fixed: byteStrings(
    (bytes, length) => (hasLength(bytes, length) ? bytes : undefined),
    (value) => Buffer.from(value),
  ),
};

const hasLength = (bytes: Uint8Array, length: number | undefined): boolean =>
  length === undefined || bytes.length === length;

/** No known writer has statistics beyond 4 KiB. */
const maxBoundBytes = 16 * 1024;

function short(bytes: Uint8Array): Uint8Array | undefined {
  return bytes.length > maxBoundBytes ? undefined : bytes;
}

/** Decimals have at most 38 digits, 16 bytes; a longer carrier only repeats the sign. */
const maxDecimalBytes = 64;

function bigEndian(bytes: Uint8Array): bigint | undefined {
  if (bytes.length === 0 || bytes.length > maxDecimalBytes) return undefined;
  return wholeNumber('decimal(38,0)', bytes);
}
