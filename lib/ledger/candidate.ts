/** A segment for which the ledger is asked whether it is in the table. */
export interface Candidate {
  readonly uri: string;
  /** ETag of the footer read. */
  readonly etag: string;
  readonly sizeBytes: number;
  /** Last-Modified of the footer read. */
  readonly uploadedMs: number;
  /** The object was copied within the store, so its upload time says nothing about earlier registrations of the same path. */
  readonly copied: boolean;
  /** An earlier proof of absence, from the quarantine record: history is needed only from there on. */
  readonly absentAt?: ProvenAbsence | undefined;
}

/** The table, and the head of the branch at which a segment was proven absent; null if the branch had no snapshot. */
export interface ProvenAbsence {
  readonly tableUuid: string;
  readonly snapshotId: bigint | null;
}
