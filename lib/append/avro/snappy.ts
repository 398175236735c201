import { crc32 } from 'node:zlib';

/**
 * Decompresses a block of Avro's codec `snappy`: raw Snappy, followed by the big-endian CRC-32 of the decompressed bytes.
 *
 * @throws RangeError if the block is truncated, copies from before its start, or has another checksum or length
 */
export function decompressSnappy(block: Uint8Array, maxBytes: number): Buffer {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  const end = bytes.length - 4;
  let at = 0;
  const next = (width: number): number => {
    if (at + width > end) throw new RangeError('a snappy block is cut');
    const value = width === 0 ? 0 : bytes.readUIntLE(at, width);
    at += width;
    return value;
  };

  const size = readLength(next);
  if (size > Math.min(bytes.length * MAX_EXPANSION, maxBytes))
    throw new RangeError(`a snappy block of ${bytes.length} bytes says it holds ${size}`);
  const out = Buffer.alloc(size);
  let length = 0;
  while (at < end) {
    const tag = next(1);
    const upper = tag >> 2;
    if ((tag & 3) === 0) {
      const count = (upper < 60 ? upper : next(upper - 59)) + 1;
      if (at + count > end || length + count > out.length) throw new RangeError('a snappy literal is cut');
      bytes.copy(out, length, at, at + count);
      at += count;
      length += count;
      continue;
    }
    const count = (tag & 3) === 1 ? (upper & 7) + 4 : upper + 1;
    const offset = (tag & 3) === 1 ? (upper >> 3) * 0x100 + next(1) : next((tag & 3) === 2 ? 2 : 4);
    if (offset === 0 || offset > length || length + count > out.length) {
      throw new RangeError('a snappy copy refers to what is not there');
    }
    // Byte by byte, because a copy may overlap the bytes that it writes.
    for (const stop = length + count; length < stop; length += 1) out[length] = out[length - offset] ?? 0;
  }
  if (length !== out.length) throw new RangeError(`a snappy block holds ${length} of ${out.length} bytes`);
  if (crc32(out) !== bytes.readUInt32BE(end)) throw new RangeError('a snappy block has another checksum');
  return out;
}

/** A copy instruction of two bytes gives at most 64 bytes. */
const MAX_EXPANSION = 32;

/** The decompressed length: seven bits per byte, at most 32 bits. */
function readLength(next: (width: number) => number): number {
  let length = 0;
  for (let unit = 1; unit <= 2 ** 28; unit *= 0x80) {
    const byte = next(1);
    length += (byte & 0x7f) * unit;
    if (byte < 0x80) return length;
  }
  throw new RangeError('a snappy block has no length');
}
