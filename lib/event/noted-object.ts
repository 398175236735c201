import { RegistrarError } from '../errors.ts';
import type { DecodedRecord } from './decoded-event.ts';
import type { SegmentReference } from './segment-reference.ts';

/** The longest key that the store allows, in bytes of UTF-8 (cases.md E25). */
const MAX_KEY_BYTES = 1024;
const QUOTED_CHARACTERS = 200;

/** What a notification says about an object, with the key decoded but nothing checked. */
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
 * The segment for a created object, or why it is not one: markers and unfinished files that jobs leave behind (cases.md E9) are
 * ignored.
 *
 * @throws `event.malformed` when bucket or key cannot be those of an object
 */
export function segmentOrIgnored(noted: NotedObject): DecodedRecord {
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

/** Why an object cannot be a segment, judging by key and size alone; undefined if it may be one. */
export function ignoredKey(key: string, sizeBytes: number): 'temporary' | 'folder-marker' | undefined {
  if (isTemporary(key)) return 'temporary';
  const isMarker = sizeBytes === 0 && (key.endsWith('/') || key.endsWith('_$folder$'));
  return isMarker ? 'folder-marker' : undefined;
}

/** Runs `read`. If it fails on malformed input, that becomes one rejection, and the rest of the event stands (cases.md E27). */
export function decodedRecords(
  read: () => DecodedRecord | readonly DecodedRecord[],
): readonly DecodedRecord[] {
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

/** Work directories of Hadoop and S3A, and the success marker. Other names with a leading underscore are ordinary names. */
function isTemporary(key: string): boolean {
  return /(^|\/)(_temporary\/|__magic_job-[^/]*\/|\.spark-staging[^/]*\/|_SUCCESS$)/.test(key);
}
