import type { PartitionValue } from './partition-spec.ts';

/** Column metrics of one data file, by field ID. What is unknown is absent, never zero. */
export interface Metrics {
  readonly recordCount: bigint;
  readonly columnSizes: ReadonlyMap<number, bigint>;
  readonly valueCounts: ReadonlyMap<number, bigint>;
  readonly nullValueCounts: ReadonlyMap<number, bigint>;
  /** Iceberg single-value bytes (spec, Appendix D). */
  readonly lowerBounds: ReadonlyMap<number, Uint8Array>;
  readonly upperBounds: ReadonlyMap<number, Uint8Array>;
  /** Where each row group with rows starts, ascending. */
  readonly splitOffsets: readonly bigint[];
}

/** The `data_file` of a manifest entry, for a Parquet data file (spec, "Manifests"). */
export interface DataFile extends Metrics {
  /** `s3://bucket/key` with the raw key. */
  readonly filePath: string;
  readonly fileSizeInBytes: bigint;
  readonly specId: number;
  /** One value per field of the spec, in order; empty if unpartitioned. */
  readonly partition: readonly PartitionValue[];
}

/** One entry of a manifest list (`manifest_file` of the spec). Counts that a writer left out are undefined. */
export interface ManifestFile {
  readonly manifestPath: string;
  readonly manifestLength: bigint;
  readonly partitionSpecId: number;
  /** 0: data, 1: deletes. */
  readonly content: 0 | 1;
  readonly sequenceNumber: bigint;
  readonly minSequenceNumber: bigint;
  readonly addedSnapshotId: bigint;
  readonly addedFilesCount: number | undefined;
  readonly existingFilesCount: number | undefined;
  readonly deletedFilesCount: number | undefined;
  readonly addedRowsCount: bigint | undefined;
  readonly existingRowsCount: bigint | undefined;
  readonly deletedRowsCount: bigint | undefined;
  readonly firstRowId?: bigint | undefined;
}

/** The parts of a manifest entry that the ledger needs: which file, live or deleted, since which snapshot. */
export interface ManifestEntry {
  /** The manifest that contains the entry. */
  readonly manifestPath: string;
  readonly status: 'existing' | 'added' | 'deleted';
  readonly snapshotId: bigint | undefined;
  readonly filePath: string;
  readonly recordCount: bigint;
  readonly fileSizeInBytes: bigint;
}
