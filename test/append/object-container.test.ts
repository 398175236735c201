import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { string } from '../../lib/append/avro-type.ts';
import { encodeBlocks } from '../../lib/append/object-container.ts';

const STORED = 1;

test.each([0, 1, 2_045, 2_046, 100_000])(
  'a block with a string of %i bytes inflates to what it holds',
  (length) => {
    const [block] = encodeBlocks(string, ['x'.repeat(length)]);
    const inflated = zlib.inflateRawSync(block?.bytes ?? Buffer.alloc(0));
    expect(inflated.toString('latin1', inflated.length - length)).toBe('x'.repeat(length));
  },
);

test('a small block is stored, a large one deflated', () => {
  const sizeOf = (length: number) => encodeBlocks(string, ['x'.repeat(length)])[0]?.bytes ?? Buffer.alloc(0);
  expect(sizeOf(200)[0]).toBe(STORED);
  expect(sizeOf(200)).toHaveLength(5 + 2 + 200);
  expect(sizeOf(20_000).length).toBeLessThan(200);
});
