import type { Snapshot } from '../spec/snapshot.ts';
import { isContinued } from '../spec/snapshot-log.ts';
import { ancestors, type TableState } from '../spec/table-state.ts';
import { type Listing, readListing } from './registration-summary.ts';

/** A snapshot in a branch's history, and how many come before it. */
interface Ancestor {
  readonly snapshot: Snapshot;
  readonly at: number;
}

/**
 * An index of the ancestry of a branch's head, so that the cost of a lookup grows with the number of paths asked for and not with
 * the history. A commit that follows the indexed head only adds its own snapshot; any other change rebuilds the index.
 */
export interface Ancestry {
  readonly oldest: Snapshot | undefined;
  /**
   * The ancestors that can decide something about these paths, newest first: those that list one of them, those that do not
   * list their segments by name, and the oldest. Undefined if timestamps go backwards anywhere, since then any ancestor may
   * prove an absence.
   */
  relevantTo(paths: Iterable<string>): readonly Snapshot[] | undefined;
}

/** Creates the index of one branch, to be called with successive states. @param maxPaths with more paths there is no index */
export function ancestryIndex(maxPaths: number) {
  /** For each path, the newest ancestor that lists it. */
  let listed = new Map<string, Ancestor>();
  let unlisted: Ancestor[] = [];
  let oldest: Ancestor | undefined;
  let newest: Ancestor | undefined;
  let isOrdered = true;
  let of: TableState['snapshots'] | undefined;

  function add(snapshot: Snapshot): void {
    const ancestor = { snapshot, at: newest === undefined ? 0 : newest.at + 1 };
    if (newest !== undefined && newest.snapshot.timestampMs > snapshot.timestampMs) isOrdered = false;
    const listing: Listing = readListing(snapshot.summary);
    if (listing.kind === 'segments') for (const path of listing.etags.keys()) listed.set(path, ancestor);
    else unlisted.push(ancestor);
    oldest ??= ancestor;
    newest = ancestor;
  }

  /** The ancestors that are not indexed yet, newest first; all of them if the index belongs to another history. */
  function missing(state: TableState, head: Snapshot): readonly Snapshot[] {
    const continued = of !== undefined && isContinued(of, state.snapshots);
    const fresh: Snapshot[] = [];
    for (const snapshot of ancestors(state, head)) {
      if (continued && snapshot.snapshotId === newest?.snapshot.snapshotId) return fresh;
      fresh.push(snapshot);
    }
    listed = new Map();
    unlisted = [];
    oldest = undefined;
    newest = undefined;
    isOrdered = true;
    return fresh;
  }

  const ancestry: Ancestry = {
    get oldest() {
      return oldest?.snapshot;
    },
    relevantTo(paths) {
      if (!isOrdered) return undefined;
      const found = new Set(unlisted);
      for (const path of paths) {
        const ancestor = listed.get(path);
        if (ancestor !== undefined) found.add(ancestor);
      }
      if (oldest !== undefined) found.add(oldest);
      return [...found].sort((a, b) => b.at - a.at).map(({ snapshot }) => snapshot);
    },
  };

  return (state: TableState, head: Snapshot): Ancestry | undefined => {
    for (const snapshot of missing(state, head).toReversed()) add(snapshot);
    of = state.snapshots;
    if (listed.size <= maxPaths) return ancestry;
    // The index is too large to keep: the next call starts again.
    of = undefined;
    listed = new Map();
    unlisted = [];
    return undefined;
  };
}
