import type { ManifestEntry, Metrics } from '../spec/manifest.ts';
import { plainSpelling } from '../spec/object-uri.ts';
import type { Snapshot } from '../spec/snapshot.ts';
import { ancestors, branchHead, type TableState } from '../spec/table-state.ts';
import type { Candidate } from './candidate.ts';
import { type LedgerMemory, ledgerMemory } from './ledger-memory.ts';
import { type OpenCandidates, openCandidates } from './open-candidates.ts';
import { type Listing, mayHold } from './registration-summary.ts';

export type Verdict =
  /** Proven: no snapshot of the branch registered it. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'registered'; readonly snapshotId: bigint }
  /** The path is registered under another ETag. `entry` is the table's entry, if a manifest was read. */
  | { readonly kind: 'replaced'; readonly snapshotId: bigint; readonly entry: ManifestEntry | undefined }
  /** Neither found nor proven absent: history has expired since the upload, and compaction may have replaced it. */
  | { readonly kind: 'unprovable' };

/** How the ledger reads manifests. It reads few, and the caller caches them, since snapshots never change. */
export interface ManifestReader {
  /** The entries that this very snapshot added. */
  added(snapshot: Snapshot): Promise<readonly ManifestEntry[]>;
  /** The live data files of the branch's head, one manifest in memory at a time. */
  live(head: Snapshot): AsyncIterable<ManifestEntry>;
  /** The metrics of an entry, from its manifest. */
  metrics(entry: ManifestEntry): Promise<Metrics | undefined>;
}

/**
 * Decides for each candidate whether the branch's ancestry in this state contains it (I2). Presence is looked for in every
 * retained ancestor; absence counts only when it is proven (docs/exactly-once.md, "The ledger").
 *
 * @param memory the ledger memory of this table, if the container keeps one
 */
export async function consultLedger(
  state: TableState,
  branch: string,
  candidates: readonly Candidate[],
  manifests: ManifestReader,
  memory: LedgerMemory = ledgerMemory(),
): Promise<ReadonlyMap<string, Verdict>> {
  const head = branchHead(state, branch);
  if (head === undefined) return new Map(candidates.map(({ uri }) => [uri, { kind: 'absent' }]));

  memory.retain(state);
  const open = openCandidates(candidates, state.uuid);
  const verdicts = new Map<string, Verdict>();
  for (const snapshot of relevantAncestors(state, head, open, memory)) {
    if (open.byPath.size === 0) break;
    open.proveUploadedAfter(snapshot);
    open.proveAbsentAt(snapshot.snapshotId);
    const listing = memory.listing(snapshot);
    settle(open, verdicts, await lookUp(snapshot, listing, open, manifests, memory));
    if (isBeginning(snapshot, listing)) open.proveAll();
    open.proveAbsentAt(snapshot.parentSnapshotId);
  }

  const { byPath, unproven } = open;
  const unsettled = [...byPath].filter(([path, { copied }]) => copied || unproven.has(path));
  if (unsettled.length > 0) settle(open, verdicts, await searchLive(head, new Map(unsettled), manifests));
  for (const [path, { uri }] of byPath) {
    verdicts.set(uri, { kind: unproven.has(path) ? 'unprovable' : 'absent' });
  }
  return verdicts;
}

/**
 * The ancestors that can decide something about the open candidates; all ancestors when a candidate carries an earlier proof of
 * absence, since any of them may be the snapshot that the proof names.
 */
function relevantAncestors(
  state: TableState,
  head: Snapshot,
  { byPath }: OpenCandidates,
  memory: LedgerMemory,
): Iterable<Snapshot> {
  const provenAt = byPath.values().some(({ absentAt }) => absentAt !== undefined);
  const ancestry = provenAt ? undefined : memory.ancestry?.(state, head);
  return ancestry?.relevantTo(byPath.keys()) ?? ancestors(state, head);
}

/**
 * Finds the candidates that any of these snapshots registered or added, whatever happened to them since. For snapshots outside
 * the branch's ancestry: there a segment may be rolled back or on another branch. Candidates found in none of them are left out
 * of the answer.
 */
export async function searchSnapshots(
  snapshots: Iterable<Snapshot>,
  candidates: readonly Candidate[],
  manifests: ManifestReader,
  memory: LedgerMemory,
): Promise<ReadonlyMap<string, Verdict>> {
  const open = openCandidates(candidates);
  const verdicts = new Map<string, Verdict>();
  for (const snapshot of snapshots) {
    if (open.byPath.size === 0) break;
    const found = await lookUp(snapshot, memory.listing(snapshot), open, manifests, memory);
    settle(open, verdicts, found);
  }
  return verdicts;
}

/** The verdicts on the candidates that were found, by plain path. */
type Found = readonly (readonly [string, Verdict])[];

function settle(open: OpenCandidates, verdicts: Map<string, Verdict>, found: Found): void {
  for (const [path, verdict] of found) {
    verdicts.set(open.byPath.get(path)?.uri ?? path, verdict);
    open.close(path);
  }
}

/**
 * Whether nothing came before this snapshot: it is the table's first one, or one of ours without a parent. Nessie shows the head alone and
 * leaves out its parent: then the table has more files than the snapshot added.
 */
export function isBeginning(
  { parentSnapshotId, sequenceNumber, summary }: Snapshot,
  listing: Listing,
): boolean {
  if (parentSnapshotId !== undefined) return false;
  return (
    sequenceNumber === 1n ||
    (listing.kind !== 'none' && summary['total-data-files'] === summary['added-data-files'])
  );
}

/** Looks up the open candidates in one snapshot. Manifests are read only where the summary cannot tell. */
async function lookUp(
  snapshot: Snapshot,
  listing: Listing,
  open: OpenCandidates,
  manifests: ManifestReader,
  memory: LedgerMemory,
): Promise<Found> {
  const { snapshotId } = snapshot;
  const added = () => memory.added(snapshot, () => manifests.added(snapshot));
  if (listing.kind === 'segments') return lookUpSegments(snapshotId, listing.etags, open, added);
  if (listing.kind === 'hashes') return lookUpHashes(snapshotId, listing, open, added);
  const suspects =
    listing.kind === 'count' ? inRange(listing, open) : addsNothing(snapshot) ? NONE : open.unproven;
  if (suspects.size === 0) return [];
  return inBoth(suspects, await added()).map(
    ([path, candidate, entry]) => [path, foundAs(candidate, snapshotId, entry)] as const,
  );
}

const NONE: ReadonlyMap<string, Candidate> = new Map();

function inRange(
  listing: Listing & { readonly kind: 'count' },
  { byPath }: OpenCandidates,
): ReadonlyMap<string, Candidate> {
  if (listing.range === undefined) return byPath;
  return new Map(byPath.entries().filter(([path]) => mayHold(listing, path)));
}

async function lookUpSegments(
  snapshotId: bigint,
  etags: ReadonlyMap<string, string>,
  { byPath }: OpenCandidates,
  added: () => Promise<ReadonlyMap<string, ManifestEntry>>,
): Promise<Found> {
  const found: [string, Verdict][] = [];
  for (const [path, candidate, etag] of inBoth(byPath, etags)) {
    if (etag === candidate.etag) found.push([path, { kind: 'registered', snapshotId }]);
    else found.push([path, { kind: 'replaced', snapshotId, entry: (await added()).get(path) }]);
  }
  return found;
}

async function lookUpHashes(
  snapshotId: bigint,
  listing: Listing & { readonly kind: 'hashes' },
  open: OpenCandidates,
  added: () => Promise<ReadonlyMap<string, ManifestEntry>>,
): Promise<Found> {
  const mentions = open.mentionedIn(listing);
  if (mentions.length === 0) return [];
  const entries = await added();
  return mentions.flatMap(({ path, candidate, otherEtag }) => {
    const entry = entries.get(path);
    return entry === undefined ? [] : [[path, foundAs(candidate, snapshotId, entry, otherEtag)] as const];
  });
}

/** The keys that both maps have, with both values. Takes as many steps as the smaller map has keys. */
function inBoth<A, B>(
  one: ReadonlyMap<string, A>,
  other: ReadonlyMap<string, B>,
): readonly (readonly [string, A, B])[] {
  const found: (readonly [string, A, B])[] = [];
  for (const key of (one.size < other.size ? one : other).keys()) {
    const [a, b] = [one.get(key), other.get(key)];
    if (a !== undefined && b !== undefined) found.push([key, a, b]);
  }
  return found;
}

/** Manifest entries have no ETag. If the ledger has none either, only a different size shows that the object was overwritten. */
function foundAs(candidate: Candidate, snapshotId: bigint, entry: ManifestEntry, otherEtag = false): Verdict {
  return otherEtag || entry.fileSizeInBytes !== BigInt(candidate.sizeBytes)
    ? { kind: 'replaced', snapshotId, entry }
    : { kind: 'registered', snapshotId };
}

/** Whether the snapshot's summary says that it added no files. A missing count is unknown, not zero. */
function addsNothing(snapshot: Snapshot): boolean {
  return snapshot.summary['added-data-files'] === '0';
}

async function searchLive(
  head: Snapshot,
  wanted: ReadonlyMap<string, Candidate>,
  manifests: ManifestReader,
): Promise<Found> {
  const found = new Map<string, Verdict>();
  for await (const entry of manifests.live(head)) {
    const path = plainSpelling(entry.filePath);
    const candidate = wanted.get(path);
    if (candidate === undefined) continue;
    found.set(path, foundAs(candidate, entry.snapshotId ?? head.snapshotId, entry));
    if (found.size === wanted.size) break;
  }
  return [...found];
}
