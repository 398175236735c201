import { RegistrarError } from '../errors.ts';
import type { Finding } from './decoded-event.ts';
import type { SegmentReference } from './segment-reference.ts';

/** The store's limit for a key, in bytes of UTF-8 (cases.md E25). */
const MAX_KEY_BYTES = 1024;
const QUOTED_CHARACTERS = 200;

/** What a notification says of an object, the key decoded, nothing checked. */
export interface NotedObject {
  readonly scheme: SegmentReference['scheme'];
  readonly bucket: unknown;
  readonly key: unknown;
  readonly size: string | undefined;
  readonly etag: string | undefined;
  readonly versionId: string | undefined;
  readonly sequencer?: string | undefined;
  readonly copied?: boolean;
}

/**
 * The segment that a created object is, or why it is none: markers and unfinished files that jobs leave (cases.md E9) are ignored.
 * @throws `event.malformed` when bucket or key cannot be those of an object
 */
export function segmentOrIgnored(noted: NotedObject): Finding {
  const bucket = checkedBucket(noted.bucket);
  const key = checkedKey(noted.key);
  const { scheme, etag, versionId, sequencer, copied } = noted;
  const sizeBytes = noted.size === undefined ? Number.NaN : Number(noted.size);

  const reason = ignoredKey(key, sizeBytes);
  if (reason !== undefined) return { kind: 'ignored', reason };
  const reference: SegmentReference = {
    scheme,
    bucket,
    key,
    ...(Number.isSafeInteger(sizeBytes) && { sizeBytes }),
    ...(etag !== undefined && { etag: etag.replace(/^"(.*)"$/s, '$1') }),
    ...(versionId !== undefined && { versionId }),
    ...(sequencer !== undefined && { sequencer }),
    ...(copied === true && { copied }),
  };
  return { kind: 'segment', reference };
}

/** Why an object is no segment by its key and size alone; undefined for one that may be. */
export function ignoredKey(key: string, sizeBytes: number): 'temporary' | 'folder-marker' | undefined {
  if (isTemporary(key)) return 'temporary';
  const isMarker = sizeBytes === 0 && (key.endsWith('/') || key.endsWith('_$folder$'));
  return isMarker ? 'folder-marker' : undefined;
}

/** Runs a reading; what it cannot make sense of is one rejection, and whatever else the event holds stands (cases.md E27). */
export function findingsOf(read: () => Finding | readonly Finding[]): readonly Finding[] {
  try {
    return [read()].flat();
  } catch (error) {
    if (error instanceof RegistrarError) return [{ kind: 'rejected', error }];
    throw error;
  }
}

/** `event.malformed`, with the value in quotes, cut to a readable length. */
export function malformed(problem: string, value: unknown, wayOut: string): RegistrarError {
  const text = typeof value === 'string' ? value : shown(value);
  const quoted = text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text;
  return new RegistrarError(
    'event.malformed',
    `Cannot read a notification: ${problem} "${quoted}"; ${wayOut}`,
  );
}

function shown(value: unknown): string {
  try {
    return JSON.stringify(value, bigintAsText) ?? 'nothing';
  } catch {
    return 'JSON nested too deeply to show';
  }
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function checkedBucket(bucket: unknown): string {
  if (typeof bucket === 'string' && bucket !== '' && !bucket.includes('/')) return bucket;
  throw malformed('the bucket is', bucket, 'it must be the name of a bucket');
}

function checkedKey(key: unknown): string {
  if (typeof key !== 'string' || key === '') {
    throw malformed('the key is', key, 'it must be the key of an object');
  }
  if (!key.isWellFormed()) throw malformed('the key is not Unicode text:', key, 'keys are UTF-8');
  const bytes = Buffer.byteLength(key);
  if (bytes > MAX_KEY_BYTES) {
    throw malformed(`the key has ${bytes} bytes:`, key, `the limit of the store is ${MAX_KEY_BYTES}`);
  }
  return key;
}

/** Hadoop's and S3A's work directories and success marker. Other names with an underscore are names like any other. */
function isTemporary(key: string): boolean {
  return /(^|\/)(_temporary\/|__magic_job-[^/]*\/|\.spark-staging[^/]*\/|_SUCCESS$)/.test(key);
}
