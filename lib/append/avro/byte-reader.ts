/** A position in bytes, for reading Avro's binary encoding. Reading past the end is an error and never gives a shorter value. */
export interface ByteReader {
  readonly bytes: Buffer;
  at: number;
}

export function byteReader(bytes: Uint8Array): ByteReader {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0 };
}

/** Avro `fixed`: the next `length` bytes, not copied. @throws RangeError if fewer are left */
export function readRaw(input: ByteReader, length: number): Buffer {
  const end = input.at + length;
  if (length < 0 || end > input.bytes.length) {
    throw new RangeError(`${length} bytes are expected at byte ${input.at} of ${input.bytes.length}`);
  }
  const bytes = input.bytes.subarray(input.at, end);
  input.at = end;
  return bytes;
}

/** Avro `int` and `long`. @throws RangeError if the bytes end within it, or if it has more than the 10 bytes of a long */
export function readLong(input: ByteReader): bigint {
  const low = readVarint(input, 7);
  if (low.complete) return unzigzag(BigInt(low.value));
  const high = readVarint(input, 3);
  if (!high.complete) throw new RangeError(`a long at byte ${input.at} has more than 10 bytes`);
  return unzigzag(BigInt.asUintN(64, (BigInt(high.value) << 49n) | BigInt(low.value)));
}

/** Skips an Avro `int` or `long`. @throws RangeError as {@link readLong} */
export function skipLong(input: ByteReader): void {
  for (let count = 0; count < 10; count += 1) {
    const byte = input.bytes[input.at];
    if (byte === undefined) throw new RangeError(`a number is cut at byte ${input.at}`);
    input.at += 1;
    if (byte < 0x80) return;
  }
  throw new RangeError(`a long at byte ${input.at} has more than 10 bytes`);
}

/** Avro `int`, and any `long` that must be small: a length, a count, the index of a branch. @throws RangeError beyond 32 bits */
export function readInt(input: ByteReader): number {
  const { value, complete } = readVarint(input, 5);
  if (!complete || value > 0xffff_ffff)
    throw new RangeError(`an int at byte ${input.at} has more than 32 bits`);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** Avro `bytes` and `string`. */
export function readBytes(input: ByteReader): Buffer {
  return readRaw(input, readInt(input));
}

/**
 * The number of items in the next block of an array or map; 0 ends it. A negative count is followed by the block's size.
 *
 * @throws RangeError for more items than bytes are left: every item in Iceberg's files has at least one byte
 */
export function readItemCount(input: ByteReader): number {
  const count = readInt(input);
  if (count < 0) readLong(input);
  const left = input.bytes.length - input.at;
  if (Math.abs(count) > left)
    throw new RangeError(`${Math.abs(count)} items are said to be in ${left} bytes`);
  return Math.abs(count);
}

function readVarint(input: ByteReader, maxBytes: number): { value: number; complete: boolean } {
  let value = 0;
  let unit = 1;
  for (let count = 0; count < maxBytes; count += 1) {
    const byte = input.bytes[input.at];
    if (byte === undefined) throw new RangeError(`a number is cut at byte ${input.at}`);
    input.at += 1;
    value += (byte % 0x80) * unit;
    if (byte < 0x80) return { value, complete: true };
    unit *= 0x80;
  }
  return { value, complete: false };
}

function unzigzag(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n);
}
