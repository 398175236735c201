import type { RegistrarError } from '../errors.ts';
import type { SegmentReference } from '../event/segment-reference.ts';
import type { PartitionValue } from '../spec/partition-spec.ts';

/** Why a segment is acknowledged without effect. Such segments are counted by rule, never dropped silently (I9). */
export type IgnoredReason =
  | 'unroutable'
  | 'table-data'
  | 'table-metadata'
  | 'quarantine'
  | 'hidden'
  | 'missing'
  | 'empty'
  | 're-uploaded';

/** What became of one segment. Batch response, log and metrics are all made from it. */
export type SegmentOutcome = {
  readonly reference: SegmentReference;
  /** `analytics.orders`; absent when the key names no table. */
  readonly table?: string;
} /** `partition`: by the table's default spec. */ & (
  | {
      readonly kind: 'committed';
      readonly snapshotId: bigint;
      readonly partition: readonly PartitionValue[];
    }
  | { readonly kind: 'already-registered'; readonly snapshotId: bigint }
  | { readonly kind: 'ignored'; readonly reason: IgnoredReason }
  | { readonly kind: 'quarantined'; readonly error: RegistrarError; readonly quarantineUri: string }
  /** Not durable anywhere yet: its message must come again (I3). */
  | { readonly kind: 'failed'; readonly error: RegistrarError }
);

/** One commit, as the log line and the demo show it. */
export interface Registration {
  readonly table: string;
  readonly snapshotId: bigint;
  readonly segments: number;
  readonly rows: bigint;
  readonly bytes: bigint;
  /** `add column x (5)`, … */
  readonly schemaChanges: readonly string[];
  readonly attempts: number;
  readonly durationMs: number;
  /** A warning about registered columns that not every engine reads correctly. */
  readonly warning?: string;
}

/** `committed`, `quarantined`, …; for an ignored segment the reason. */
export function segmentEnd(outcome: SegmentOutcome): string {
  return outcome.kind === 'ignored' ? outcome.reason : outcome.kind;
}

/** The number of segments by outcome: `{"committed":3,"missing":1}`. */
export function countOutcomes(outcomes: readonly SegmentOutcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const end = segmentEnd(outcome);
    counts[end] = (counts[end] ?? 0) + 1;
  }
  return counts;
}
