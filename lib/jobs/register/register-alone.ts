import { RegistrarError } from '../../errors.ts';
import { type SegmentReference, segmentUri } from '../../event/segment-reference.ts';
import type { QuarantineRecord } from '../../ports.ts';
import type { SegmentOutcome } from '../../report/outcome.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { LONGEST_INVOCATION_MS } from '../longest-invocation.ts';
import { quarantinedSegment, quarantineSegment } from '../quarantine/quarantine-segment.ts';
import { logFailures } from './log-failures.ts';
import type { TablePorts, TableResult, TableTarget } from './register-ports.ts';
import { withinTime } from './within-time.ts';

/** Time kept for recording that the function survived the segment. */
const ANSWER_MS = 1_000;

/**
 * Registers one segment of a message that keeps failing. A `trying` record is written before the segment is touched and
 * answered afterwards, once. If an earlier record is unanswered, the function died on this segment, so it is quarantined
 * untouched; so is a segment that makes this software fail on its own. A segment already in quarantine stays there. Errors of
 * catalog, table, authentication and store never quarantine.
 */
export async function registerAlone(
  target: TableTarget,
  reference: SegmentReference,
  registerIt: () => Promise<TableResult>,
  ports: TablePorts,
): Promise<TableResult> {
  const table = formatIdentifier(target.table);
  const about = { reference, table };
  try {
    const { waiting, deadly, survived } = await wordOf(about, ports);
    if (waiting !== undefined) return waitsOn(about, waiting);
    if (deadly !== undefined) {
      if (isYoung(deadly.record, ports))
        return told(failed(about, stillTrying(reference, table)), table, ports);
      return told(
        await setAside(target, about, died(reference, table, deadly), deadly.uri, ports),
        table,
        ports,
      );
    }
    const trying = survived ? undefined : await ports.quarantine.put(tryRecord('trying', about, ports));
    // The `trying` record of a slow segment is answered too. Otherwise the next invocation would conclude that the function died.
    const left = ports.remainingMs() - ANSWER_MS;
    const late = () => told(failed(about, outOfTime(about)), table, ports);
    const done = await withinTime(registerIt(), left, late, ports.timers);
    const [outcome] = done.outcomes;
    const isOurs = outcome?.kind === 'failed' && outcome.error.code === 'internal.error';
    if (isOurs) return await setAside(target, about, outcome.error, trying, ports);
    if (trying !== undefined) await answerTry(trying, outcome, about, ports);
    return done;
  } catch (fault) {
    if (!(fault instanceof RegistrarError)) throw fault;
    return told(failed(about, fault), table, ports);
  }
}

interface About {
  readonly reference: SegmentReference;
  readonly table: string;
}

interface Found {
  readonly uri: string;
  readonly record: QuarantineRecord;
}

/** What the quarantine's records say about a segment. */
interface Word {
  /** An open failure. */
  readonly waiting: Found | undefined;
  /** A `trying` record without an answer. */
  readonly deadly: Found | undefined;
  /**
   * An earlier try reached an outcome, so this segment does not kill functions. A try that ended because of an outage or for
   * lack of time proves nothing.
   */
  readonly survived: boolean;
}

async function wordOf({ table, reference }: About, { quarantine }: TablePorts): Promise<Word> {
  const segment = quarantinedSegment(reference);
  const records = await Array.fromAsync(quarantine.list({ table, segment }));
  const answered = new Set(records.map(({ record }) => record.answers));
  const unanswered = (kind: QuarantineRecord['kind']) =>
    records.find(({ uri, record }) => record.kind === kind && !answered.has(uri));
  return {
    waiting: unanswered('failure'),
    deadly: unanswered('trying'),
    survived: records.some(({ record }) => record.kind === 'tried' && record.interrupted !== true),
  };
}

/** Whether another invocation may still be working on it. */
function isYoung({ at }: QuarantineRecord, { clock }: TablePorts): boolean {
  return clock.now() - Date.parse(at) <= LONGEST_INVOCATION_MS;
}

function tryRecord(
  kind: 'trying' | 'tried',
  { reference, table }: About,
  { clock }: TablePorts,
): QuarantineRecord {
  const at = new Date(clock.now()).toISOString();
  return { v: 1, kind, at, table, segment: quarantinedSegment(reference) };
}

/** Answers the `trying` record. If the answer cannot be written, a segment that is durable is acknowledged all the same. */
async function answerTry(
  trying: string,
  outcome: SegmentOutcome | undefined,
  about: About,
  ports: TablePorts,
): Promise<void> {
  const failure = outcome?.kind === 'failed' ? outcome.error : undefined;
  const record = { ...tryRecord('tried', about, ports), answers: trying };
  try {
    await ports.quarantine.put(failure === undefined ? record : { ...record, interrupted: true });
  } catch (error) {
    if (!(error instanceof RegistrarError) || failure !== undefined) throw error;
    ports.log.warn({
      event: 'try-unanswered',
      table: about.table,
      uri: segmentUri(about.reference),
      trying,
      error,
    });
  }
}

async function setAside(
  { entry }: TableTarget,
  about: About,
  error: RegistrarError,
  answers: string | undefined,
  ports: TablePorts,
): Promise<TableResult> {
  if (entry.on_segment_error === 'stop') return failed(about, error);
  const { reference, table } = about;
  const failure = { error, table, ...(answers !== undefined && { answers }) };
  const quarantineUri = await quarantineSegment(reference, failure, ports);
  return only({ ...about, kind: 'quarantined', error, quarantineUri });
}

function waitsOn(about: About, { uri, record }: Found): TableResult {
  const error = new RegistrarError(record.code ?? 'segment.unreadable', record.message ?? '');
  return only({ ...about, kind: 'quarantined', error, quarantineUri: uri });
}

function failed(about: About, error: RegistrarError): TableResult {
  return only({ ...about, kind: 'failed', error });
}

function only(outcome: SegmentOutcome): TableResult {
  return { outcomes: [outcome], registration: undefined };
}

function died(reference: SegmentReference, table: string, { uri: tryUri, record }: Found): RegistrarError {
  const uri = segmentUri(reference);
  return new RegistrarError(
    'segment.unreadable',
    `Cannot register "${uri}" in table "${table}": the function ended without an answer while it had this segment alone, at ${record.at} ("${tryUri}"); ` +
      'check its memory and duration at that time, raise the limits, then redrive',
    { context: { uri, table } },
  );
}

function stillTrying(reference: SegmentReference, table: string): RegistrarError {
  const uri = segmentUri(reference);
  return new RegistrarError(
    'invocation.timeout',
    `Cannot register "${uri}" in table "${table}" now: another invocation has it alone and may still be at work; it is delivered again`,
    { context: { uri, table } },
  );
}

function outOfTime({ reference, table }: About): RegistrarError {
  const uri = segmentUri(reference);
  return new RegistrarError(
    'invocation.timeout',
    `Cannot finish "${uri}" of table "${table}" within the time of this invocation, although it was alone: it is delivered again`,
    { context: { uri, table } },
  );
}

/** Logs a failure that did not come from registering the segment, which logs its own. */
function told(result: TableResult, table: string, { log }: TablePorts): TableResult {
  logFailures(table, result.outcomes, log);
  return result;
}
