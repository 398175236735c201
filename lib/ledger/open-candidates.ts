import { plainSpelling } from '../spec/object-uri.ts';
import type { Snapshot } from '../spec/snapshot.ts';
import type { Candidate } from './candidate.ts';
import { hashesMention, type Listing, shortHash } from './registration-summary.ts';

/** How far the clocks of store and catalog may differ without invalidating a proof of absence. */
export const UPLOAD_ALLOWANCE_MS = 15 * 60_000;

/**
 * The candidates that have no verdict yet, indexed so that looking at a snapshot costs as much as the snapshot lists, not one
 * step per candidate.
 */
export interface OpenCandidates {
  /** By path in its plain spelling. */
  readonly byPath: ReadonlyMap<string, Candidate>;
  /** Candidates that the current snapshot or an earlier one may still have registered. */
  readonly unproven: ReadonlyMap<string, Candidate>;
  /** Candidates that a listing of hashes may contain, and whether it has their path only under another ETag. */
  mentionedIn(listing: Listing & { readonly kind: 'hashes' }): readonly Mention[];
  /** Proves absent, for this snapshot and everything before it, whatever was uploaded after the snapshot. */
  proveUploadedAfter(snapshot: Snapshot): void;
  /**
   * Proves absent, for this snapshot and everything before it, whatever an earlier run proved absent at it. The snapshot itself
   * may have expired: its ID is still known as its child's parent.
   */
  proveAbsentAt(snapshotId: bigint | undefined): void;
  proveAll(): void;
  close(path: string): void;
}

export interface Mention {
  readonly path: string;
  readonly candidate: Candidate;
  readonly otherEtag: boolean;
}

/** @param tableUuid proofs of absence for another table are ignored */
export function openCandidates(candidates: readonly Candidate[], tableUuid?: string): OpenCandidates {
  const byPath = new Map(candidates.map((candidate) => [plainSpelling(candidate.uri), candidate]));
  const unproven = new Map(byPath);
  const lastUploads = [...byPath]
    .map(([path, { uploadedMs }]) => ({ path, uploadedMs }))
    .sort((a, b) => a.uploadedMs - b.uploadedMs);
  const byProof = Map.groupBy(byPath.keys(), (path) => {
    const absentAt = byPath.get(path)?.absentAt;
    return absentAt?.tableUuid === tableUuid ? absentAt?.snapshotId : undefined;
  });
  let byHash: ReadonlyMap<number, readonly Pathed[]> | undefined;

  return {
    byPath,
    unproven,
    mentionedIn(listing) {
      byHash ??= Map.groupBy(byPath, ([, { uri }]) => shortHash(uri));
      const hashed = byHash;
      return pathHashesIn(listing, hashed).flatMap((hash) =>
        (hashed.get(hash) ?? []).flatMap(([path, candidate]) => {
          const mention = byPath.has(path) ? hashesMention(listing, hash, candidate.etag) : undefined;
          return mention === undefined ? [] : [{ path, candidate, otherEtag: mention === 'path' }];
        }),
      );
    },
    proveUploadedAfter({ timestampMs }) {
      const sinceMs = Number(timestampMs) + UPLOAD_ALLOWANCE_MS;
      for (let last = lastUploads.at(-1); last !== undefined && last.uploadedMs > sinceMs; ) {
        unproven.delete(last.path);
        lastUploads.pop();
        last = lastUploads.at(-1);
      }
    },
    proveAbsentAt(snapshotId) {
      if (snapshotId === undefined) return;
      for (const path of byProof.get(snapshotId) ?? []) unproven.delete(path);
    },
    proveAll: () => unproven.clear(),
    close(path) {
      byPath.delete(path);
      unproven.delete(path);
    },
  };
}

type Pathed = readonly [path: string, candidate: Candidate];

/** The wanted path hashes that the listing may contain, searched from whichever side is smaller. */
function pathHashesIn(
  { paths }: Listing & { readonly kind: 'hashes' },
  wanted: ReadonlyMap<number, unknown>,
): readonly number[] {
  if (wanted.size < paths.length) return [...wanted.keys()];
  const found = new Set<number>();
  for (const hash of paths) if (wanted.has(hash)) found.add(hash);
  return [...found];
}
