import type { Content } from './contents.ts';

/** What a key holds from a certain time on. `content` is undefined if the object was deleted. */
export interface KeyState {
  readonly fromMs: number;
  readonly content: Content | undefined;
}

/** A file that a commit added to a table. */
export interface Registered {
  readonly by: 'registrar' | 'others';
  readonly snapshotId: bigint;
  /** From the snapshot's summary; undefined if that does not list segments. */
  readonly etag: string | undefined;
  readonly sizeBytes: number;
  readonly rows: number;
}

/** What was shipped and what became of it: the truth with which tables, queues and quarantine are compared. */
export interface History {
  /** By URI, the oldest state first. */
  readonly keys: ReadonlyMap<string, readonly KeyState[]>;
  readonly registered: ReadonlyMap<string, readonly Registered[]>;
  /** By file that a compaction wrote: the segments that it contains. */
  readonly compacted: Map<string, readonly string[]>;
  /** Snapshots that their table no longer has, or that the branch's history no longer leads to. */
  readonly expired: Set<bigint>;
  hold(uri: string, content: Content | undefined): void;
  register(uri: string, file: Registered): void;
  /** The segments in a file: the file itself, or those that a compaction put into it. */
  sourcesOf(path: string): readonly string[];
  /** All states of the key since that time. */
  since(uri: string, ms: number): readonly KeyState[];
}

export function createHistory(now: () => number): History {
  const keys = new Map<string, KeyState[]>();
  const registered = new Map<string, Registered[]>();
  const compacted = new Map<string, readonly string[]>();
  return {
    keys,
    registered,
    compacted,
    expired: new Set(),
    hold(uri, content) {
      const states = keys.get(uri) ?? [];
      states.push({ fromMs: now(), content });
      keys.set(uri, states);
    },
    register(uri, file) {
      const files = registered.get(uri) ?? [];
      files.push(file);
      registered.set(uri, files);
    },
    sourcesOf: (path) => compacted.get(path) ?? [path],
    since(uri, ms) {
      const states = keys.get(uri) ?? [];
      const first = states.findLastIndex(({ fromMs }) => fromMs <= ms);
      return states.slice(Math.max(0, first));
    },
  };
}
