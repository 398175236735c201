import type { ReadResult } from '../ports.ts';

/**
 * What became of a write that must not overwrite and met an object: if the request was repeated because an answer was lost, the object
 * may be the one it wrote itself.
 */
export async function ownOrExisting(
  bytes: Uint8Array,
  attempts: number,
  read: () => Promise<ReadResult>,
): Promise<{ readonly kind: 'written'; readonly version: string } | { readonly kind: 'exists' }> {
  const found = attempts > 1 ? await read() : undefined;
  return found?.kind === 'object' && Buffer.from(bytes).equals(found.bytes)
    ? { kind: 'written', version: found.version }
    : { kind: 'exists' };
}
