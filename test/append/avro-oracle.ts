import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import avro from 'avsc';

/** Reads a container file with avsc, an independent Avro reader. Longs become bigint, records plain objects. */
export interface AvroFile {
  readonly metadata: Readonly<Record<string, string>>;
  readonly schema: unknown;
  readonly rows: readonly unknown[];
}

const long = avro.types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64LE(value);
    return buffer;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b)),
});

export async function decodeAvro(bytes: Uint8Array): Promise<AvroFile> {
  const decoder = new avro.streams.BlockDecoder({
    codecs: {
      null: (block: Buffer, done: (error: Error | null, block: Buffer) => void) => done(null, block),
      deflate: zlib.inflateRaw,
    },
    parseHook: (schema: avro.Schema) =>
      avro.Type.forSchema(schema, { registry: { long }, wrapUnions: false }),
  });
  let header: { readonly meta: Readonly<Record<string, Buffer>> } | undefined;
  decoder.on('metadata', (_type, _codec, found) => {
    header = found;
  });
  const rows: unknown[] = [];
  for await (const row of Readable.from([Buffer.from(bytes)]).pipe(decoder)) rows.push(plain(row));
  const metadata = Object.fromEntries(
    Object.entries(header?.meta ?? {}).map(([key, value]) => [key, value.toString('utf8')]),
  );
  return { metadata, schema: JSON.parse(metadata['avro.schema'] ?? 'null'), rows };
}

/** Plain objects instead of avsc's classes, and bytes as hexadecimal text. */
function plain(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plain(held)]));
}

/** A schema without its documentation, which readers do not need and this project does not write. */
export function withoutDocs(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'doc' ? undefined : value)));
}
