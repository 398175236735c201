import { hash } from 'node:crypto';
import { keepLast, onceFor } from '../memo.ts';

type Source = string | ArrayBuffer | ArrayBufferView;

/** SHA-256, or its HMAC with a secret (RFC 2104), in the form that Smithy's signer expects. */
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
    // Of whole hashes: the object that `createHmac` makes costs several times as much, most of it when it is collected.
    const { inner, outer } =
      typeof this.#secret === 'string' ? padsOfText(this.#secret) : padsOfKey(this.#secret);
    return sha256(Buffer.concat([outer, sha256(Buffer.concat([inner, bytes]))]));
  }
}

/** What an HMAC puts before the message, and before the hash of that. */
interface Pads {
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

const BLOCK_BYTES = 64;

function padsOf(key: Uint8Array): Pads {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  return { inner: block.map((byte) => byte ^ 0x36), outer: block.map((byte) => byte ^ 0x5c) };
}

/** Kept, because the signer has the same derived key for all requests of a day, and looks it up by an HMAC of the credentials. */
const padsOfKey = onceFor((key: ArrayBuffer | ArrayBufferView) => padsOf(bytesOf(key)));
const padsOfTexts = new Map<string, Pads>();
const MOST_TEXTS = 32;

function padsOfText(secret: string): Pads {
  const known = padsOfTexts.get(secret);
  if (known !== undefined) return known;
  const pads = padsOf(Buffer.from(secret));
  keepLast(padsOfTexts, secret, pads, MOST_TEXTS);
  return pads;
}

/** By way of a text, because a hash that is asked for as a buffer is allocated outside the heap. */
function sha256(bytes: Uint8Array): Uint8Array {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'binary');
}

function bytesOf(source: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
