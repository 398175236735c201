import { type ErrorCode, RegistrarError } from '../../errors.ts';
import { type SegmentReference, segmentUri } from '../../event/segment-reference.ts';
import type { Registration, SegmentOutcome } from '../../report/outcome.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { logFailures } from './log-failures.ts';
import { registerAlone } from './register-alone.ts';
import type { TablePorts, TableTarget } from './register-ports.ts';
import { registerTable } from './register-table.ts';

/** What the queue says of the message that named a segment. */
export interface Delivery {
  /** 1 at first. */
  readonly receiveCount: number;
  readonly sentMs?: number | undefined;
}

export interface BatchResult {
  /** One per segment. */
  readonly outcomes: readonly SegmentOutcome[];
  readonly registrations: readonly Registration[];
}

/** From this receive on, a table's segments are registered in growing groups, so that one of them cannot hold up the others. */
const GROUPS_FROM_RECEIVE = 3;
/** As many as a snapshot's summary can list by hash. For a larger commit the ledger would have to read manifests. */
const MAX_SEGMENTS_A_COMMIT = 1_500;
/** From this receive on, every segment is registered alone, with a quarantine record written before it is touched. */
const ALONE_FROM_RECEIVE = 10;
/** No group is started with less time left than this. */
const GROUP_MS = 5_000;
/** After this many failures in a row because the catalog or the store is down, the other segments wait for the next delivery. */
const MAX_OUTAGES = 3;

/**
 * Registers one table's segments, depending on how often their messages were received: at first all in one commit; from the
 * third receive in groups of 1, 2, 4, …, doubling while that works; from the tenth one by one.
 */
export async function registerDelivered(
  target: TableTarget,
  references: readonly SegmentReference[],
  deliveryOf: (reference: SegmentReference) => Delivery,
  ports: TablePorts,
): Promise<BatchResult> {
  const deliveries = references.map(deliveryOf);
  const received = deliveries.reduce((most, { receiveCount }) => Math.max(most, receiveCount), 0);
  const sent = deliveries.flatMap(({ sentMs }) => sentMs ?? []);
  const oldestSentMs = sent.length === 0 ? undefined : sent.reduce((oldest, ms) => Math.min(oldest, ms));
  const registerAll = (group: readonly SegmentReference[]) =>
    registerTable(target, group, ports, oldestSentMs);
  if (received < GROUPS_FROM_RECEIVE) return inRounds(target, references, registerAll, ports);

  const alone = received >= ALONE_FROM_RECEIVE;
  ports.log.warn({
    event: 'isolating',
    table: formatIdentifier(target.table),
    segments: references.length,
    received,
    alone,
  });
  const outcomes = new Map<SegmentReference, SegmentOutcome>();
  const registrations: Registration[] = [];
  let outages = 0;
  let size = 1;
  for (let at = 0; at < references.length; ) {
    if (ports.remainingMs() < GROUP_MS || outages === MAX_OUTAGES) break;
    const group = references.slice(at, at + size);
    const [first] = group;
    const done =
      alone && first !== undefined
        ? await registerAlone(target, first, () => registerAll(group), ports)
        : await registerAll(group);
    for (const outcome of done.outcomes) outcomes.set(outcome.reference, outcome);
    if (done.registration !== undefined) registrations.push(done.registration);
    const failure = done.outcomes.find((outcome) => outcome.kind === 'failed');
    const isGroupsFailure = failure !== undefined && failure.error.scope !== 'segment';
    outages = isGroupsFailure && isOutage(failure.error.code) ? outages + 1 : 0;
    // To find which segment of a failed group is to blame, the group is repeated from its first segment alone.
    if (!isGroupsFailure || group.length === 1) at += group.length;
    size = isGroupsFailure || alone ? 1 : Math.min(MAX_SEGMENTS_A_COMMIT, size * 2);
  }
  const rest = references.filter((reference) => !outcomes.has(reference));
  return { outcomes: [...outcomes.values(), ...notReached(rest, target, ports)], registrations };
}

/** Registers all segments once, in rounds of as many segments as have footers that fit in memory together. */
async function inRounds(
  target: TableTarget,
  references: readonly SegmentReference[],
  registerAll: (group: readonly SegmentReference[]) => ReturnType<typeof registerTable>,
  ports: TablePorts,
): Promise<BatchResult> {
  const outcomes: SegmentOutcome[] = [];
  const registrations: Registration[] = [];
  let rest = references;
  do {
    const done = await registerAll(rest.slice(0, MAX_SEGMENTS_A_COMMIT));
    const settled = new Set(done.outcomes.map(({ reference }) => reference));
    outcomes.push(...done.outcomes);
    if (done.registration !== undefined) registrations.push(done.registration);
    rest = rest.filter((reference) => !settled.has(reference));
  } while (rest.length > 0 && ports.remainingMs() > GROUP_MS);
  return { outcomes: [...outcomes, ...notReached(rest, target, ports)], registrations };
}

function isOutage(code: ErrorCode): boolean {
  return code !== 'internal.error' && code !== 'catalog.refused';
}

/** The outcomes of segments that this invocation did not get to. */
function notReached(
  references: readonly SegmentReference[],
  { table }: TableTarget,
  { log }: TablePorts,
): readonly SegmentOutcome[] {
  const name = formatIdentifier(table);
  const outcomes = references.map((reference) => {
    const uri = segmentUri(reference);
    const error = new RegistrarError(
      'invocation.timeout',
      `Cannot register "${uri}" in table "${name}" in this invocation: the segments before it took all the time, or met an outage; it is delivered again`,
      { context: { uri, table: name } },
    );
    return { reference, table: name, kind: 'failed', error } as const;
  });
  logFailures(name, outcomes, log);
  return outcomes;
}
