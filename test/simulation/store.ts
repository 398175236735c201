import { RegistrarError } from '../../lib/errors.ts';
import type { ByteRange, ReadResult, Store } from '../../lib/ports.ts';
import type { Io } from './io.ts';

export interface SimObject {
  readonly bytes: Uint8Array;
  readonly version: string;
  readonly lastModifiedMs: number;
}

/** The simulated object store, as other writers and the invariants see it. */
export interface SimStore {
  readonly objects: Map<string, SimObject>;
  /** The URI of every write, in order. */
  readonly written: readonly string[];
  put(uri: string, bytes: Uint8Array, version?: string): void;
  /** The store as a container sees it. `overwritten` is called when the registrar overwrites an object (I1). */
  port(io: Io): Store;
}

export function simStore(now: () => number, overwritten: (uri: string) => void): SimStore {
  const objects = new Map<string, SimObject>();
  const written: string[] = [];
  let versions = 0;

  function put(uri: string, bytes: Uint8Array, version?: string): void {
    versions += 1;
    written.push(uri);
    objects.set(uri, { bytes, version: version ?? `v${versions}`, lastModifiedMs: now() });
  }

  function read(uri: string, range: ByteRange | undefined, ifVersion: string | undefined): ReadResult {
    const object = objects.get(uri);
    if (object === undefined) return { kind: 'missing' };
    if (ifVersion !== undefined && ifVersion !== object.version) return { kind: 'changed' };
    return {
      kind: 'object',
      ...object,
      bytes: cut(object.bytes, range),
      sizeBytes: object.bytes.length,
    };
  }

  function write(uri: string, bytes: Uint8Array, ifAbsent: boolean) {
    if (objects.has(uri)) {
      if (!uri.includes('/_events/')) overwritten(uri);
      if (ifAbsent) return { kind: 'exists' } as const;
    }
    put(uri, bytes);
    return { kind: 'written', version: `v${versions}` } as const;
  }

  return {
    objects,
    written,
    put,
    port: (io) => ({
      read: (uri, { range, ifVersion } = {}) =>
        io<ReadResult>({
          operation: 'store.read',
          about: uri,
          effect: () => read(uri, range, ifVersion),
          unanswered: unavailable(`read "${uri}"`),
          answers: {
            denied: () => ({ kind: 'denied', message: 'AccessDenied' }),
            unauthorized,
          },
        }),
      write: (uri, bytes, { ifAbsent = false } = {}) =>
        io<Awaited<ReturnType<Store['write']>>>({
          operation: 'store.write',
          about: uri,
          effect: () => write(uri, bytes, ifAbsent),
          unanswered: unavailable(`write "${uri}"`),
          answers: {
            'exists after': (effect) => {
              effect();
              return { kind: 'exists' };
            },
          },
        }),
      async *list(prefix, { startAfter = '' } = {}) {
        const listed = await io({
          operation: 'store.list',
          about: prefix,
          effect: () =>
            [...objects].filter(([uri]) => uri.startsWith(prefix) && uri > startAfter).sort(byUri),
          unanswered: unavailable(`list "${prefix}"`),
        });
        for (const [uri, { bytes, version, lastModifiedMs }] of listed) {
          yield { uri, sizeBytes: bytes.length, version, lastModifiedMs };
        }
      },
    }),
  };
}

function unavailable(what: string): (why: string) => never {
  return (why) => {
    throw new RegistrarError('store.unavailable', `Cannot ${what}: ${why}`);
  };
}

export function unauthorized(): never {
  throw new RegistrarError('auth.failed', 'Cannot sign in: the credentials are refused');
}

function byUri([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function cut(bytes: Uint8Array, range: ByteRange | undefined): Uint8Array {
  if (range === undefined) return bytes;
  return 'suffix' in range
    ? bytes.subarray(Math.max(0, bytes.length - range.suffix))
    : bytes.subarray(range.start, range.end);
}
