import type { CommitEnd } from '../commit/attempt-loop.ts';
import { RegistrarError } from '../errors.ts';
import { type SegmentReference, segmentUri } from '../event/segment-reference.ts';
import type { Registration, SegmentOutcome } from '../report/outcome.ts';
import { formatChange } from '../schema/schema-change.ts';
import { formatIdentifier } from '../spec/table-identifier.ts';
import { branchHead } from '../spec/table-state.ts';
import type { Judgement } from './judgement.ts';
import type { FootersRead } from './read-footers.ts';
import type { TablePorts, TableResult, TableTarget } from './register-table.ts';
import type { StagedBatch } from './staging.ts';

export interface TableReport {
  readonly target: TableTarget;
  readonly references: readonly SegmentReference[];
  readonly footers: FootersRead;
  readonly startedMs: number;
  /** Absent where no segment got as far as the table. */
  readonly judgement?: Judgement | undefined;
  readonly end?: CommitEnd<StagedBatch>;
}

/** What became of every segment of a table's batch: condemned ones are in quarantine before this resolves (I3). */
export async function reportTable(of: TableReport, ports: TablePorts): Promise<TableResult> {
  const table = formatIdentifier(of.target.table);
  const condemned = await setAside(of, table, ports);
  const registration = registrationOf(of, table, ports.clock.now());
  if (registration !== undefined) ports.log.info({ event: 'committed', ...registration });

  const { footers, judgement, end } = of;
  const snapshotId = end?.outcome === 'landed' ? end.result.snapshotId : undefined;
  const outcomes = of.references.map((reference): SegmentOutcome => {
    const uri = segmentUri(reference);
    const about = { reference, table };
    const verdict = condemned.get(uri);
    if (verdict !== undefined) return { ...about, ...verdict };
    const ignored = footers.ignored.get(uri) ?? judgement?.ignored.get(uri);
    if (ignored !== undefined) return { ...about, kind: 'ignored', reason: ignored };
    const earlier = judgement?.registered.get(uri);
    if (earlier !== undefined) return { ...about, kind: 'already-registered', snapshotId: earlier };
    const accepted = judgement?.accepted.find(({ segment }) => segment.uri === uri);
    if (accepted !== undefined && snapshotId !== undefined) {
      return { ...about, kind: 'committed', snapshotId, partition: accepted.partition };
    }
    return { ...about, kind: 'failed', error: unaccounted(uri, table) };
  });
  return { outcomes, registration };
}

type Verdict =
  | { readonly kind: 'quarantined'; readonly error: RegistrarError; readonly quarantineUri: string }
  | { readonly kind: 'failed'; readonly error: RegistrarError };

/** Writes one quarantine object a condemned segment; where that fails, or the policy is `stop`, its message comes again. */
async function setAside(
  { target, footers, judgement, end }: TableReport,
  table: string,
  { quarantine, clock, log }: TablePorts,
): Promise<ReadonlyMap<string, Verdict>> {
  const absentAt =
    end === undefined ? undefined : { tableUuid: end.state.uuid, snapshotId: headOf(end, target) };
  const verdicts = [...footers.condemned, ...(judgement?.condemned ?? [])].map(
    async ([uri, error]): Promise<readonly [string, Verdict]> => {
      if (target.entry.on_segment_error === 'stop') return [uri, { kind: 'failed', error }];
      const read = footers.segments.find((segment) => segment.uri === uri)?.read;
      try {
        const quarantineUri = await quarantine.put({
          v: 1,
          kind: 'failure',
          at: new Date(clock.now()).toISOString(),
          code: error.code,
          message: error.message,
          table,
          segment: { uri, ...(read !== undefined && { etag: read.etag, sizeBytes: read.sizeBytes }) },
          ...(absentAt !== undefined && error.code !== 'registration.unprovable' && { absentAt }),
        });
        log.warn({
          event: 'quarantined',
          table,
          uri,
          code: error.code,
          message: error.message,
          quarantineUri,
        });
        return [uri, { kind: 'quarantined', error, quarantineUri }];
      } catch (fault) {
        if (!(fault instanceof RegistrarError)) throw fault;
        return [uri, { kind: 'failed', error: fault }];
      }
    },
  );
  return new Map(await Promise.all(verdicts));
}

function headOf(end: CommitEnd<StagedBatch>, { entry }: TableTarget): string | null {
  return branchHead(end.state, entry.branch)?.snapshotId.toString() ?? null;
}

function registrationOf(
  { end, startedMs }: TableReport,
  table: string,
  nowMs: number,
): Registration | undefined {
  if (end?.outcome !== 'landed') return undefined;
  const { judgement, snapshotId, rows, bytes } = end.result;
  return {
    table,
    snapshotId,
    segments: judgement.accepted.length,
    rows,
    bytes,
    schemaChanges: judgement.merge.changes.map(formatChange),
    attempts: end.attempts,
    durationMs: nowMs - startedMs,
  };
}

/** No outcome is no proof that it is durable (I3). */
function unaccounted(uri: string, table: string): RegistrarError {
  return new RegistrarError(
    'internal.error',
    `Cannot tell what became of "${uri}" for table "${table}": its message is delivered again, please report this`,
    { context: { uri, table } },
  );
}
