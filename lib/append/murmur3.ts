/** Murmur3, 32 bits, x86 variant, seed 0: the hash of Iceberg's bucket transform (spec, Appendix B). Signed. */
export function murmur3(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tailStart = bytes.length & ~3;
  let hash = 0;
  for (let at = 0; at < tailStart; at += 4) {
    hash ^= scramble(view.getInt32(at, true));
    hash = Math.imul(rotateLeft(hash, 13), 5) + 0xe6546b64;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= tailStart; at -= 1) tail = (tail << 8) | view.getUint8(at);
  hash ^= scramble(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function scramble(word: number): number {
  return Math.imul(rotateLeft(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
