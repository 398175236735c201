import { expect, test } from 'vitest';
import {
  byteReader,
  readInt,
  readItemCount,
  readLong,
  readRaw,
  skipLong,
} from '../../lib/append/avro/byte-reader.ts';
import { byteWriter, writeLong, written } from '../../lib/append/avro/byte-writer.ts';

const LIMITS = [
  0n,
  -1n,
  63n,
  64n,
  -64n,
  -65n,
  2n ** 48n - 1n,
  2n ** 48n,
  2n ** 51n - 1n,
  2n ** 51n,
  -(2n ** 51n),
  2n ** 63n - 1n,
  -(2n ** 63n),
];
const encoded = (value: bigint) => {
  const out = byteWriter();
  writeLong(out, value);
  return written(out);
};
const reading = (bytes: readonly number[]) => byteReader(Uint8Array.from(bytes));

test.each(LIMITS)('a long of %d is read as written, and skipped whole (C23)', (value) => {
  const bytes = encoded(value);
  const input = byteReader(bytes);
  expect(readLong(input)).toBe(value);
  expect(input.at).toBe(bytes.length);
  const skipped = byteReader(bytes);
  skipLong(skipped);
  expect(skipped.at).toBe(bytes.length);
});

test('a long has at most 10 bytes, an int 32 bits; more is an error and never another number', () => {
  const tooLong = [...Array(10).fill(0xff), 1];
  expect(() => readLong(reading(tooLong))).toThrow(RangeError);
  expect(() => skipLong(reading(tooLong))).toThrow(RangeError);
  expect(() => readLong(reading([0xff]))).toThrow(RangeError);
  expect(() => skipLong(reading([0xff]))).toThrow(RangeError);
  expect(readInt(byteReader(encoded(2n ** 31n - 1n)))).toBe(2 ** 31 - 1);
  expect(readInt(byteReader(encoded(-(2n ** 31n))))).toBe(-(2 ** 31));
  expect(() => readInt(byteReader(encoded(2n ** 31n)))).toThrow(RangeError);
  expect(() => readInt(byteReader(encoded(2n ** 40n)))).toThrow(RangeError);
});

test('bytes and items are never more than are left', () => {
  const three = reading([1, 2, 3]);
  expect([...readRaw(three, 3)]).toEqual([1, 2, 3]);
  expect(() => readRaw(three, 1)).toThrow(RangeError);
  expect(() => readRaw(reading([1]), -1)).toThrow(RangeError);
  expect(readItemCount(reading([4, 0, 0]))).toBe(2);
  expect(readItemCount(reading([3, 2, 0, 0])), 'a negative count comes with a size').toBe(2);
  expect(() => readItemCount(reading([4, 0]))).toThrow(RangeError);
});
