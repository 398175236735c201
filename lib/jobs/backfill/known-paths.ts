import pLimit from 'p-limit';
import { readManifestEntries } from '../../append/manifest.ts';
import { manifestFiles } from '../../append/manifest-list.ts';
import type { ManifestReader } from '../../ledger/ledger.ts';
import { type LedgerMemory, ledgerMemory } from '../../ledger/ledger-memory.ts';
import { type PathIndex, pathIndex } from '../../ledger/path-index.ts';
import { type Listing, readListing } from '../../ledger/registration-summary.ts';
import type { Store } from '../../ports.ts';
import type { ManifestEntry } from '../../spec/manifest.ts';
import type { Snapshot } from '../../spec/snapshot.ts';
import { ancestors, branchHead, type TableState } from '../../spec/table-state.ts';
import { manifestReader, readList, readWhole } from '../register/table-manifests.ts';

/**
 * Every path in the manifests of a table, collected in one pass over them, in 18 bytes per path whatever its length. For a path
 * that is not among them, only later commits have to be searched.
 */
export interface KnownPaths {
  /**
   * Looks up a path; undefined if no manifest of the pass has it and it was not noted since. Without a size, any size counts as
   * the same.
   */
  find(uri: string, sizeBytes: number | undefined): 'same size' | 'other size' | undefined;
  /** Notes a path that was put in a batch, so that it is put in no other batch. */
  note(uri: string, sizeBytes: number | undefined): void;
  /** Notes the snapshot that registered a batch, whose paths were noted before. */
  landed(snapshotId: bigint): void;
  /**
   * Whether the state's branch continues from what is known. A branch that was rolled back, or whose history up to that point
   * has expired, does not and must be searched again.
   */
  isKnown(state: TableState): boolean;
  /**
   * For candidates that are not found: a manifest reader and memory with which the ledger reads no manifest of a known
   * snapshot.
   */
  ledgerOf(state: TableState): { readonly manifests: ManifestReader; readonly memory: LedgerMemory };
}

const CONCURRENT_MANIFESTS = 4;

/**
 * @param state undefined for a table that does not exist yet
 * @throws `store.unavailable`, `auth.failed`, `table.unsupported`
 */
export async function knownPaths(
  state: TableState | undefined,
  branch: string,
  store: Pick<Store, 'read'>,
): Promise<KnownPaths> {
  const head = state && branchHead(state, branch);
  const index = pathIndex(totalFiles(head));
  const covered =
    state === undefined || head === undefined
      ? new Map<bigint, Listing>()
      : await cover(ancestors(state, head), head, index, store);
  const manifests = manifestReader(store);
  const uncovered = ledgerMemory();
  const memory: LedgerMemory = {
    listing: (snapshot) => covered.get(snapshot.snapshotId) ?? uncovered.listing(snapshot),
    added: async (snapshot, read) =>
      covered.has(snapshot.snapshotId) ? NOTHING_ADDED : uncovered.added(snapshot, read),
    retain: (now) => uncovered.retain(now),
  };
  let last = head?.snapshotId;

  const isKnown = (now: TableState): boolean =>
    (state === undefined || now.uuid === state.uuid) &&
    (last === undefined && branchHead(now, branch) === undefined
      ? true
      : ancestors(now, branchHead(now, branch)).some(
          ({ snapshotId, parentSnapshotId }) => snapshotId === last || parentSnapshotId === last,
        ));

  return {
    find(uri, sizeBytes) {
      const found = index.see(uri, sizeBytes ?? 0);
      return found === 'other size' && sizeBytes === undefined ? 'same size' : found;
    },
    note: (uri, sizeBytes = 0) => {
      index.add(uri, sizeBytes);
    },
    landed(snapshotId) {
      covered.set(snapshotId, NOTHING_LISTED);
      last = snapshotId;
    },
    isKnown,
    ledgerOf: (now) =>
      isKnown(now)
        ? { manifests: { ...manifests, async *live() {} }, memory }
        : { manifests, memory: ledgerMemory() },
  };
}

const NOTHING_LISTED: Listing = { kind: 'segments', etags: new Map() };
const NOTHING_ADDED: ReadonlyMap<string, ManifestEntry> = new Map();

function totalFiles(head: Snapshot | undefined): number {
  const total = Number(head?.summary['total-data-files'] ?? 0);
  return Number.isSafeInteger(total) ? total : 0;
}

/**
 * Adds every path that the manifests of the branch's head or of an ancestor name. Returns the ancestors that need no further
 * look. One whose summary lists its segments needs none either, and may be missing from the answer.
 */
async function cover(
  history: Iterable<Snapshot>,
  head: Snapshot,
  index: PathIndex,
  store: Pick<Store, 'read'>,
): Promise<Map<bigint, Listing>> {
  const met = await indexManifests(head, index, store);
  const covered = new Map<bigint, Listing>();
  const manifests = manifestReader(store);
  await pLimit(CONCURRENT_MANIFESTS).map(history, async (snapshot) => {
    const { kind } = readListing(snapshot.summary);
    if (!wasMet(snapshot, met)) {
      if (kind === 'segments' || kind === 'hashes') return;
      for (const { filePath, fileSizeInBytes } of await manifests.added(snapshot)) {
        index.add(filePath, Number(fileSizeInBytes));
      }
    }
    covered.set(snapshot.snapshotId, kind === 'none' ? { kind } : NOTHING_LISTED);
  });
  return covered;
}

/** Adds every path in the head's data manifests, removed ones too. Returns how many entries of each snapshot it met. */
async function indexManifests(
  head: Snapshot,
  index: PathIndex,
  store: Pick<Store, 'read'>,
): Promise<ReadonlyMap<bigint, number>> {
  const met = new Map<bigint, number>();
  const list = await readList(store, head);
  const data = list === undefined ? [] : manifestFiles(list).filter(({ content }) => content === 0);
  await pLimit(CONCURRENT_MANIFESTS).map(data, async ({ manifestPath, addedSnapshotId }) => {
    for (const entry of readManifestEntries(await readWhole(store, manifestPath), manifestPath)) {
      index.add(entry.filePath, Number(entry.fileSizeInBytes));
      // Of a removed entry the snapshot is the one that removed it (spec, "Manifest Entry Fields").
      if (entry.status === 'deleted') continue;
      const snapshotId = entry.snapshotId ?? addedSnapshotId;
      met.set(snapshotId, (met.get(snapshotId) ?? 0) + 1);
    }
  });
  return met;
}

/** Whether every entry that a snapshot added was met. A missing count is unknown, not zero. */
function wasMet({ snapshotId, summary }: Snapshot, met: ReadonlyMap<bigint, number>): boolean {
  const added = summary['added-data-files'];
  return added !== undefined && Number(added) <= (met.get(snapshotId) ?? 0);
}
