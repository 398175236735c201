/** Reads the footer of a segment in one request, or in two if it is larger than the read-ahead. */
import { RegistrarError } from '../errors.ts';
import type { Store } from '../ports.ts';

export interface ReadFooterOptions {
  /** How many bytes from the end of the file the first request reads. */
  readonly readAheadBytes: number;
  readonly maxFooterBytes: number;
  /** Called once the footer's length is known; returning false postpones the segment. @default always room */
  readonly hasRoom?: (footerBytes: number) => boolean;
}

export interface FooterRead {
  readonly kind: 'footer';
  readonly uri: string;
  /** The `FileMetaData` struct alone. */
  readonly bytes: Uint8Array;
  /** The version of the object whose footer was read (`StoredObject.version`). */
  readonly etag: string;
  readonly sizeBytes: number;
  readonly lastModifiedMs: number;
}

export type FooterResult =
  | FooterRead
  | { readonly kind: 'missing' }
  | { readonly kind: 'denied'; readonly message: string }
  /** The object was replaced between the two requests: read again. */
  | { readonly kind: 'changed' }
  /** There was no room for it: read it later. */
  | { readonly kind: 'postponed' };

const magicLength = 4;
/** The trailer after the footer: the length of the footer and the magic. */
const trailerLength = 8;

/**
 * @throws `segment.unreadable` if the object is not a Parquet file, or has a footer larger than `maxFooterBytes`; the store's own errors
 */
export async function readFooter(
  store: Pick<Store, 'read'>,
  uri: string,
  { readAheadBytes, maxFooterBytes, hasRoom }: ReadFooterOptions,
): Promise<FooterResult> {
  const tail = await store.read(uri, { range: { suffix: readAheadBytes } });
  if (tail.kind !== 'object') return tail;

  const { sizeBytes, version: etag, lastModifiedMs } = tail;
  const length = footerLength(tail.bytes, { uri, etag, sizeBytes }, maxFooterBytes);
  if (hasRoom?.(length) === false) return { kind: 'postponed' };
  const read = (bytes: Uint8Array): FooterRead => ({
    kind: 'footer',
    uri,
    bytes,
    etag,
    sizeBytes,
    lastModifiedMs,
  });
  const end = tail.bytes.length - trailerLength;
  // Copied, so that the rest of the bytes that were read ahead can be freed; a small one into Node's pool, outside of which it would cost more.
  if (length <= end) return read(Buffer.from(tail.bytes.subarray(end - length, end)));

  const start = sizeBytes - trailerLength - length;
  const range = { start, end: sizeBytes - trailerLength };
  const whole = await store.read(uri, { range, ifVersion: etag });
  if (whole.kind !== 'object') return whole;
  if (whole.bytes.length !== length) {
    throw new RegistrarError(
      'store.unavailable',
      `Cannot read ${length} bytes of the footer of "${uri}": the store answered ${whole.bytes.length}`,
    );
  }
  return read(whole.bytes);
}

/**
 * Checks the file's tail, and its head if that was read; returns the length of the footer. On refusal the error's context names
 * the object.
 */
function footerLength(
  tail: Uint8Array,
  found: Pick<FooterRead, 'uri' | 'etag' | 'sizeBytes'>,
  maxFooterBytes: number,
): number {
  const { uri, sizeBytes } = found;
  const refuse = (what: string): RegistrarError =>
    new RegistrarError('segment.unreadable', `Cannot read "${uri}" as Parquet: ${what}`, {
      context: { ...found },
    });
  if (sizeBytes < 2 * magicLength + magicLength || tail.length < trailerLength) {
    throw refuse(`it has ${sizeBytes} bytes, and a Parquet file has at least 12`);
  }
  const magic = latin1(tail, tail.length - magicLength);
  if (magic === 'PARE') throw refuse('its footer is encrypted; write the dataset without encryption');
  if (magic !== 'PAR1') throw refuse(`it ends in ${quote(magic)} instead of "PAR1"`);
  if (tail.length === sizeBytes && latin1(tail, 0) !== 'PAR1') {
    throw refuse(`it begins with ${quote(latin1(tail, 0))} instead of "PAR1"`);
  }
  const length = new DataView(tail.buffer, tail.byteOffset + tail.length - trailerLength).getUint32(0, true);
  const available = sizeBytes - trailerLength - magicLength;
  if (length === 0 || length > available) {
    throw refuse(`it gives ${length} bytes as the length of its footer, and has ${available} bytes for one`);
  }
  if (length > maxFooterBytes) {
    throw refuse(
      `its footer has ${length} bytes, and max_footer_bytes is ${maxFooterBytes}: write fewer row groups or raise the limit`,
    );
  }
  return length;
}

const latin1 = (bytes: Uint8Array, start: number): string =>
  Buffer.from(bytes.subarray(start, start + magicLength)).toString('latin1');
const quote = (magic: string): string => JSON.stringify(magic);
