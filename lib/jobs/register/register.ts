import { counted } from '../../counted.ts';
import { RegistrarError } from '../../errors.ts';
import { type SegmentReference, segmentUri } from '../../event/segment-reference.ts';
import type { SegmentOutcome } from '../../report/outcome.ts';
import { layoutRouter } from '../../route/layout.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { footerMemory } from './footer-memory.ts';
import { type BatchResult, type Delivery, registerDelivered } from './isolation.ts';
import { logFailures } from './log-failures.ts';
import type { RegisterPorts, TableTarget } from './register-ports.ts';
import { withinTime } from './within-time.ts';

/** Time kept for reporting what was done. */
const REPORT_MS = 1_500;

/**
 * Registers segments of any mix of datasets: one snapshot per table, one outcome per segment. This is the core, which knows no
 * queue.
 *
 * @param remainingMs milliseconds that the invocation has left; what is not done in time is `failed`, never cut off
 * @param deliveries what the queue says of each reference's message; one that keeps failing has its segments isolated
 */
export async function register(
  references: readonly SegmentReference[],
  ports: RegisterPorts,
  remainingMs: () => number,
  deliveries: ReadonlyMap<SegmentReference, Delivery> = new Map(),
): Promise<BatchResult> {
  const settled = new Map<SegmentReference, SegmentOutcome>();
  const batches = new Map<string, { target: TableTarget; references: SegmentReference[] }>();
  const routeOf = layoutRouter(ports.entries);
  for (const reference of references) {
    const routed = routeOf(reference);
    if (routed.kind !== 'table') {
      settled.set(reference, {
        reference,
        kind: 'ignored',
        reason: routed.kind === 'unroutable' ? 'unroutable' : routed.reason,
      });
      continue;
    }
    const key = JSON.stringify([ports.entries.indexOf(routed.entry), routed.table]);
    const batch = batches.get(key);
    if (batch === undefined) batches.set(key, { target: routed, references: [reference] });
    else batch.references.push(reference);
  }

  const timeLeft = () => remainingMs() - REPORT_MS;
  const memory = footerMemory(ports.maxFooterMemoryBytes);
  const deliveryOf = (reference: SegmentReference) => deliveries.get(reference) ?? FIRST_DELIVERY;
  const results = await Promise.all(
    [...batches.values()].map(({ target, references: wanted }) => {
      const work = registerDelivered(target, wanted, deliveryOf, {
        ...ports,
        ...ports.portsOf(target.entry),
        remainingMs: timeLeft,
        footerMemory: memory,
      });
      return withinTime(work, timeLeft(), () => outOfTime(target, wanted, ports), ports.timers);
    }),
  );

  for (const result of results) {
    for (const outcome of result.outcomes) settled.set(outcome.reference, outcome);
  }
  return {
    outcomes: references.map((reference) => settled.get(reference) ?? forgotten(reference)),
    registrations: results.flatMap(({ registrations }) => registrations),
  };
}

const FIRST_DELIVERY: Delivery = { receiveCount: 1 };

/** The outcomes of what is not done in time: failed. It may still land, which the ledger recognises at the redelivery. */
function outOfTime(
  { table: identifier }: TableTarget,
  references: readonly SegmentReference[],
  { log }: RegisterPorts,
): BatchResult {
  const table = formatIdentifier(identifier);
  const error = new RegistrarError(
    'invocation.timeout',
    `Cannot finish ${counted(references.length, 'segment')} of table "${table}" within the time of this invocation: they are delivered again`,
    { context: { table } },
  );
  const late: BatchResult = {
    outcomes: references.map((reference) => ({ reference, table, kind: 'failed', error })),
    registrations: [],
  };
  logFailures(table, late.outcomes, log);
  return late;
}

/** The outcome of a segment that got none: nothing proves that it is durable, so its message is delivered again (I3). */
function forgotten(reference: SegmentReference): SegmentOutcome {
  const error = new RegistrarError(
    'invocation.timeout',
    `Cannot tell what became of "${segmentUri(reference)}": it is delivered again`,
  );
  return { reference, kind: 'failed', error };
}
