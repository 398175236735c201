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
