import pLimit from 'p-limit';
import { referenceTo, type SegmentReference } from '../../event/segment-reference.ts';
import type { Catalog, Clock, Quarantine, QuarantineRecord, Queue } from '../../ports.ts';
import type { RoutedSegment } from '../../route/chunk.ts';
import { type Dataset, layoutRouter } from '../../route/layout.ts';
import { branchKey } from '../../route/table-key.ts';
import { isPubSub } from '../../spec/queue-url.ts';
import { branchHead } from '../../spec/table-state.ts';
import { loadState } from '../load-state.ts';
import type { Failure, QuarantinesPorts } from './quarantine-list.ts';
import { type SendAgainPorts, sendAgain } from './send-again.ts';

export interface RedrivePorts extends QuarantinesPorts, SendAgainPorts {
  readonly queue: Pick<Queue, 'send'>;
  readonly clock: Clock;
  readonly portsOf: (entry: QuarantinesPorts['entries'][number]) => {
    readonly catalog: Pick<Catalog, 'load'>;
    readonly quarantine: Quarantine;
  };
}

export interface RedriveOptions {
  /**
   * The caller has checked that the segments' rows are not in their tables now. A segment that could not be proven absent
   * (`registration.unprovable`) then needs history only from its table's present head on.
   */
  readonly absent?: boolean;
}

export type Redriven = Failure &
  ({ readonly sent: true } | { readonly sent: false; readonly reason: string });

const CONCURRENT_ANSWERS = 16;

/**
 * Sends quarantined segments to be registered again, each once however many failures it has, and then answers the failures. A
 * failure that could not be answered stays open; a second redrive is harmless (I1, I2).
 *
 * @throws `config.invalid` without a queue, `queue.unavailable`, `store.unavailable`, `auth.failed`; `catalog.unavailable` with
 *   `absent`
 */
export async function redrive(
  failures: readonly Failure[],
  ports: RedrivePorts,
  { absent = false }: RedriveOptions = {},
): Promise<readonly Redriven[]> {
  const routeOf = layoutRouter(ports.entries);
  const headOf = presentHeads(ports);
  const reasons = new Map<Failure, string>();
  const segments: (RoutedSegment & { readonly failures: readonly Failure[] })[] = [];
  for (const [uri, ofSegment] of Map.groupBy(failures, ({ record }) => record.segment?.uri)) {
    const reference = uri === undefined ? undefined : referenceTo(uri);
    const routing = reference && routeOf(reference);
    if (reference !== undefined && routing?.kind === 'table') {
      const proof = absent ? await headOf(routing) : latestProof(ofSegment);
      segments.push({
        reference: { ...reference, ...hintsOf(ofSegment), ...proof },
        routing,
        failures: ofSegment,
      });
    } else if (uri === undefined) {
      for (const failure of ofSegment) {
        const reason = await resendEvent(failure.record, ports);
        if (reason !== undefined) reasons.set(failure, reason);
      }
    } else {
      for (const failure of ofSegment) reasons.set(failure, 'the configuration maps it to no table');
    }
  }
  for (const [{ failures: refused }, reason] of await sendAgain(segments, ports)) {
    for (const failure of refused) reasons.set(failure, reason);
  }
  return pLimit(CONCURRENT_ANSWERS).map(failures, async (failure): Promise<Redriven> => {
    const reason = reasons.get(failure);
    if (reason !== undefined) return { ...failure, sent: false, reason };
    await answerFailure(failure, 'redriven', ports.clock);
    return { ...failure, state: 'redriven', sent: true };
  });
}

/** Marks failures as needing no more attention. Nothing is deleted, neither record nor segment (I1). */
export async function discard(
  failures: readonly Failure[],
  { clock }: { readonly clock: Clock },
): Promise<void> {
  await pLimit(CONCURRENT_ANSWERS).map(failures, (failure) => answerFailure(failure, 'discarded', clock));
}

async function answerFailure(
  { uri, record, quarantine }: Failure,
  kind: 'redriven' | 'discarded',
  clock: Clock,
): Promise<void> {
  const { table, segment } = record;
  await quarantine.put({
    v: 1,
    kind,
    at: new Date(clock.now()).toISOString(),
    ...(table !== undefined && { table }),
    ...(segment !== undefined && { segment }),
    answers: uri,
  });
}

function hintsOf(failures: readonly Failure[]): Partial<SegmentReference> {
  const { etag, sizeBytes, sequencer, versionId } = failures.at(-1)?.record.segment ?? {};
  const copied = failures.some(({ record }) => record.segment?.copied === true);
  return {
    ...(etag !== undefined && { etag }),
    ...(sizeBytes !== undefined && { sizeBytes }),
    ...(sequencer !== undefined && { sequencer }),
    ...(versionId !== undefined && { versionId }),
    ...(copied && { copied }),
  };
}

/** The newest proof of absence, since it needs the least history. */
function latestProof(failures: readonly Failure[]): Proof {
  const absentAt = failures.findLast(({ record }) => record.absentAt !== undefined)?.record.absentAt;
  return absentAt === undefined ? {} : { absentAt };
}

type Proof = Pick<SegmentReference, 'absentAt'>;

/** Takes a table's present head as proof of absence. Each table is loaded once. */
function presentHeads({ portsOf }: RedrivePorts): (routing: Dataset) => Promise<Proof> {
  const known = new Map<string, Promise<Proof>>();
  const load = async ({ entry, table }: Dataset): Promise<Proof> => {
    const state = await loadState(portsOf(entry).catalog, table);
    if (state === undefined) return {};
    const head = branchHead(state, entry.branch);
    return { absentAt: { tableUuid: state.uuid, snapshotId: head?.snapshotId.toString() ?? null } };
  };
  return (routing) => {
    const key = branchKey(routing);
    const proof = known.get(key) ?? load(routing);
    known.set(key, proof);
    return proof;
  };
}

/** On Google Cloud events and segments arrive in one topic; a FIFO queue takes only messages of a group. */
function topic(registrations: string | undefined): string | undefined {
  return registrations !== undefined && isPubSub(registrations) ? registrations : undefined;
}

/** Sends an event that could not be understood back to where events arrive. Returns why it was not sent, if so. */
async function resendEvent(
  { body }: QuarantineRecord,
  { entries, queue }: RedrivePorts,
): Promise<string | undefined> {
  if (body === undefined) return 'its record has neither segment nor event';
  const names = entries.flatMap(({ queues: { arrivals, registrations } }) => [
    arrivals,
    topic(registrations),
  ]);
  const to = names.find((name) => name !== undefined);
  if (to === undefined) return 'queues.arrivals is not set; name the standard queue that route reads';
  const [refused] = await queue.send(to, [{ body }]);
  return refused?.reason;
}
