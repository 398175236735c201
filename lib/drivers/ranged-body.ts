import { RegistrarError } from '../errors.ts';
import type { ByteRange } from '../ports.ts';

/** `bytes=-8`, or `bytes=0-7` for the first eight bytes. */
export function rangeHeader(range: ByteRange): string {
  return 'suffix' in range ? `bytes=-${range.suffix}` : `bytes=${range.start}-${range.end - 1}`;
}

/**
 * Extracts the bytes of a range and the size of the whole object from an answer. A server may ignore the range, but must not answer with
 * another one.
 *
 * @throws `store.unavailable`
 */
export function wholeOrPart(
  uri: string,
  range: ByteRange | undefined,
  answered: Buffer,
  contentRange: string | string[] | undefined,
): { readonly bytes: Uint8Array; readonly sizeBytes: number } {
  const body = new Uint8Array(answered.buffer, answered.byteOffset, answered.length);
  if (contentRange === undefined) return { bytes: cut(body, range), sizeBytes: body.length };
  const sizeBytes = Number(/^bytes .+\/(\d+)$/.exec(String(contentRange))?.[1]);
  const [start, end] = span(range, sizeBytes);
  if (String(contentRange) === `bytes ${start}-${end - 1}/${sizeBytes}` && body.length === end - start) {
    return { bytes: body, sizeBytes };
  }
  throw new RegistrarError(
    'store.unavailable',
    `Cannot read "${uri}": asked for ${range === undefined ? 'all' : rangeHeader(range)}, the store answered ${body.length} bytes as "${contentRange}"`,
  );
}

export function cut(whole: Uint8Array, range: ByteRange | undefined): Uint8Array {
  return whole.subarray(...span(range, whole.length));
}

/** The first and last (exclusive) position of a range in an object of that size. */
export function span(range: ByteRange | undefined, sizeBytes: number): readonly [number, number] {
  if (range === undefined) return [0, sizeBytes];
  if ('suffix' in range) return [Math.max(0, sizeBytes - range.suffix), sizeBytes];
  return [Math.min(range.start, sizeBytes), Math.min(range.end, sizeBytes)];
}
