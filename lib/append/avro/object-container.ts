import zlib from 'node:zlib';
import { keepLast } from '../../spec/keep-last.ts';
import { type AvroShape, avroShape } from './avro-shape.ts';
import type { AvroType } from './avro-type.ts';
import { type ByteReader, byteReader, readBytes, readInt, readItemCount, readRaw } from './byte-reader.ts';
import { byteWriter, writeBytes, writeLong, writeRaw, writeString, written } from './byte-writer.ts';
import { decompressSnappy } from './snappy.ts';

/** Records encoded and compressed, as they lie between two sync markers of an Avro object container file. */
export interface AvroBlock {
  readonly recordCount: number;
  readonly bytes: Uint8Array;
}

/** An Avro object container file (Avro 1.11, "Object Container Files"). */
export interface ObjectContainer {
  /** The JSON text of `avro.schema`, as its writer had it. */
  readonly schema: string;
  readonly codec: string;
  readonly blocks: readonly AvroBlock[];
}

const MAGIC = Buffer.from('Obj\x01', 'latin1');
const SYNC_BYTES = 16;

/** The codec written here; `null`, `zstandard` and `snappy` are read too (cases.md C17). */
export const CODEC = 'deflate';

/** Records of one block: what one append to a list encodes anew, at most. */
export const BLOCK_RECORDS = 256;

/** A container with its header, as a file that is to be written again keeps it. */
export interface HeadedContainer extends ObjectContainer {
  readonly metadata: ReadonlyMap<string, string>;
}

/**
 * Reads the framing; blocks stay encoded. A file that is cut anywhere but after a block, or whose sync markers differ, is
 * an error and not a shorter file.
 *
 * @throws RangeError, TypeError or SyntaxError saying what is wrong
 */
export function readContainer(bytes: Uint8Array): HeadedContainer {
  const input = byteReader(bytes);
  if (!readRaw(input, MAGIC.length).equals(MAGIC)) throw new TypeError('it does not begin with "Obj" and 1');
  const metadata = readMetadata(input);
  const sync = readRaw(input, SYNC_BYTES);
  const schema = metadata.get('avro.schema');
  if (schema === undefined) throw new TypeError('its header has no avro.schema');

  const blocks: AvroBlock[] = [];
  while (input.at < input.bytes.length) {
    const recordCount = readInt(input);
    const block = { recordCount, bytes: readBytes(input) };
    if (recordCount < 0) throw new RangeError(`block ${blocks.length + 1} has ${recordCount} records`);
    if (!readRaw(input, SYNC_BYTES).equals(sync)) {
      throw new TypeError(`block ${blocks.length + 1} does not end in the sync marker`);
    }
    blocks.push(block);
  }
  return { schema, codec: metadata.get('avro.codec') ?? 'null', blocks, metadata };
}

function readMetadata(input: ByteReader): ReadonlyMap<string, string> {
  const metadata = new Map<string, string>();
  for (let left = readItemCount(input); left !== 0; left = readItemCount(input)) {
    for (; left > 0; left -= 1) {
      metadata.set(readBytes(input).toString('utf8'), readBytes(input).toString('utf8'));
    }
  }
  return metadata;
}

/** Writes the framing around blocks; `sync` is 16 bytes of this file's own. */
export function writeContainer(
  container: ObjectContainer,
  metadata: Readonly<Record<string, string>>,
  sync: Uint8Array,
): Buffer {
  const out = byteWriter();
  const header = Object.entries({
    ...metadata,
    'avro.schema': container.schema,
    'avro.codec': container.codec,
  });
  writeRaw(out, MAGIC);
  writeLong(out, header.length);
  for (const [key, value] of header) {
    writeString(out, key);
    writeString(out, value);
  }
  writeLong(out, 0);
  writeRaw(out, sync);
  for (const block of container.blocks) {
    writeLong(out, block.recordCount);
    writeBytes(out, block.bytes);
    writeRaw(out, sync);
  }
  return written(out);
}

/** A sync marker for a file that bears a random UUID in its name: the UUID's own 16 bytes. */
export function syncMarker(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** Encodes records into blocks of at most `BLOCK_RECORDS`. */
export function encodeBlocks<T>(type: AvroType<T>, records: readonly T[]): readonly AvroBlock[] {
  const blocks: AvroBlock[] = [];
  for (let start = 0; start < records.length; start += BLOCK_RECORDS) {
    const slice = records.slice(start, start + BLOCK_RECORDS);
    const out = byteWriter();
    for (const record of slice) type.write(out, record);
    blocks.push({ recordCount: slice.length, bytes: deflated(written(out)) });
  }
  return blocks;
}

/** What is smaller is stored: to deflate it would take longer than to send what it saves. */
const LEAST_DEFLATED_BYTES = 2048;

/** As the codec `deflate` has it (RFC 1951), small blocks uncompressed (section 3.2.4). */
function deflated(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  if (length >= LEAST_DEFLATED_BYTES) return zlib.deflateRawSync(bytes);
  const stored = Buffer.allocUnsafe(STORED_HEADER_BYTES + length);
  // The last block, stored; its length and its complement.
  stored[0] = 1;
  stored.writeUInt16LE(length, 1);
  stored.writeUInt16LE(~length & 0xffff, 3);
  stored.set(bytes, STORED_HEADER_BYTES);
  return stored;
}

const STORED_HEADER_BYTES = 5;

/** Blocks of records that are encoded already, at most `BLOCK_RECORDS` in each: no more than those are held uncompressed. */
export function packBlocks(records: Iterable<Uint8Array>): readonly AvroBlock[] {
  const blocks: AvroBlock[] = [];
  let open: Uint8Array[] = [];
  const close = (): void => {
    blocks.push({ recordCount: open.length, bytes: zlib.deflateRawSync(Buffer.concat(open)) });
    open = [];
  };
  for (const record of records) {
    open.push(record);
    if (open.length === BLOCK_RECORDS) close();
  }
  if (open.length > 0) close();
  return blocks;
}

/** One block with the records of several, all of this codec; nothing is decoded, since records follow one another. */
export function joinBlocks(blocks: readonly AvroBlock[]): AvroBlock {
  return {
    recordCount: blocks.reduce((sum, { recordCount }) => sum + recordCount, 0),
    bytes: zlib.deflateRawSync(
      Buffer.concat(blocks.map(({ bytes }) => zlib.inflateRawSync(bytes, LARGEST_BLOCK))),
    ),
  };
}

/**
 * The records of a container, decoded block by block.
 *
 * @param reader makes the function that reads one record of the writer's schema
 * @throws RangeError, TypeError or SyntaxError saying what is wrong; an unknown codec among it
 */
export function* records<T>(
  container: ObjectContainer,
  reader: (shape: AvroShape) => (input: ByteReader) => T,
): Generator<T> {
  yield* recordsRead(container, reader(shapeOf(container)));
}

/** The same with a reader that is made already, for many containers of one schema. */
export function* recordsRead<T>(container: ObjectContainer, read: (input: ByteReader) => T): Generator<T> {
  for (const block of container.blocks) {
    const input = byteReader(decompress(container.codec, block.bytes));
    // Else a few bytes would be billions of records of nothing.
    if (block.recordCount > input.bytes.length) {
      throw new RangeError(
        `a block of ${input.bytes.length} bytes says it holds ${block.recordCount} records`,
      );
    }
    for (let count = 0; count < block.recordCount; count += 1) yield read(input);
    if (input.at !== input.bytes.length) {
      throw new RangeError(`${input.bytes.length - input.at} bytes follow the ${block.recordCount} records`);
    }
  }
}

/** Of the last few schemas: the manifests of a table have one, most of the time. */
const shapes = new Map<string, AvroShape>();
const MOST_SHAPES = 8;
const LONGEST_SCHEMA = 64 * 1024;

/** @throws TypeError or SyntaxError naming what is no Avro schema */
export function shapeOf({ schema }: Pick<ObjectContainer, 'schema'>): AvroShape {
  const known = shapes.get(schema);
  if (known !== undefined) return known;
  const shape = avroShape(JSON.parse(schema));
  if (schema.length <= LONGEST_SCHEMA) keepLast(shapes, schema, shape, MOST_SHAPES);
  return shape;
}

/** Ten times what writers fill into one block; a block is made of a thousandth of it, so that its size says nothing. */
const LARGEST_BLOCK = { maxOutputLength: 256 * 1024 * 1024 };

function decompress(codec: string, bytes: Uint8Array): Uint8Array {
  switch (codec) {
    case 'null':
      return bytes;
    case 'deflate':
      return zlib.inflateRawSync(bytes, LARGEST_BLOCK);
    case 'zstandard':
      return zlib.zstdDecompressSync(bytes, LARGEST_BLOCK);
    case 'snappy':
      return decompressSnappy(bytes, LARGEST_BLOCK.maxOutputLength);
    default:
      throw new TypeError(`its codec is "${codec}"; null, deflate, zstandard and snappy can be read`);
  }
}
