import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { avroShape } from '../../lib/append/avro/avro-shape.ts';
import { string } from '../../lib/append/avro/avro-type.ts';
import { readLong } from '../../lib/append/avro/byte-reader.ts';
import { encodeBlocks, recordsRead } from '../../lib/append/avro/object-container.ts';
import { skipper } from '../../lib/append/avro/row-reader.ts';

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

const ofLongs = (bytes: readonly number[], count = 1) =>
  recordsRead(
    { schema: '"long"', codec: 'deflate', blocks: [{ recordCount: count, bytes: Buffer.from(bytes) }] },
    readLong,
  );

test.each([
  ['one stored block', [1, 1, 0, 0xfe, 0xff, 14]],
  ['one stored block whose unused bits are set', [0xf9, 1, 0, 0xfe, 0xff, 14]],
  ['a stored block that another one follows', [0, 1, 0, 0xfe, 0xff, 14, 1, 0, 0, 0xff, 0xff]],
  ['a deflated block', [...zlib.deflateRawSync(Buffer.of(14))]],
])('%s is read', (_, bytes) => {
  expect([...ofLongs(bytes)]).toEqual([7n]);
});

test.each([
  ['whose length is not what its complement says', [1, 1, 0, 0xff, 0xff, 14]],
  ['that is cut off', [1, 2, 0, 0xfd, 0xff, 14]],
  ['that is cut off in its header', [1, 1, 0]],
])('a stored block %s is refused', (_, bytes) => {
  expect(() => [...ofLongs(bytes)]).toThrow(Error);
});

/** A file with one block, and the number of records that its writer claims. */
function container(codec: string, schema: unknown, recordCount: number, bytes: Buffer) {
  return { codec, schema: JSON.stringify(schema), blocks: [{ recordCount, bytes }] };
}
const read = (of: ReturnType<typeof container>) => [
  ...recordsRead(of, skipper(avroShape(JSON.parse(of.schema)))),
];
const TOO_MANY = 2 ** 31 - 1;

test.each([
  ['records of nothing', { type: 'record', name: 'r', fields: [] }, TOO_MANY, [0]],
  ['items of nothing', { type: 'array', items: 'null' }, 1, [0xfe, 0xff, 0xff, 0xff, 0x0f, 0]],
  [
    'items of nothing, with a size',
    { type: 'array', items: 'null' },
    1,
    [0xfd, 0xff, 0xff, 0xff, 0x0f, 0, 0],
  ],
])('a few bytes are not billions of %s', (_, schema, count, bytes) => {
  expect(() => read(container('null', schema, count, Buffer.from(bytes)))).toThrow(RangeError);
});

test.each([
  ['deflate', zlib.deflateRawSync],
  ['zstandard', zlib.zstdCompressSync],
])('a block in %s is not unpacked beyond 256 MiB', (codec, compress) => {
  const bomb = compress(Buffer.alloc(256 * 1024 * 1024 + 1));
  expect(bomb.length).toBeLessThan(512 * 1024);
  expect(() => read(container(codec, 'null', 1, bomb))).toThrow(/larger than 268435456 bytes/);
});
