import type { Store } from '../../ports.ts';
import { csvRows, unreadable } from './inventory-rows.ts';
import type { LakeObject } from './lake-object.ts';

/** The index of each field in a row. Without a schema only the first two, bucket and key, are certain. */
type Columns = ReadonlyMap<string, number>;

const BUCKET_AND_KEY: Columns = new Map([
  ['Bucket', 0],
  ['Key', 1],
]);

/**
 * The objects of an S3 Inventory in CSV, from its `manifest.json` or one of its data files (S3 User Guide, "Locating your
 * inventory list"). Keys are form-encoded there. Noncurrent versions and delete markers are left out.
 *
 * @param open returns the store that a file is read from, by the file's name: the object store, or local files
 * @throws `config.invalid` for a file that is not such an inventory; the errors of the store
 */
export async function* inventoryObjects(
  name: string,
  open: (name: string) => Pick<Store, 'read'>,
): AsyncGenerator<LakeObject, void, undefined> {
  const { files, columns } = name.endsWith('.json')
    ? await readManifest(name, open(name))
    : { files: [name], columns: BUCKET_AND_KEY };
  for (const file of files) {
    for await (const row of csvRows(open(file), file)) {
      const object = objectOf(row, columns, file);
      if (object !== undefined) yield object;
    }
  }
}

async function readManifest(uri: string, store: Pick<Store, 'read'>) {
  const read = await store.read(uri);
  if (read.kind !== 'object') throw unreadable(uri, `the store says ${read.kind}`);
  const manifest = parsed(uri, read.bytes);
  const { fileFormat, fileSchema, destinationBucket, files } = manifest;
  if (fileFormat !== 'CSV') throw unreadable(uri, `its fileFormat is ${JSON.stringify(fileFormat)}`);
  if (typeof fileSchema !== 'string' || typeof destinationBucket !== 'string' || !Array.isArray(files)) {
    throw unreadable(uri, 'it lacks fileSchema, destinationBucket or files');
  }
  const columns: Columns = new Map(fileSchema.split(',').map((column, at) => [column.trim(), at]));
  if (!columns.has('Bucket') || !columns.has('Key'))
    throw unreadable(uri, `its fileSchema is "${fileSchema}"`);
  // An ARN, `arn:aws:s3:::bucket`, of any partition.
  const bucket = destinationBucket.slice(destinationBucket.lastIndexOf(':') + 1);
  return { files: files.map((file) => `s3://${bucket}/${(file as { readonly key: string }).key}`), columns };
}

function parsed(uri: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    throw unreadable(uri, `it is not JSON (${(error as Error).message})`);
  }
}

function objectOf(row: readonly string[], columns: Columns, file: string): LakeObject | undefined {
  const field = (name: string): string | undefined => {
    const at = columns.get(name);
    const value = at === undefined ? undefined : row[at];
    return value === '' ? undefined : value;
  };
  if (field('IsLatest') === 'false' || field('IsDeleteMarker') === 'true') return undefined;
  const bucket = field('Bucket');
  const key = decoded(field('Key'));
  if (bucket === undefined || key === undefined) {
    throw unreadable(file, `a row is ${JSON.stringify(row)}`);
  }
  const sizeBytes = Number(field('Size') ?? Number.NaN);
  const etag = field('ETag');
  return {
    uri: `s3://${bucket}/${key}`,
    ...(Number.isSafeInteger(sizeBytes) && { sizeBytes }),
    ...(etag !== undefined && { etag }),
  };
}

/** Decodes form encoding, in which a space is `+`; undefined for a key that is not encoded like this. */
function decoded(key: string | undefined): string | undefined {
  try {
    return key === undefined ? undefined : decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
