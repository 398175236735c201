import type { BackfillPorts } from '../../lib/jobs/backfill/backfill-ports.ts';
import type { ReconcilePorts } from '../../lib/jobs/reconcile/reconcile.ts';
import { type FakeQueue, fakeQueue } from '../fakes/queue.ts';
import type { Registration } from './registration.ts';

/** A container's ports with a queue. */
export function portsOf(
  { ports }: Registration,
  queue: FakeQueue = fakeQueue(ports.clock, ports.random),
): BackfillPorts & ReconcilePorts {
  const registrations = queue.queues.all()[0]?.url ?? queue.create({ fifo: true, visibilitySeconds: 30 }).url;
  const entries = ports.entries.map((entry) => ({ ...entry, queues: { registrations } }));
  return { ...ports, entries, queue };
}
