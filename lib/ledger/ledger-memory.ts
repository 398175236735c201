import type { ManifestEntry } from '../spec/manifest.ts';
import { plainSpelling } from '../spec/object-uri.ts';
import type { Snapshot } from '../spec/snapshot.ts';
import { isContinued } from '../spec/snapshot-log.ts';
import type { TableState } from '../spec/table-state.ts';
import { type Ancestry, ancestryIndex } from './ancestry.ts';
import { type Listing, readListing } from './registration-summary.ts';

/**
 * What was read of one table's snapshots. Snapshots never change, so a warm container reads each one once. The number of names
 * kept is bounded; beyond it everything is forgotten, which only costs time.
 */
export interface LedgerMemory {
  listing(snapshot: Snapshot): Listing;
  /** The entries that the snapshot added, by their plain spelling; `read` is called at most once. */
  added(
    snapshot: Snapshot,
    read: () => Promise<readonly ManifestEntry[]>,
  ): Promise<ReadonlyMap<string, ManifestEntry>>;
  /**
   * An index of the ancestry of a branch's head, extended from the previous one while the history is the same; undefined if
   * none is kept.
   */
  ancestry?(state: TableState, head: Snapshot): Ancestry | undefined;
  /** Forgets the snapshots that the table no longer has. */
  retain(state: Pick<TableState, 'snapshots'>): void;
}

/** About 25 MB of paths, for one table. */
const MAX_NAMES = 150_000;

/** @param maxNames @default 150,000 */
export function ledgerMemory(maxNames: number = MAX_NAMES): LedgerMemory {
  const listings = new Map<bigint, Listing>();
  const additions = new Map<bigint, ReadonlyMap<string, ManifestEntry>>();
  let names = 0;
  let retained: TableState['snapshots'] = new Map();

  function hold(count: number): void {
    if (names + count > maxNames) {
      listings.clear();
      additions.clear();
      names = 0;
    }
    names += count;
  }

  return {
    ancestry: ancestryIndex(maxNames),

    listing(snapshot) {
      const known = listings.get(snapshot.snapshotId);
      if (known !== undefined) return known;
      const listing = readListing(snapshot.summary);
      hold(sizeOf(listing));
      listings.set(snapshot.snapshotId, listing);
      return listing;
    },

    async added(snapshot, read) {
      const known = additions.get(snapshot.snapshotId);
      if (known !== undefined) return known;
      const entries = new Map((await read()).map((entry) => [plainSpelling(entry.filePath), entry]));
      if (additions.has(snapshot.snapshotId)) return entries;
      hold(entries.size);
      additions.set(snapshot.snapshotId, entries);
      return entries;
    },

    retain({ snapshots }) {
      const isContinuation = isContinued(retained, snapshots);
      retained = snapshots;
      if (isContinuation) return;
      for (const [id, listing] of listings) {
        if (snapshots.has(id)) continue;
        listings.delete(id);
        names -= sizeOf(listing);
      }
      for (const [id, entries] of additions) {
        if (snapshots.has(id)) continue;
        additions.delete(id);
        names -= entries.size;
      }
    },
  };
}

/** The size counted in names; the listing itself counts as one name. */
function sizeOf(listing: Listing): number {
  if (listing.kind === 'segments') return 1 + listing.etags.size;
  return listing.kind === 'hashes' ? 1 + Math.ceil(listing.paths.length / 8) : 1;
}
