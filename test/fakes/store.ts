import { createHash } from 'node:crypto';
import type { ByteRange, Clock, ListedObject, ReadResult, Store } from '../../lib/ports.ts';

export interface FakeObject {
  readonly bytes: Uint8Array;
  readonly version: string;
  readonly lastModifiedMs: number;
}

export interface StoreCall {
  readonly operation: 'read' | 'write' | 'list';
  readonly uri: string;
}

export interface FakeStore extends Store {
  /** What the store holds, by URI. */
  readonly objects: Map<string, FakeObject>;
  /** Every call so far, to count I/O. */
  readonly calls: StoreCall[];
  /** Objects that answer 403. */
  readonly denied: Set<string>;
  /** Runs before each call; what it throws is the call's failure. */
  onCall: (call: StoreCall) => void | Promise<void>;
  /** Uploads as a shipper does: whatever the key holds is replaced. Answers the version. */
  upload(uri: string, content: Uint8Array | string, lastModifiedMs?: number): string;
}

/** A store in a Map; versions are MD5 as S3's plain ETags, so the same bytes have the same version. */
export function fakeStore(clock: Clock): FakeStore {
  const objects = new Map<string, FakeObject>();
  const calls: StoreCall[] = [];
  const denied = new Set<string>();

  async function called(operation: StoreCall['operation'], uri: string): Promise<string> {
    const call = { operation, uri: uri.replace(/^s3[an]:/, 's3:') };
    calls.push(call);
    await store.onCall(call);
    return call.uri;
  }

  const store: FakeStore = {
    objects,
    calls,
    denied,
    onCall: () => undefined,
    upload(uri, content, lastModifiedMs = clock.now()) {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content.slice();
      const version = createHash('md5').update(bytes).digest('hex');
      objects.set(uri, { bytes, version, lastModifiedMs });
      return version;
    },
    async read(given, { range, ifVersion } = {}): Promise<ReadResult> {
      const uri = await called('read', given);
      if (denied.has(uri)) return { kind: 'denied', message: 'AccessDenied: Access Denied' };
      const object = objects.get(uri);
      if (object === undefined) return { kind: 'missing' };
      if (ifVersion !== undefined && ifVersion !== object.version) return { kind: 'changed' };
      const { bytes } = object;
      return { kind: 'object', ...object, bytes: cut(bytes, range), sizeBytes: bytes.length };
    },
    async write(given, bytes, { ifAbsent } = {}) {
      const uri = await called('write', given);
      if (ifAbsent && objects.has(uri)) return { kind: 'exists' };
      return { kind: 'written', version: store.upload(uri, bytes) };
    },
    async *list(given, { startAfter } = {}): AsyncGenerator<ListedObject> {
      const prefix = await called('list', given);
      const after = startAfter === undefined ? undefined : Buffer.from(startAfter.replace(/^s3[an]:/, 's3:'));
      const uris = [...objects.keys()].filter((uri) => uri.startsWith(prefix));
      for (const key of uris.map((uri) => Buffer.from(uri)).sort(Buffer.compare)) {
        if (after !== undefined && Buffer.compare(key, after) <= 0) continue;
        const object = objects.get(key.toString());
        if (object === undefined) continue;
        const { bytes, version, lastModifiedMs } = object;
        yield { uri: key.toString(), sizeBytes: bytes.length, version, lastModifiedMs };
      }
    },
  };
  return store;
}

function cut(bytes: Uint8Array, range: ByteRange | undefined): Uint8Array {
  if (range === undefined) return bytes;
  return 'suffix' in range
    ? bytes.slice(Math.max(0, bytes.length - range.suffix))
    : bytes.slice(range.start, range.end);
}
