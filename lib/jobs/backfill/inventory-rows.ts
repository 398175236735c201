import { createInterface } from 'node:readline';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { RegistrarError } from '../../errors.ts';
import type { Store } from '../../ports.ts';

const CHUNK_BYTES = 4 * 1024 * 1024;

/** The rows of a CSV file, gunzipped if its name says so, and read in parts, so its size does not matter. */
export async function* csvRows(
  store: Pick<Store, 'read'>,
  uri: string,
): AsyncGenerator<readonly string[], void, undefined> {
  const bytes = Readable.from(chunks(store, uri), { objectMode: false });
  // An error of any stream of the pipeline is thrown by the iteration below, so the callback has nothing to do.
  const input = uri.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => undefined) : bytes;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield fieldsOf(line);
  }
}

async function* chunks(store: Pick<Store, 'read'>, uri: string): AsyncGenerator<Uint8Array> {
  let start = 0;
  let ifVersion: string | undefined;
  for (;;) {
    const range = { start, end: start + CHUNK_BYTES };
    const read = await store.read(uri, { range, ...(ifVersion !== undefined && { ifVersion }) });
    if (read.kind !== 'object') throw unreadable(uri, `the store says ${read.kind}`);
    if (read.bytes.length > 0) yield read.bytes;
    start += read.bytes.length;
    ifVersion = read.version;
    if (read.bytes.length === 0 || start >= read.sizeBytes) return;
  }
}

/** The fields of a line, quoted or bare (RFC 4180). A field of an inventory contains no line break, since keys are encoded. */
function fieldsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare,
  );
}

export function unreadable(uri: string, reason: string): RegistrarError {
  return new RegistrarError(
    'config.invalid',
    `Cannot read the inventory "${uri}": ${reason}; name a manifest.json of S3 Inventory in CSV, or a CSV file, gzipped or not, of bucket and key`,
  );
}
