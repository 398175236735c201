import type { ManifestEntry } from '../spec/manifest.ts';
import type { Snapshot } from '../spec/snapshot.ts';
import { ancestors, branchHead, type TableState } from '../spec/table-state.ts';
import { hashesMention, type Listing, plainSpelling, readListing } from './registration-summary.ts';

/** A segment that asks whether it is in the table. */
export interface Candidate {
  readonly uri: string;
  /** ETag of the footer read. */
  readonly etag: string;
  readonly sizeBytes: number;
  /** Last-Modified of the footer read. */
  readonly uploadedMs: number;
  /** It came by a copy within the store: its upload time says nothing about earlier registrations of the same path. */
  readonly copied: boolean;
}

export type Verdict =
  /** Proven: no snapshot of the branch registered it. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'registered'; readonly snapshotId: bigint }
  /** The path is registered under another ETag: `entry` is what the table has, when a manifest told. */
  | { readonly kind: 'replaced'; readonly snapshotId: bigint; readonly entry: ManifestEntry | undefined }
  /** Neither found nor proven absent: history has expired since the upload, and compaction may have replaced it. */
  | { readonly kind: 'unprovable' };

/** How the ledger reads manifests; few reads, cached by the caller since snapshots never change. */
export interface ManifestReader {
  /** The entries that this very snapshot added. */
  added(snapshot: Snapshot): Promise<readonly ManifestEntry[]>;
  /** The live data files of the branch's head. */
  live(head: Snapshot): AsyncIterable<ManifestEntry>;
}

/** Clocks of store and catalog may differ by this much without harm to the proof of absence. */
export const UPLOAD_ALLOWANCE_MS = 15 * 60_000;

/**
 * Says of each candidate whether the branch's ancestry, in this very state, has it (I2). Presence is looked for in every
 * retained ancestor; absence counts only when it is proven (design, "Exactly once, without a database").
 */
export async function consultLedger(
  state: TableState,
  branch: string,
  candidates: readonly Candidate[],
  manifests: ManifestReader,
): Promise<ReadonlyMap<string, Verdict>> {
  const head = branchHead(state, branch);
  if (head === undefined) return new Map(candidates.map(({ uri }) => [uri, { kind: 'absent' }]));

  const verdicts = new Map<string, Verdict>();
  const open = new Map(candidates.map((candidate) => [plainSpelling(candidate.uri), candidate]));
  const provenAbsent = new Set<string>();
  const settle = (candidate: Candidate, verdict: Verdict): void => {
    verdicts.set(candidate.uri, verdict);
    open.delete(plainSpelling(candidate.uri));
  };

  for (const snapshot of ancestors(state, head)) {
    if (open.size === 0) break;
    for (const [path, candidate] of open) {
      if (Number(snapshot.timestampMs) < candidate.uploadedMs - UPLOAD_ALLOWANCE_MS) provenAbsent.add(path);
    }
    const listing = readListing(snapshot.summary);
    for (const [candidate, verdict] of await lookUp(snapshot, listing, open, provenAbsent, manifests)) {
      settle(candidate, verdict);
    }
    if (isBeginning(snapshot, listing)) for (const path of open.keys()) provenAbsent.add(path);
  }

  const searched = [...open].filter(([path, candidate]) => candidate.copied || !provenAbsent.has(path));
  if (searched.length > 0) {
    for (const [candidate, verdict] of await searchLive(head, new Map(searched), manifests)) {
      settle(candidate, verdict);
    }
  }
  for (const [path, candidate] of open) {
    verdicts.set(candidate.uri, { kind: provenAbsent.has(path) ? 'absent' : 'unprovable' });
  }
  return verdicts;
}

/** Nothing came before it: a first snapshot, or one of ours without a parent. */
function isBeginning(snapshot: Snapshot, listing: Listing): boolean {
  return (
    snapshot.parentSnapshotId === undefined && (snapshot.sequenceNumber === 1n || listing.kind !== 'none')
  );
}

/** What one snapshot says of the open candidates. Manifests are read only where the summary cannot tell. */
async function lookUp(
  snapshot: Snapshot,
  listing: Listing,
  open: ReadonlyMap<string, Candidate>,
  provenAbsent: ReadonlySet<string>,
  manifests: ManifestReader,
): Promise<readonly (readonly [Candidate, Verdict])[]> {
  if (listing.kind === 'segments') return lookUpSegments(snapshot, listing.etags, open, manifests);
  const suspects = [...open].filter(([path, candidate]) => {
    if (listing.kind === 'hashes') {
      return hashesMention(listing, { uri: path, etag: candidate.etag }) !== undefined;
    }
    return listing.kind === 'count' || (!provenAbsent.has(path) && !addsNothing(snapshot));
  });
  if (suspects.length === 0) return [];

  const added = new Map(
    (await manifests.added(snapshot)).map((entry) => [plainSpelling(entry.filePath), entry]),
  );
  const found: [Candidate, Verdict][] = [];
  for (const [path, candidate] of suspects) {
    const entry = added.get(path);
    if (entry === undefined) continue;
    const otherEtag =
      listing.kind === 'hashes' && hashesMention(listing, { uri: path, etag: candidate.etag }) === 'path';
    found.push([candidate, foundAs(candidate, snapshot.snapshotId, entry, otherEtag)]);
  }
  return found;
}

/** An entry carries no ETag: where the ledger has none either, the size tells an overwritten object. */
function foundAs(candidate: Candidate, snapshotId: bigint, entry: ManifestEntry, otherEtag = false): Verdict {
  return otherEtag || entry.fileSizeInBytes !== BigInt(candidate.sizeBytes)
    ? { kind: 'replaced', snapshotId, entry }
    : { kind: 'registered', snapshotId };
}

async function lookUpSegments(
  snapshot: Snapshot,
  etags: ReadonlyMap<string, string>,
  open: ReadonlyMap<string, Candidate>,
  manifests: ManifestReader,
): Promise<readonly (readonly [Candidate, Verdict])[]> {
  const found: [Candidate, Verdict][] = [];
  for (const [path, candidate] of open) {
    const etag = etags.get(path);
    if (etag === undefined) continue;
    if (etag === candidate.etag) {
      found.push([candidate, { kind: 'registered', snapshotId: snapshot.snapshotId }]);
    } else {
      const entry = (await manifests.added(snapshot)).find((added) => plainSpelling(added.filePath) === path);
      found.push([candidate, { kind: 'replaced', snapshotId: snapshot.snapshotId, entry }]);
    }
  }
  return found;
}

/** By its own summary; an absent count is unknown, not zero. */
function addsNothing(snapshot: Snapshot): boolean {
  return snapshot.summary['added-data-files'] === '0';
}

async function searchLive(
  head: Snapshot,
  wanted: ReadonlyMap<string, Candidate>,
  manifests: ManifestReader,
): Promise<readonly (readonly [Candidate, Verdict])[]> {
  const found: [Candidate, Verdict][] = [];
  for await (const entry of manifests.live(head)) {
    const candidate = wanted.get(plainSpelling(entry.filePath));
    if (candidate === undefined) continue;
    found.push([candidate, foundAs(candidate, entry.snapshotId ?? head.snapshotId, entry)]);
    if (found.length === wanted.size) break;
  }
  return found;
}
