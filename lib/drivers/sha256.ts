import { hash } from 'node:crypto';
import { keepLast, onceFor } from '../memo.ts';

type Source = string | ArrayBuffer | ArrayBufferView;

/**
 * SHA-256, or its HMAC with a secret, in the form that Smithy's signer expects. For every request the signer computes an HMAC of the
 * credentials to look up its derived key, so the last few HMACs of a text with a text are cached.
 */
export class Sha256 {
  readonly #secret: Source | undefined;
  #parts: Uint8Array[] = [];

  constructor(secret?: Source) {
    this.#secret = secret;
  }

  update(part: Uint8Array): void {
    this.#parts.push(part);
  }

  reset(): void {
    this.#parts = [];
  }

  async digest(): Promise<Uint8Array> {
    const [first = new Uint8Array(), ...rest] = this.#parts;
    const bytes = rest.length === 0 ? first : Buffer.concat(this.#parts);
    if (this.#secret === undefined) return sha256(bytes);
    return typeof this.#secret === 'string' ? keptMac(this.#secret, bytes) : mac(this.#secret, bytes);
  }
}

const macs = new Map<string, Uint8Array>();
const MOST_MACS = 32;

function keptMac(secret: string, bytes: Uint8Array): Uint8Array {
  const name = `${secret.length} ${secret}${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')}`;
  const known = macs.get(name);
  if (known !== undefined) return known;
  const made = mac(Buffer.from(secret), bytes);
  keepLast(macs, name, made, MOST_MACS);
  return made;
}

/** HMAC (RFC 2104) of whole hashes: the object that `createHmac` makes costs several times as much, most of it when it is collected. */
function mac(secret: ArrayBuffer | ArrayBufferView, bytes: Uint8Array): Uint8Array {
  const { inner, outer } = padsOf(secret);
  return sha256(Buffer.concat([outer, sha256(Buffer.concat([inner, bytes]))]));
}

const BLOCK_BYTES = 64;

/** The derived key is the same object from request to request. */
const padsOf = onceFor((secret: ArrayBuffer | ArrayBufferView) => {
  const key = bytesOf(secret);
  const block = Buffer.alloc(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  return { inner: block.map((byte) => byte ^ 0x36), outer: block.map((byte) => byte ^ 0x5c) };
});

/** By way of a text, because a hash that is asked for as a buffer is allocated outside the heap. */
function sha256(bytes: Uint8Array): Uint8Array {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'binary');
}

function bytesOf(source: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
