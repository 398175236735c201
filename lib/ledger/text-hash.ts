import { hash } from 'node:crypto';

/** The SHA-256 of a text as one character per byte. A buffer for each of millions of texts would be allocated outside the heap. */
export function hashOf(text: string): string {
  return hash('sha256', text, 'binary');
}

/** Four bytes of a hash as a number, big-endian. */
export function wordAt(digest: string, at: number): number {
  const byte = (offset: number): number => digest.charCodeAt(at + offset);
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0;
}
