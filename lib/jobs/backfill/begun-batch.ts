import type { ErrorCode, RegistrarError } from '../../errors.ts';
import { type SegmentReference, segmentUri } from '../../event/segment-reference.ts';
import type { Registration, SegmentOutcome } from '../../report/outcome.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import type { TableState } from '../../spec/table-state.ts';
import { LONGEST_INVOCATION_MS } from '../longest-invocation.ts';
import type { FooterMemory, FooterRound } from '../register/footer-memory.ts';
import type { FootersRead } from '../register/read-footers.ts';
import type { TablePorts, TableResult } from '../register/register-ports.ts';
import { footersOf, registerRead } from '../register/register-table.ts';
import type { BackfillPorts } from './backfill-ports.ts';
import type { BackfillTally } from './backfill-report.ts';
import type { Batch, Batches } from './batches.ts';

export const FILES_A_MANIFEST = 1_000;
/** Waits before retrying a batch that met an outage, in milliseconds. */
const AGAIN_AFTER_MS = [1_000, 4_000, 15_000, 60_000];

/** What the batches of a backfill share. */
export interface Work {
  readonly ports: BackfillPorts;
  readonly tally: BackfillTally;
  readonly batches: Batches;
  readonly memory: FooterMemory;
  readonly signal: AbortSignal;
}

/** A batch whose footers are being read. */
export interface BegunBatch {
  readonly batch: Batch;
  readonly references: readonly SegmentReference[];
  readonly footers: Promise<FootersRead>;
  readonly ports: TablePorts;
  /** Releases the memory of its footers. */
  end(): void;
}

/** Starts to read the footers of a batch. */
export function begin(
  batch: Batch,
  references: readonly SegmentReference[],
  { ports, memory }: Pick<Work, 'ports' | 'memory'>,
): BegunBatch {
  const { dataset } = batch.table;
  const round: FooterRound = { heldBytes: 0, isOver: false };
  const tablePorts: TablePorts = {
    ...ports,
    ...ports.portsOf(dataset.entry),
    footerMemory: memory,
    remainingMs: () => LONGEST_INVOCATION_MS,
  };
  const footers = sizedFooters(batch, references, round, tablePorts);
  footers.catch(() => undefined);
  return { batch, references, footers, ports: tablePorts, end: () => memory.release(round) };
}

/** Reads a few footers first: their sizes tell how many bytes to request for the other ones. */
async function sizedFooters(
  { table }: Batch,
  references: readonly SegmentReference[],
  round: FooterRound,
  ports: TablePorts,
): Promise<FootersRead> {
  const read = async (of: readonly SegmentReference[]) => {
    const found = await footersOf(table.dataset, of, round, ports, table.longest);
    for (const { read: footer } of found.segments) {
      table.longest.footerBytes = Math.max(table.longest.footerBytes, footer.bytes.length);
    }
    return found;
  };
  if (table.longest.footerBytes === 0 && references.length > PROBES) await read(references.slice(0, PROBES));
  return read(references);
}

const PROBES = 8;

/** Commits a batch in as many rounds as its footers need; a round that meets an outage is retried a few times. */
export async function finish(begun: BegunBatch, work: Work): Promise<void> {
  const { batch, ports } = begun;
  const { tally, batches, signal } = work;
  const waits = [...AGAIN_AFTER_MS];
  for (let round = begun; ; ) {
    const { outcomes, registration } = await commit(round, work);
    round.end();
    if (registration !== undefined) noteCommit(registration, tally);

    const outage = outcomes.map(failureOf).find((error) => error !== undefined && error.scope !== 'segment');
    const waitMs = outage !== undefined && OUTAGES.has(outage.code) ? waits.shift() : undefined;
    const isAgain = (outcome: SegmentOutcome) => waitMs !== undefined && failureOf(outcome) === outage;
    const settled = outcomes.filter((outcome) => !isAgain(outcome));
    for (const outcome of settled) noteOutcome(outcome, tally);
    if (outage !== undefined && waitMs === undefined) {
      tally.table(formatIdentifier(batch.table.dataset.table)).error = outage;
      batches.giveUp(batch.table);
      return;
    }
    // The rest are segments of an outage, and segments whose footers did not fit in memory.
    const done = new Set(settled.map(({ reference }) => reference));
    const rest = round.references.filter((reference) => !done.has(reference));
    if (rest.length === 0) return;
    if (waitMs !== undefined) await ports.timers.sleep(waitMs, signal);
    if (signal.aborted) {
      tally.add('not reached', rest.length);
      return;
    }
    round = begin(batch, rest, work);
  }
}

const OUTAGES: ReadonlySet<ErrorCode> = new Set([
  'catalog.unavailable',
  'catalog.conflict',
  'catalog.commit_unknown',
  'store.unavailable',
]);

function failureOf(outcome: SegmentOutcome): RegistrarError | undefined {
  return outcome.kind === 'failed' ? outcome.error : undefined;
}

/** Registers a batch. The paths that were collected of the table are used only if they hold for the state it is judged on. */
async function commit(
  { batch, references, footers, ports }: BegunBatch,
  { batches }: Work,
): Promise<TableResult> {
  const { table, replaced } = batch;
  const { dataset, known } = table;
  let isKnown = true;
  const bulk = {
    maxFilesPerManifest: FILES_A_MANIFEST,
    ledgerOf: (state: TableState) => {
      isKnown = known.isKnown(state);
      return known.ledgerOf(state);
    },
  };
  const result = await registerRead(dataset, references, footers, ports, replaced ? {} : { bulk });
  if (result.registration !== undefined) known.landed(result.registration.snapshotId);
  if (!isKnown) batches.forget(table);
  return result;
}

function noteCommit(
  { table, segments, rows, bytes, schemaChanges }: Registration,
  tally: BackfillTally,
): void {
  const counts = tally.table(table);
  counts.committed += segments;
  counts.rows += rows;
  counts.bytes += bytes;
  counts.snapshots += 1;
  counts.schemaChanges = [...counts.schemaChanges, ...schemaChanges];
}

function noteOutcome(outcome: SegmentOutcome, tally: BackfillTally): void {
  tally.note(outcome);
  if (outcome.kind !== 'quarantined' && outcome.kind !== 'failed') return;
  const { reference, error } = outcome;
  if (error.scope !== 'segment') return;
  const { code, message } = error;
  tally.refuse({
    uri: segmentUri(reference),
    code,
    message,
    ...(outcome.kind === 'quarantined' && { quarantineUri: outcome.quarantineUri }),
  });
}
