import { createHash } from 'node:crypto';
import { type Conditions, checkWrite } from './conditions.ts';
import { noSuchBucket, S3Error } from './s3-error.ts';

export interface StoredBytes {
  readonly key: string;
  readonly bytes: Buffer;
  /** Without quotes. */
  readonly etag: string;
  /** Whole seconds, as S3 keeps it. */
  readonly lastModifiedMs: number;
  /** `content-type`, `x-amz-meta-…` and the like, returned as they were received. */
  readonly headers: Readonly<Record<string, string>>;
}

export type ChangeName =
  | 'ObjectCreated:Put'
  | 'ObjectCreated:Copy'
  | 'ObjectCreated:CompleteMultipartUpload'
  | 'ObjectRemoved:Delete';

export interface ObjectChange {
  readonly name: ChangeName;
  readonly bucket: string;
  readonly key: string;
  /** Undefined for removals. */
  readonly object: StoredBytes | undefined;
}

export interface PutOptions {
  readonly conditions?: Conditions;
  readonly headers?: Readonly<Record<string, string>>;
  readonly name?: ChangeName;
  /** @default the MD5 of the bytes */
  readonly etag?: string;
}

export interface Listing {
  readonly objects: readonly StoredBytes[];
  readonly commonPrefixes: readonly string[];
  /** The value of `after` for the next page; undefined on the last one. */
  readonly nextAfter: string | undefined;
}

/** Buckets of objects in memory. Everything throws `S3Error`; nothing is asynchronous, so every write is atomic. */
export interface ObjectStore {
  createBucket(bucket: string): void;
  deleteBucket(bucket: string): void;
  hasBucket(bucket: string): boolean;
  buckets(): readonly string[];
  get(bucket: string, key: string): StoredBytes | undefined;
  put(bucket: string, key: string, bytes: Buffer, options?: PutOptions): StoredBytes;
  delete(bucket: string, key: string): void;
  /** Keys after `after`, in the order of their UTF-8 bytes. */
  list(
    bucket: string,
    options: {
      readonly prefix: string;
      readonly delimiter: string;
      readonly after: string;
      readonly max: number;
    },
  ): Listing;
}

export function createObjectStore(options: {
  readonly now: () => number;
  /** Called after each change. */
  readonly onChange: (change: ObjectChange) => void;
}): ObjectStore {
  const buckets = new Map<string, Bucket>();
  const bucketOf = (name: string): Bucket => {
    const bucket = buckets.get(name);
    if (!bucket) throw noSuchBucket(name);
    return bucket;
  };
  return {
    createBucket(name) {
      if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) {
        throw new S3Error(400, 'InvalidBucketName', `The specified bucket is not valid: "${name}"`);
      }
      if (buckets.has(name)) {
        throw new S3Error(409, 'BucketAlreadyOwnedByYou', `You already own the bucket "${name}"`);
      }
      buckets.set(name, { objects: new Map(), sortedKeys: undefined });
    },
    deleteBucket(name) {
      if (bucketOf(name).objects.size > 0) {
        throw new S3Error(409, 'BucketNotEmpty', `The bucket you tried to delete is not empty: "${name}"`);
      }
      buckets.delete(name);
    },
    hasBucket: (name) => buckets.has(name),
    buckets: () => [...buckets.keys()].sort(),
    get: (bucket, key) => bucketOf(bucket).objects.get(key),
    put(bucketName, key, bytes, { conditions = {}, headers = {}, name = 'ObjectCreated:Put', etag } = {}) {
      const bucket = bucketOf(bucketName);
      if (Buffer.byteLength(key) > 1024) throw new S3Error(400, 'KeyTooLongError', 'Your key is too long');
      const current = bucket.objects.get(key);
      checkWrite(conditions, key, current);
      const object: StoredBytes = {
        key,
        bytes,
        etag: etag ?? createHash('md5').update(bytes).digest('hex'),
        lastModifiedMs: Math.floor(options.now() / 1000) * 1000,
        headers,
      };
      bucket.objects.set(key, object);
      if (!current) bucket.sortedKeys = undefined;
      options.onChange({ name, bucket: bucketName, key, object });
      return object;
    },
    delete(bucketName, key) {
      const bucket = bucketOf(bucketName);
      if (!bucket.objects.delete(key)) return;
      bucket.sortedKeys = undefined;
      options.onChange({ name: 'ObjectRemoved:Delete', bucket: bucketName, key, object: undefined });
    },
    list: (bucket, query) => list(bucketOf(bucket), query),
  };
}

interface Bucket {
  readonly objects: Map<string, StoredBytes>;
  /** Cached until a key is added or removed. */
  sortedKeys: readonly string[] | undefined;
}

function list(
  bucket: Bucket,
  { prefix, delimiter, after, max }: Parameters<ObjectStore['list']>[1],
): Listing {
  bucket.sortedKeys ??= [...bucket.objects.keys()].sort(compareUtf8);
  const objects: StoredBytes[] = [];
  const commonPrefixes: string[] = [];
  let lastAfter = after;
  for (const key of bucket.sortedKeys) {
    if (!key.startsWith(prefix) || (lastAfter !== '' && compareUtf8(key, lastAfter) <= 0)) continue;
    if (objects.length + commonPrefixes.length === max) {
      return { objects, commonPrefixes, nextAfter: max === 0 ? undefined : lastAfter };
    }
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const object = bucket.objects.get(key);
    if (cut !== -1) {
      const commonPrefix = key.slice(0, cut + delimiter.length);
      commonPrefixes.push(commonPrefix);
      lastAfter = commonPrefix + highestCharacter;
    } else if (object) {
      objects.push(object);
      lastAfter = key;
    }
  }
  return { objects, commonPrefixes, nextAfter: undefined };
}

/** Sorts after every continuation of a prefix. */
const highestCharacter = '\u{10FFFF}';

/** S3 lists in the order of UTF-8 bytes; `<` on strings compares UTF-16 units, which differs beyond U+FFFF. */
function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
