import type { Content } from './contents.ts';

/** What a key holds from some time on; undefined when the object was removed. */
export interface KeyState {
  readonly fromMs: number;
  readonly content: Content | undefined;
}

/** A file that a commit put into a table. */
export interface Registered {
  readonly by: 'registrar' | 'others';
  readonly snapshotId: bigint;
  /** As the snapshot's own summary has it; undefined where it does not name segments. */
  readonly etag: string | undefined;
  readonly sizeBytes: number;
  readonly rows: number;
}

/** What was shipped, and what became of it: the truth that tables, queues and quarantine are held against. */
export interface History {
  /** By URI, oldest state first. */
  readonly keys: ReadonlyMap<string, readonly KeyState[]>;
  readonly registered: ReadonlyMap<string, readonly Registered[]>;
  /** What table files written by others hold instead of themselves: the segments that a compaction read. */
  readonly compacted: Map<string, readonly string[]>;
  /** Snapshots that a table no longer has. */
  readonly expired: Set<bigint>;
  hold(uri: string, content: Content | undefined): void;
  register(uri: string, file: Registered): void;
  /** The segments that a file holds: itself, or what a compaction read. */
  sourcesOf(path: string): readonly string[];
  /** What the key held at any time since. */
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
