import type { ManifestEntry, Metrics } from '../spec/manifest.ts';
import { plainSpelling } from '../spec/object-uri.ts';
import type { Snapshot } from '../spec/snapshot.ts';
import { ancestors, branchHead, type TableState } from '../spec/table-state.ts';
import { type LedgerMemory, ledgerMemory } from './ledger-memory.ts';
import { hashesMention, type LedgerHashes, type Listing, ledgerHashes } from './registration-summary.ts';

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
  /** Where absence was proven before, so that history is needed only from there: the quarantine's record of it. */
  readonly absentAt?: ProvenAbsence | undefined;
}

/** A table, and the branch's head on which a segment was absent; null for a branch without one. */
export interface ProvenAbsence {
  readonly tableUuid: string;
  readonly snapshotId: bigint | null;
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
  /** The live data files of the branch's head, one manifest in memory at a time. */
  live(head: Snapshot): AsyncIterable<ManifestEntry>;
  /** The metrics of an entry, from its manifest. */
  metrics(entry: ManifestEntry): Promise<Metrics | undefined>;
}

/** Clocks of store and catalog may differ by this much without harm to the proof of absence. */
export const UPLOAD_ALLOWANCE_MS = 15 * 60_000;

/**
 * Says of each candidate whether the branch's ancestry, in this very state, has it (I2). Presence is looked for in every
 * retained ancestor; absence counts only when it is proven (design, "Exactly once, without a database").
 *
 * @param memory of this table, where a container keeps it
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
  const open = new Map(candidates.map((candidate) => [plainSpelling(candidate.uri), askedFor(candidate)]));
  const verdicts = new Map<string, Verdict>();
  const settle = (found: Found): void => {
    for (const [path, verdict] of found) {
      verdicts.set(open.get(path)?.candidate.uri ?? path, verdict);
      open.delete(path);
    }
  };

  for (const snapshot of ancestors(state, head)) {
    if (open.size === 0) break;
    for (const asked of open.values()) {
      asked.proven ||= isOlder(snapshot, asked.candidate) || wasAbsentAt(state, snapshot.snapshotId, asked);
    }
    const listing = memory.listing(snapshot);
    settle(await lookUp(snapshot, listing, open, manifests, memory));
    for (const asked of open.values()) {
      asked.proven ||= isBeginning(snapshot, listing) || wasAbsentAt(state, snapshot.parentSnapshotId, asked);
    }
  }

  const unsettled = [...open].filter(([, { candidate, proven }]) => candidate.copied || !proven);
  if (unsettled.length > 0) settle(await searchLive(head, new Map(unsettled), manifests));
  for (const { candidate, proven } of open.values()) {
    verdicts.set(candidate.uri, { kind: proven ? 'absent' : 'unprovable' });
  }
  return verdicts;
}

/**
 * What any of these snapshots has registered or added, whatever became of it since: for snapshots outside the branch's
 * ancestry, where a segment may be rolled back or on another branch. Those that none of them has are not in the answer.
 */
export async function searchSnapshots(
  snapshots: Iterable<Snapshot>,
  candidates: readonly Candidate[],
  manifests: ManifestReader,
  memory: LedgerMemory,
): Promise<ReadonlyMap<string, Verdict>> {
  const open = new Map(candidates.map((candidate) => [plainSpelling(candidate.uri), askedFor(candidate)]));
  const found = new Map<string, Verdict>();
  for (const snapshot of snapshots) {
    if (open.size === 0) break;
    for (const [path, verdict] of await lookUp(snapshot, memory.listing(snapshot), open, manifests, memory)) {
      found.set(open.get(path)?.candidate.uri ?? path, verdict);
      open.delete(path);
    }
  }
  return found;
}

/** A candidate under way: `proven` once nothing older can have registered it. */
interface Asked {
  readonly candidate: Candidate;
  readonly hashes: LedgerHashes;
  proven: boolean;
}

/** By plain path. */
type Open = ReadonlyMap<string, Asked>;
type Found = readonly (readonly [string, Verdict])[];

function askedFor(candidate: Candidate): Asked {
  return { candidate, hashes: ledgerHashes(candidate), proven: false };
}

function isOlder({ timestampMs }: Snapshot, { uploadedMs }: Candidate): boolean {
  return Number(timestampMs) < uploadedMs - UPLOAD_ALLOWANCE_MS;
}

/** The head of an earlier proof may have expired: its ID is still its child's parent. */
function wasAbsentAt(
  { uuid }: TableState,
  snapshotId: bigint | undefined,
  { candidate: { absentAt } }: Asked,
): boolean {
  return absentAt !== undefined && absentAt.tableUuid === uuid && absentAt.snapshotId === snapshotId;
}

/** Nothing came before it: a first snapshot, or one of ours without a parent. */
export function isBeginning(snapshot: Snapshot, listing: Listing): boolean {
  return (
    snapshot.parentSnapshotId === undefined && (snapshot.sequenceNumber === 1n || listing.kind !== 'none')
  );
}

/** What one snapshot says of the open candidates. Manifests are read only where the summary cannot tell. */
async function lookUp(
  snapshot: Snapshot,
  listing: Listing,
  open: Open,
  manifests: ManifestReader,
  memory: LedgerMemory,
): Promise<Found> {
  const added = () => memory.added(snapshot, () => manifests.added(snapshot));
  if (listing.kind === 'segments') return lookUpSegments(snapshot, listing.etags, open, added);
  const suspects = [...open].filter(([, { hashes, proven }]) => {
    if (listing.kind === 'hashes') return hashesMention(listing, hashes) !== undefined;
    return listing.kind === 'count' || (!proven && !addsNothing(snapshot));
  });
  if (suspects.length === 0) return [];

  const entries = await added();
  return suspects.flatMap(([path, { candidate, hashes }]) => {
    const entry = entries.get(path);
    if (entry === undefined) return [];
    const otherEtag = listing.kind === 'hashes' && hashesMention(listing, hashes) === 'path';
    return [[path, foundAs(candidate, snapshot.snapshotId, entry, otherEtag)] as const];
  });
}

/** An entry carries no ETag: where the ledger has none either, the size tells an overwritten object. */
function foundAs(candidate: Candidate, snapshotId: bigint, entry: ManifestEntry, otherEtag = false): Verdict {
  return otherEtag || entry.fileSizeInBytes !== BigInt(candidate.sizeBytes)
    ? { kind: 'replaced', snapshotId, entry }
    : { kind: 'registered', snapshotId };
}

async function lookUpSegments(
  { snapshotId }: Snapshot,
  etags: ReadonlyMap<string, string>,
  open: Open,
  added: () => Promise<ReadonlyMap<string, ManifestEntry>>,
): Promise<Found> {
  const found: [string, Verdict][] = [];
  for (const [path, { candidate }] of open) {
    const etag = etags.get(path);
    if (etag === candidate.etag) found.push([path, { kind: 'registered', snapshotId }]);
    else if (etag !== undefined) {
      found.push([path, { kind: 'replaced', snapshotId, entry: (await added()).get(path) }]);
    }
  }
  return found;
}

/** By its own summary; an absent count is unknown, not zero. */
function addsNothing(snapshot: Snapshot): boolean {
  return snapshot.summary['added-data-files'] === '0';
}

async function searchLive(head: Snapshot, wanted: Open, manifests: ManifestReader): Promise<Found> {
  const found = new Map<string, Verdict>();
  for await (const entry of manifests.live(head)) {
    const path = plainSpelling(entry.filePath);
    const asked = wanted.get(path);
    if (asked === undefined) continue;
    found.set(path, foundAs(asked.candidate, entry.snapshotId ?? head.snapshotId, entry));
    if (found.size === wanted.size) break;
  }
  return [...found];
}
