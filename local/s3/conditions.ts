import { noSuchKey, preconditionFailed, S3Error } from './s3-error.ts';

/** The conditional headers of one request. ETags are compared without quotes, as in notifications. */
export interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifUnmodifiedSince?: string | undefined;
}

/** The validators of an object (RFC 9110, 8.8): its ETag without quotes, its time in whole seconds. */
export interface Validators {
  readonly etag: string;
  readonly lastModifiedMs: number;
}

/** Whether an object may be read: `unmodified` is a 304 (RFC 9110, 13.2.2). @throws S3Error 412 */
export function checkRead(conditions: Conditions, object: Validators): 'read' | 'unmodified' {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  const modified = object.lastModifiedMs;
  if (ifMatch !== undefined ? !names(ifMatch, object.etag) : modified > dateMs(ifUnmodifiedSince, Infinity)) {
    throw preconditionFailed();
  }
  const unmodified =
    ifNoneMatch !== undefined
      ? names(ifNoneMatch, object.etag)
      : modified <= dateMs(ifModifiedSince, -Infinity);
  return unmodified ? 'unmodified' : 'read';
}

/** Checks whether `key` may be written over its current object. @throws S3Error 412, 404 for `If-Match` without an object, 501 */
export function checkWrite(conditions: Conditions, key: string, current: Validators | undefined): void {
  const { ifMatch, ifNoneMatch } = conditions;
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') {
    throw new S3Error(501, 'NotImplemented', `If-None-Match of a write takes "*" only, not "${ifNoneMatch}"`);
  }
  if (ifNoneMatch !== undefined && current !== undefined) throw preconditionFailed();
  if (ifMatch === undefined) return;
  if (current === undefined) throw noSuchKey(key);
  if (!names(ifMatch, current.etag)) throw preconditionFailed();
}

/**
 * The bytes that a `Range` header asks for, `end` exclusive; undefined for the whole object (no header, or one that S3 ignores).
 * A suffix longer than the object is the object. @throws S3Error 416 beyond the end, for `bytes=-0`, and in an empty object
 */
export function resolveRange(
  header: string | undefined,
  sizeBytes: number,
): { readonly start: number; readonly end: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || match[0] === 'bytes=-') return undefined;
  const [, first = '', last = ''] = match;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  if (start >= end) throw new S3Error(416, 'InvalidRange', 'The requested range is not satisfiable');
  return { start, end };
}

function names(header: string, etag: string): boolean {
  return header.split(',').some((one) => {
    const tag = one.trim().replace(/^W\//, '').replaceAll('"', '');
    return tag === '*' || tag === etag;
  });
}

function dateMs(header: string | undefined, otherwise: number): number {
  const ms = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(ms) ? otherwise : ms;
}
