import type { CommitEnd } from '../../commit/attempt-loop.ts';
import { RegistrarError } from '../../errors.ts';
import { type SegmentReference, segmentUri } from '../../event/segment-reference.ts';
import type { LedgerMemory } from '../../ledger/ledger-memory.ts';
import { isHistoryShort, provableSince } from '../../ledger/provable-history.ts';
import type { QuarantineRecord } from '../../ports.ts';
import type { Registration, SegmentOutcome } from '../../report/outcome.ts';
import { formatChange } from '../../schema/schema-change.ts';
import { readerWarning } from '../../segment/reader-warning.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { branchHead } from '../../spec/table-state.ts';
import { quarantineSegment } from '../quarantine/quarantine-segment.ts';
import type { Judgement } from './judgement.ts';
import { logFailures } from './log-failures.ts';
import type { FootersRead } from './read-footers.ts';
import type { TablePorts, TableResult, TableTarget } from './register-ports.ts';
import type { StagedBatch } from './staging.ts';

export interface TableReport {
  readonly target: TableTarget;
  readonly references: readonly SegmentReference[];
  readonly footers: FootersRead;
  readonly startedMs: number;
  /** When the oldest message of the batch was sent, where the queue said so. */
  readonly oldestSentMs?: number | undefined;
  /** Absent if no segment got as far as the table. */
  readonly judgement?: Judgement | undefined;
  readonly end?: CommitEnd<StagedBatch>;
  /** What was read of the table's snapshots. */
  readonly memory?: LedgerMemory;
}

/** Returns the outcome of every segment of a table's batch. Condemned segments are in quarantine before this resolves (I3). */
export async function reportTable(of: TableReport, ports: TablePorts): Promise<TableResult> {
  const table = formatIdentifier(of.target.table);
  const condemned = await setAside(of, table, ports);
  const registration = registrationOf(of, table, ports.clock.now());
  const history = historyOf(of, table, ports);
  if (registration !== undefined) {
    const lag = of.oldestSentMs === undefined ? {} : { lagMs: ports.clock.now() - of.oldestSentMs };
    ports.log.info({ event: 'committed', ...registration, ...lag, ...history });
  }

  const { footers, judgement, end } = of;
  const snapshotId = end?.outcome === 'landed' ? end.result.snapshotId : undefined;
  const acceptedOf = new Map(judgement?.accepted.map((accepted) => [accepted.segment.uri, accepted]));
  const begun = of.references.filter((reference) => !footers.postponed.has(segmentUri(reference)));
  const outcomes = begun.map((reference): SegmentOutcome => {
    const uri = segmentUri(reference);
    const about = { reference, table };
    const verdict = condemned.get(uri);
    if (verdict !== undefined) return { ...about, ...verdict };
    const ignored = footers.ignored.get(uri) ?? judgement?.ignored.get(uri);
    if (ignored !== undefined) return { ...about, kind: 'ignored', reason: ignored };
    const earlier = judgement?.registered.get(uri);
    if (earlier !== undefined) return { ...about, kind: 'already-registered', snapshotId: earlier };
    const accepted = acceptedOf.get(uri);
    if (accepted !== undefined && snapshotId !== undefined) {
      return { ...about, kind: 'committed', snapshotId, partition: accepted.partition };
    }
    return { ...about, kind: 'failed', error: unaccounted(uri, table) };
  });
  logFailures(table, outcomes, ports.log);
  return { outcomes, registration };
}

type Verdict =
  | { readonly kind: 'quarantined'; readonly error: RegistrarError; readonly quarantineUri: string }
  | { readonly kind: 'failed'; readonly error: RegistrarError };

/**
 * Writes one quarantine record per condemned segment. Where that fails, or the policy is `stop`, its message is delivered
 * again.
 */
async function setAside(
  of: TableReport,
  table: string,
  ports: TablePorts,
): Promise<ReadonlyMap<string, Verdict>> {
  const { target, references, footers, judgement } = of;
  const condemned = [...footers.condemned, ...(judgement?.condemned ?? [])];
  if (condemned.length === 0) return new Map();
  const referenceOf = new Map(references.map((reference) => [segmentUri(reference), reference]));
  const readOf = new Map(footers.segments.map(({ uri, read }) => [uri, read]));
  const absentAt = judgedHead(of);
  const verdicts = condemned.map(async ([uri, error]): Promise<readonly [string, Verdict]> => {
    const reference = referenceOf.get(uri);
    if (reference === undefined || target.entry.on_segment_error === 'stop') {
      return [uri, { kind: 'failed', error }];
    }
    const provenAt = judgement?.provenAbsent.has(uri) ? absentAt : undefined;
    try {
      const quarantineUri = await quarantineSegment(
        reference,
        { error, table, found: readOf.get(uri), ...(provenAt !== undefined && { absentAt: provenAt }) },
        ports,
      );
      return [uri, { kind: 'quarantined', error, quarantineUri }];
    } catch (fault) {
      if (!(fault instanceof RegistrarError)) throw fault;
      return [uri, { kind: 'failed', error: fault }];
    }
  });
  return new Map(await Promise.all(verdicts));
}

/**
 * The head up to which the judgement holds. If we committed, that is our own snapshot: it follows the judged head and adds
 * accepted segments only.
 */
function judgedHead({ target, end }: TableReport): QuarantineRecord['absentAt'] {
  if (end === undefined) return undefined;
  const head =
    end.outcome === 'landed' ? end.result.snapshotId : branchHead(end.state, target.entry.branch)?.snapshotId;
  return { tableUuid: end.state.uuid, snapshotId: head?.toString() ?? null };
}

/**
 * Logs how far back absence can be proven, as a warning when messages wait half as long (docs/exactly-once.md, "How far absence
 * can be proven").
 */
function historyOf(
  { target, end, oldestSentMs, memory }: TableReport,
  table: string,
  { clock, log }: TablePorts,
) {
  if (end === undefined) return {};
  const since = provableSince(end.state, target.entry.branch, memory);
  const provable = since === 'beginning' ? since : new Date(since).toISOString();
  if (oldestSentMs !== undefined && isHistoryShort(since, oldestSentMs, clock.now())) {
    log.warn({
      event: 'history-short',
      table,
      provableSince: provable,
      oldestMessage: new Date(oldestSentMs).toISOString(),
      advice: 'keep snapshots longer (history.expire.max-snapshot-age-ms), or clear the backlog',
    });
  }
  return { provableSince: provable };
}

function registrationOf(
  { end, startedMs }: TableReport,
  table: string,
  nowMs: number,
): Registration | undefined {
  if (end?.outcome !== 'landed') return undefined;
  const { judgement, snapshotId, rows, bytes } = end.result;
  const warning = readerWarning(judgement.accepted.map(({ segment }) => segment));
  return {
    table,
    snapshotId,
    segments: judgement.accepted.length,
    rows,
    bytes,
    schemaChanges: judgement.merge.changes.map(formatChange),
    attempts: end.attempts,
    durationMs: nowMs - startedMs,
    ...(warning !== undefined && { warning }),
  };
}

/** The outcome of a segment that got none: nothing proves that it is durable (I3). */
function unaccounted(uri: string, table: string): RegistrarError {
  return new RegistrarError(
    'internal.error',
    `Cannot tell what became of "${uri}" for table "${table}": its message is delivered again, please report this`,
    { context: { uri, table } },
  );
}
