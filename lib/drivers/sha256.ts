import { createHmac, hash } from 'node:crypto';
import { keepLast } from '../memo.ts';

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
    if (this.#secret === undefined) return hash('sha256', bytes, 'buffer');
    return typeof this.#secret === 'string' ? keptMac(this.#secret, bytes) : mac(this.#secret, bytes);
  }
}

const macs = new Map<string, Uint8Array>();
const MOST_MACS = 32;

function keptMac(secret: string, bytes: Uint8Array): Uint8Array {
  const name = `${secret.length} ${secret}${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')}`;
  const known = macs.get(name);
  if (known !== undefined) return known;
  const made = mac(secret, bytes);
  keepLast(macs, name, made, MOST_MACS);
  return made;
}

function mac(secret: Source, bytes: Uint8Array): Uint8Array {
  return createHmac('sha256', typeof secret === 'string' ? secret : bytesOf(secret))
    .update(bytes)
    .digest();
}

function bytesOf(source: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
