import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { decompressSnappy } from '../../lib/append/avro/snappy.ts';

const bytesOf = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, at) => at * 31));
const size = (length: number): number[] =>
  length < 0x80 ? [length] : [(length % 0x80) + 0x80, ...size(Math.floor(length / 0x80))];

/** A literal (Snappy's format description, 2.1): up to 60 bytes have their length in the tag, more have it in 1 to 4 bytes after it. */
function literal(bytes: Buffer, width: number): Buffer {
  const tag = (width === 0 ? bytes.length - 1 : 59 + width) << 2;
  const length = Buffer.alloc(width);
  if (width > 0) length.writeUIntLE(bytes.length - 1, 0, width);
  return Buffer.concat([Buffer.of(tag), length, bytes]);
}

function block(content: Buffer, ...elements: readonly Uint8Array[]): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([Buffer.from(size(content.length)), ...elements, checksum]);
}

test.each([
  [1, 0],
  [60, 0],
  [60, 1],
  [61, 1],
  [256, 1],
  [257, 2],
  [65_536, 2],
  [65_537, 3],
  [70_000, 4],
])('a snappy literal of %d bytes, its length in %d bytes', (length, width) => {
  const content = bytesOf(length);
  expect(decompressSnappy(block(content, literal(content, width)), 1e6)).toEqual(content);
});

test('a snappy copy is as long and as far back as its 2, 3 or 5 bytes say', () => {
  const first = bytesOf(300);
  for (const [copy, from, length] of [
    [[(1 << 5) | ((4 - 4) << 2) | 1, 0x2c], 0, 4],
    [[(1 << 5) | ((11 - 4) << 2) | 1, 0x2c], 0, 11],
    [[((1 - 1) << 2) | 2, 0x01, 0x00], 299, 1],
    [[((64 - 1) << 2) | 2, 0x2c, 0x01], 0, 64],
    [[((64 - 1) << 2) | 3, 0x2c, 0x01, 0, 0], 0, 64],
  ] as const) {
    const content = Buffer.concat([first, first.subarray(from, from + length)]);
    expect(decompressSnappy(block(content, literal(first, 2), Uint8Array.from(copy)), 1e6)).toEqual(content);
  }
});

test('a snappy copy may overlap what it writes; one from before the start, or beyond the length, is refused', () => {
  const repeated = Buffer.alloc(64, 'ab');
  const copy = (length: number, offset: number) => Uint8Array.of(((length - 1) << 2) | 2, offset, 0);
  const start = literal(Buffer.from('ab'), 0);
  expect(decompressSnappy(block(repeated, start, copy(62, 2)), 1e6)).toEqual(repeated);
  for (const wrong of [copy(62, 0), copy(62, 3), copy(63, 2), copy(61, 2)]) {
    expect(() => decompressSnappy(block(repeated, start, wrong), 1e6)).toThrow(RangeError);
  }
});
