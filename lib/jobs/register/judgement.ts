import { partitionTuple } from '../../append/partition-tuple.ts';
import { type ResolvedPartitionField, resolvePartitionFields } from '../../append/transform.ts';
import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import type { SegmentReference } from '../../event/segment-reference.ts';
import type { Candidate } from '../../ledger/candidate.ts';
import { consultLedger, type ManifestReader } from '../../ledger/ledger.ts';
import type { LedgerMemory } from '../../ledger/ledger-memory.ts';
import type { IgnoredReason } from '../../report/outcome.ts';
import { ownFileTest } from '../../route/table-paths.ts';
import { type MergeOptions, mergeSchemas, type SchemaMerge } from '../../schema/merge.ts';
import { columnRanges } from '../../segment/column-range.ts';
import { type Segment, withFieldIds } from '../../segment/segment.ts';
import type { PartitionValue } from '../../spec/partition-spec.ts';
import type { Schema } from '../../spec/schema.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import type { TableState } from '../../spec/table-state.ts';
import { ofSegment, readSegment } from './decoded-segment.ts';
import { isReupload } from './re-upload.ts';
import type { SegmentRead } from './read-footers.ts';

/** What one attempt decides about each segment of its batch, all of it on one state of the table. */
export interface Judgement {
  readonly registered: ReadonlyMap<string, bigint>;
  readonly ignored: ReadonlyMap<string, IgnoredReason>;
  readonly condemned: ReadonlyMap<string, RegistrarError>;
  /** Segments that no snapshot of the branch registered, condemned ones included. */
  readonly provenAbsent: ReadonlySet<string>;
  /** The segments that this attempt commits: proven absent, and fitting the schema. */
  readonly accepted: readonly AcceptedSegment[];
  readonly merge: SchemaMerge;
}

export interface AcceptedSegment {
  /** With the table's field IDs. */
  readonly segment: Segment;
  /** One value per field of the table's default spec. */
  readonly partition: readonly PartitionValue[];
}

export interface JudgementOptions {
  readonly entry: Entry;
  /** Where the segments are uploaded, without a trailing slash. */
  readonly directory: string;
  readonly manifests: ManifestReader;
  readonly memory: LedgerMemory;
  /**
   * The answer to an earlier commit was lost, and that commit may be the table's newest one. Segments that cannot be proven
   * absent must then not be quarantined.
   */
  readonly afterUnknown: boolean;
}

/**
 * Judges each segment by ledger, types and schema: is it already in the table, can the table's format hold it, does it fit?
 *
 * @throws `catalog.commit_unknown` when it cannot be told whether an earlier attempt committed a segment
 */
export async function judge(
  state: TableState,
  segments: readonly SegmentRead[],
  { entry, directory, manifests, memory, afterUnknown }: JudgementOptions,
): Promise<Judgement> {
  const registered = new Map<string, bigint>();
  const ignored = new Map<string, IgnoredReason>();
  const condemned = new Map<string, RegistrarError>();
  const provenAbsent = new Set<string>();
  const fitting: Segment[] = [];

  const isOwnFile = ownFileTest(state, directory);
  const shipped = segments.filter(({ uri }) => {
    const isOwn = isOwnFile(uri);
    if (isOwn) ignored.set(uri, 'table-data');
    return !isOwn;
  });
  const verdicts = await consultLedger(state, entry.branch, shipped.map(candidateOf), manifests, memory);
  for (const shippedSegment of shipped) {
    const { uri } = shippedSegment;
    const verdict = verdicts.get(uri) ?? { kind: 'unprovable' };
    if (verdict.kind === 'registered') {
      registered.set(uri, verdict.snapshotId);
      continue;
    }
    if (verdict.kind === 'unprovable') {
      if (afterUnknown) throw commitUnknown(uri, state);
      if (entry.on_unprovable === 'quarantine') {
        condemned.set(uri, unprovable(uri, state));
        continue;
      }
    }
    if (verdict.kind === 'absent') {
      provenAbsent.add(uri);
      const { copied: isCopy, absentAt } = shippedSegment.reference;
      // A segment that carries a proof of absence was redriven: a person has checked it.
      if (isCopy === true && absentAt === undefined && entry.copies === 'quarantine') {
        condemned.set(uri, copied(uri, state));
        continue;
      }
    }
    const segment = readSegment(shippedSegment, state, entry);
    if (segment instanceof RegistrarError) condemned.set(uri, segment);
    else if (segment === 'empty') ignored.set(uri, 'empty');
    else if (verdict.kind !== 'replaced') fitting.push(segment);
    else if (await isReupload(underTableIds(segment, state, entry), verdict, state, manifests))
      ignored.set(uri, 're-uploaded');
    else condemned.set(uri, replaced(segment, verdict.snapshotId, state));
  }

  const { merge, accepted, refused } = fit(state, fitting, entry);
  for (const [uri, error] of refused) condemned.set(uri, error);
  return { registered, ignored, condemned, provenAbsent, accepted, merge };
}

export interface Fitted extends Pick<Judgement, 'merge' | 'accepted'> {
  readonly refused: ReadonlyMap<string, RegistrarError>;
}

/**
 * The segment with the table's field IDs. Undefined if the file has no field IDs and does not fit, because then nothing says
 * which columns it has.
 */
function underTableIds(segment: Segment, state: TableState, entry: Entry): Segment | undefined {
  if (segment.idsFrom === 'file') return segment;
  const ids = mergeSchemas(state, [segment], mergeOptions(entry)).fieldIdsOf.get(segment.uri);
  return ids && withFieldIds(segment, ids);
}

function mergeOptions(entry: Entry): MergeOptions {
  return { fieldIds: entry.field_ids, caseSensitiveNames: entry.case_sensitive_names };
}

/**
 * Merges the schemas and determines each segment's partition. A segment without a definite partition also loses its part in the
 * merge.
 */
export function fit(state: TableState, segments: readonly Segment[], entry: Entry): Fitted {
  const merge = mergeSchemas(state, segments, mergeOptions(entry));
  const fields = resolvePartitionFields(state.defaultSpec, merge.schema);
  const accepted: AcceptedSegment[] = [];
  const unplaced = new Map<string, RegistrarError>();
  for (const merged of segments) {
    const { uri } = merged;
    if (merge.refused.has(uri)) continue;
    const ids = merge.fieldIdsOf.get(uri);
    const segment = ids === undefined ? merged : withFieldIds(merged, ids);
    try {
      accepted.push({ segment, partition: partitionOf(segment, fields, merge.schema) });
    } catch (error) {
      unplaced.set(uri, ofSegment(error));
    }
  }
  if (unplaced.size === 0) return { merge, accepted, refused: merge.refused };
  const rest = fit(
    state,
    segments.filter(({ uri }) => !unplaced.has(uri)),
    entry,
  );
  return { ...rest, refused: new Map([...rest.refused, ...unplaced]) };
}

function partitionOf(
  segment: Segment,
  fields: readonly ResolvedPartitionField[],
  schema: Schema,
): readonly PartitionValue[] {
  if (fields.length === 0) return [];
  const { uri, reference } = segment;
  return partitionTuple({ uri, key: reference.key, fields, columns: columnRanges(segment, schema) });
}

function candidateOf({ uri, reference, read }: SegmentRead): Candidate {
  const { etag, sizeBytes, lastModifiedMs } = read;
  const { copied = false, absentAt } = reference;
  return { uri, etag, sizeBytes, uploadedMs: lastModifiedMs, copied, absentAt: provenAbsence(absentAt) };
}

function provenAbsence(absentAt: SegmentReference['absentAt']): Candidate['absentAt'] {
  if (absentAt === undefined) return undefined;
  const { tableUuid, snapshotId } = absentAt;
  return { tableUuid, snapshotId: snapshotId === null ? null : BigInt(snapshotId) };
}

function replaced({ uri, etag }: Segment, snapshotId: bigint, state: TableState): RegistrarError {
  const table = formatIdentifier(state.identifier);
  return new RegistrarError(
    'segment.replaced',
    `Cannot register "${uri}" (ETag "${etag}") in table "${table}": snapshot ${snapshotId} registered different contents under this key; ` +
      'upload changed data under a new key, or replace the entry in the table',
    { context: { uri, etag, table, snapshotId } },
  );
}

function unprovable(uri: string, state: TableState): RegistrarError {
  const table = formatIdentifier(state.identifier);
  return new RegistrarError(
    'registration.unprovable',
    `Cannot prove that "${uri}" is not in table "${table}" yet: what the table keeps of its history does not reach back to before the upload; ` +
      'check whether its rows are in the table, then redrive or discard it, or keep snapshots longer than segments wait',
    { context: { uri, table } },
  );
}

function copied(uri: string, state: TableState): RegistrarError {
  const table = formatIdentifier(state.identifier);
  return new RegistrarError(
    'registration.unprovable',
    `Cannot prove that "${uri}" is not in table "${table}" yet: it was copied, so its upload time says nothing about earlier registrations ` +
      '(copies: quarantine); check whether its rows are in the table, then redrive or discard it',
    { context: { uri, table } },
  );
}

function commitUnknown(uri: string, state: TableState): RegistrarError {
  const table = formatIdentifier(state.identifier);
  return new RegistrarError(
    'catalog.commit_unknown',
    `Cannot tell whether a commit to table "${table}" whose answer was lost has landed: "${uri}" is neither found nor provably absent; ` +
      'the message is delivered again',
    { context: { uri, table } },
  );
}
