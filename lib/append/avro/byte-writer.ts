/** A buffer that grows, for Avro's binary encoding. */
export interface ByteWriter {
  bytes: Buffer;
  length: number;
}

export function byteWriter(): ByteWriter {
  return { bytes: Buffer.allocUnsafe(4096), length: 0 };
}

/** The bytes written so far, not copied. */
export function written(out: ByteWriter): Buffer {
  return out.bytes.subarray(0, out.length);
}

/** Avro `int` and `long`: zig-zag, then seven bits per byte. @throws RangeError beyond 64 bits, so that no number is ever truncated (cases.md C23) */
export function writeLong(out: ByteWriter, value: number | bigint): void {
  reserve(out, 10);
  const number = Number(value);
  if (Math.abs(number) < SMALL) writeSmall(out, number);
  else writeLarge(out, BigInt(value));
}

/** Below this limit, zig-zag is exact in a double. */
const SMALL = 2 ** 51;

function writeSmall(out: ByteWriter, value: number): void {
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  while (rest >= 0x80) {
    out.bytes[out.length++] = (rest % 0x80) + 0x80;
    rest = Math.floor(rest / 0x80);
  }
  out.bytes[out.length++] = rest;
}

function writeLarge(out: ByteWriter, value: bigint): void {
  if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${value} does not fit in 64 bits`);
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  while (rest >= 0x80n) {
    out.bytes[out.length++] = Number(rest & 0x7fn) | 0x80;
    rest >>= 7n;
  }
  out.bytes[out.length++] = Number(rest);
}

/** Avro `fixed`, or bytes that are already encoded. */
export function writeRaw(out: ByteWriter, bytes: Uint8Array): void {
  reserve(out, bytes.length);
  out.bytes.set(bytes, out.length);
  out.length += bytes.length;
}

/** Avro `bytes`: the length, then the bytes. */
export function writeBytes(out: ByteWriter, bytes: Uint8Array): void {
  writeLong(out, bytes.length);
  writeRaw(out, bytes);
}

/** Avro `string`: `bytes` in UTF-8. */
export function writeString(out: ByteWriter, text: string): void {
  const length = Buffer.byteLength(text);
  writeLong(out, length);
  reserve(out, length);
  out.length += out.bytes.write(text, out.length);
}

function reserve(out: ByteWriter, count: number): void {
  if (out.length + count <= out.bytes.length) return;
  const grown = Buffer.allocUnsafe(Math.max(out.bytes.length * 2, out.length + count));
  grown.set(written(out));
  out.bytes = grown;
}
