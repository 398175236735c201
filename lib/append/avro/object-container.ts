import zlib from 'node:zlib';
import { keepLast } from '../../memo.ts';
import { type AvroShape, avroShape } from './avro-shape.ts';
import type { AvroType } from './avro-type.ts';
import { type ByteReader, byteReader, readBytes, readInt, readItemCount, readRaw } from './byte-reader.ts';
import { byteWriter, writeBytes, writeLong, writeRaw, writeString, written } from './byte-writer.ts';
import { decompressSnappy } from './snappy.ts';

/** A block of an Avro object container file: encoded and compressed records between two sync markers. */
export interface AvroBlock {
  readonly recordCount: number;
  readonly bytes: Buffer;
}

/** An Avro object container file (Avro 1.11, "Object Container Files"). */
export interface ObjectContainer {
  /** The JSON text of `avro.schema`, as the writer wrote it. */
  readonly schema: string;
  readonly codec: string;
  readonly blocks: readonly AvroBlock[];
}

const MAGIC = Buffer.from('Obj\x01', 'latin1');
const SYNC_BYTES = 16;

/** The codec that is written. `null`, `zstandard` and `snappy` can be read too (cases.md C17). */
export const CODEC = 'deflate';

/** The most records in one block, and so the most that one append to a list encodes again. */
export const BLOCK_RECORDS = 256;

/** A container with its header, which a rewritten file keeps. */
export interface HeadedContainer extends ObjectContainer {
  readonly metadata: ReadonlyMap<string, string>;
}

/**
 * Reads the framing; blocks stay encoded. A file that is truncated within a block, or whose sync markers differ, is an error
 * and never read as a shorter file.
 *
 * @throws RangeError, TypeError or SyntaxError naming the problem
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

/** Writes the framing around blocks. `sync` is the file's own marker of 16 bytes. */
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

/** The sync marker of a file whose name has a random UUID: the 16 bytes of the UUID. */
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

/** Smaller blocks are stored uncompressed: compressing them takes longer than sending the bytes that it saves. */
const LEAST_DEFLATED_BYTES = 2048;

/** At zlib's fastest level: its default takes three times as long to save another 4 % of a manifest of a thousand files. */
function deflate(bytes: Uint8Array): Buffer {
  return zlib.deflateRawSync(bytes, { level: 1 });
}

/** Encodes for the codec `deflate` (RFC 1951); small blocks are stored uncompressed (section 3.2.4). */
function deflated(bytes: Uint8Array): Buffer {
  const { length } = bytes;
  if (length >= LEAST_DEFLATED_BYTES) return deflate(bytes);
  const stored = Buffer.allocUnsafe(STORED_HEADER_BYTES + length);
  // Marks the last block as stored; then the length and its complement.
  stored[0] = 1;
  stored.writeUInt16LE(length, 1);
  stored.writeUInt16LE(~length & 0xffff, 3);
  stored.set(bytes, STORED_HEADER_BYTES);
  return stored;
}

const STORED_HEADER_BYTES = 5;

/** zlib takes longer to begin than to inflate a small block, and most blocks of a table without merges are stored ones. */
function inflate(bytes: Buffer): Buffer {
  return isStored(bytes) ? bytes.subarray(STORED_HEADER_BYTES) : zlib.inflateRawSync(bytes, LARGEST_BLOCK);
}

/** Whether this is one stored block and nothing else, as {@link deflated} writes it. */
function isStored(bytes: Buffer): boolean {
  if (bytes.length < STORED_HEADER_BYTES || bytes[0] !== 1) return false;
  const length = bytes.readUInt16LE(1);
  return bytes.readUInt16LE(3) === (~length & 0xffff) && bytes.length === STORED_HEADER_BYTES + length;
}

/** Packs encoded records into blocks of at most `BLOCK_RECORDS`. Only the records of one block are held uncompressed. */
export function packBlocks(records: Iterable<Uint8Array>): readonly AvroBlock[] {
  const blocks: AvroBlock[] = [];
  let open: Uint8Array[] = [];
  const close = (): void => {
    blocks.push({ recordCount: open.length, bytes: deflate(Buffer.concat(open)) });
    open = [];
  };
  for (const record of records) {
    open.push(record);
    if (open.length === BLOCK_RECORDS) close();
  }
  if (open.length > 0) close();
  return blocks;
}

/** Joins blocks compressed with {@link CODEC} into one. Records need not be decoded, because they simply follow one another. */
export function joinBlocks(blocks: readonly AvroBlock[]): AvroBlock {
  return {
    recordCount: blocks.reduce((sum, { recordCount }) => sum + recordCount, 0),
    bytes: deflate(Buffer.concat(blocks.map(({ bytes }) => inflate(bytes)))),
  };
}

/**
 * Reads the records of a container, block by block.
 *
 * @param reader makes the function that reads one record in the writer's schema
 * @throws RangeError, TypeError or SyntaxError naming the problem, which may be an unknown codec
 */
export function* records<T>(
  container: ObjectContainer,
  reader: (shape: AvroShape) => (input: ByteReader) => T,
): Generator<T> {
  yield* recordsRead(container, reader(shapeOf(container)));
}

/** Like {@link records}, with a reader that was made before, for many containers of one schema. */
export function* recordsRead<T>(container: ObjectContainer, read: (input: ByteReader) => T): Generator<T> {
  for (const block of container.blocks) {
    const input = byteReader(decompress(container.codec, block.bytes));
    // Otherwise a few bytes could claim billions of empty records.
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

/** Shapes of the last few schemas: most manifests of a table have the same schema. */
const shapes = new Map<string, AvroShape>();
const MOST_SHAPES = 8;
const LONGEST_SCHEMA = 64 * 1024;

/** @throws TypeError or SyntaxError naming what is not an Avro schema */
export function shapeOf({ schema }: Pick<ObjectContainer, 'schema'>): AvroShape {
  const known = shapes.get(schema);
  if (known !== undefined) return known;
  const shape = avroShape(JSON.parse(schema));
  if (schema.length <= LONGEST_SCHEMA) keepLast(shapes, schema, shape, MOST_SHAPES);
  return shape;
}

/** Ten times the size to which writers fill a block. A thousandth of it, compressed, may expand to it, so the compressed size is no limit. */
const LARGEST_BLOCK = { maxOutputLength: 256 * 1024 * 1024 };

function decompress(codec: string, bytes: Buffer): Uint8Array {
  switch (codec) {
    case 'null':
      return bytes;
    case 'deflate':
      return inflate(bytes);
    case 'zstandard':
      return zlib.zstdDecompressSync(bytes, LARGEST_BLOCK);
    case 'snappy':
      return decompressSnappy(bytes, LARGEST_BLOCK.maxOutputLength);
    default:
      throw new TypeError(`its codec is "${codec}"; null, deflate, zstandard and snappy can be read`);
  }
}
