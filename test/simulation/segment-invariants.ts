import type { ErrorCode } from '../../lib/errors.ts';
import { segmentUri } from '../../lib/event/segment-reference.ts';
import type { Reconciliation } from '../../lib/jobs/reconcile/reconcile-report.ts';
import type { Batch } from './event-source.ts';
import type { History, KeyState, Registered } from './history.ts';
import { datasetOf, keyUri } from './lake.ts';
import type { QuarantineLog } from './quarantine-log.ts';
import { type SimQueues, sizeOf } from './queues.ts';
import type { Schedule } from './schedule.ts';
import type { World } from './world.ts';

/** What must hold for every segment: when a message is acknowledged (I3, I6), and when all queues are empty (I9). */
export interface SegmentInvariants {
  /** Register has answered: the segments of acknowledged messages must be durable now. */
  registered(batch: Batch, failed: ReadonlySet<string>): void;
  /** The router has answered: the segments of acknowledged messages must be durable, or in register's queue. */
  routed(batch: Batch, failed: ReadonlySet<string>): void;
  /** Every segment with a notification must be registered, in quarantine, or rightly ignored. */
  atRest(): void;
  /**
   * Reconcile must have sent the missing segments and found those without a notification.
   *
   * @param reports the newest report on each existing table
   */
  reconciled(reports: readonly Reconciliation[]): void;
}

export function segmentInvariants(
  world: World,
  history: History,
  quarantine: QuarantineLog,
  queues: SimQueues,
): SegmentInvariants {
  const { timeline } = world;

  function checkAcknowledged(batch: Batch, failed: ReadonlySet<string>, isHeld: (uri: string) => boolean) {
    for (const message of batch.messages) {
      if (failed.has(message.id)) continue;
      for (const reference of queues.referencesOf(message)) {
        const uri = segmentUri(reference);
        if (isAccounted(uri, batch.receivedMs, reference.etag) || isHeld(uri)) continue;
        world.violate('I3', `${uri} is acknowledged, but neither registered nor in quarantine`);
      }
    }
  }

  /** Whether a state that the key had since the notified upload, or since the given time, is registered, in quarantine or empty. */
  function isAccounted(uri: string, sinceMs: number, etag?: string): boolean {
    const states = history.keys.get(uri);
    if (states === undefined) return true;
    const about = states.findIndex(({ content }) => content !== undefined && content.etag === etag);
    const held = about < 0 ? history.since(uri, sinceMs) : states.slice(about);
    return held.some((state) => isSettled(uri, state));
  }

  function isSettled(uri: string, { content }: KeyState): boolean {
    if (content === undefined || content.kind === 'empty') return true;
    // When no ledger lists the ETag any more, only the size tells whether the object was overwritten.
    const isIt = ({ etag, snapshotId, sizeBytes }: Registered): boolean =>
      etag === undefined || history.expired.has(snapshotId)
        ? sizeBytes === content.bytes.length
        : etag === content.etag;
    if (history.registered.get(uri)?.some(isIt)) return true;
    const isUntouched = quarantine.ofSegment(uri).some(({ kind }) => kind === 'trying');
    return quarantine
      .waiting(uri)
      .some(({ code, segment }) => namesNoVersion(code, isUntouched) || segment?.etag === content.etag);
  }

  /** Whether a registered file has the size of the object: only the size tells that an object was overwritten. */
  function isOfSameSize(uri: string): boolean {
    const size = history.keys.get(uri)?.at(-1)?.content?.bytes.length;
    return history.registered.get(uri)?.some(({ sizeBytes }) => sizeBytes === size) ?? false;
  }

  return {
    registered(batch, failed) {
      checkOrder(world, batch, failed);
      checkAcknowledged(batch, failed, (uri) => quarantine.ofSegment(uri).length > 0 && queues.holds(uri));
    },
    routed: (batch, failed) => checkAcknowledged(batch, failed, (uri) => queues.holds(uri)),
    atRest() {
      const unannounced = unannouncedOf(world.schedule);
      for (const queue of queues.all()) {
        if (sizeOf(queue) > 0) world.violate('liveness', `${queue.name} does not drain`);
      }
      for (const uri of history.keys.keys()) {
        if (!unannounced.has(uri) && !isAccounted(uri, timeline.now()))
          world.violate('I9', `${uri} is neither registered nor in quarantine`);
        for (const { kind, code, message } of quarantine.ofSegment(uri)) {
          if (kind !== 'failure' || (code !== undefined && mayBe(world, history, quarantine, uri, code)))
            continue;
          world.violate(
            'I9',
            `${uri} is in quarantine as ${code}, for which the schedule has no cause: ${message}`,
          );
        }
      }
    },
    reconciled(reports) {
      for (const uri of reports.flatMap(({ missing }) => missing.sample)) {
        // A file without rows is never registered.
        if (history.keys.get(uri)?.at(-1)?.content?.kind !== 'empty')
          world.violate('I9', `${uri} is still missing according to reconcile`);
      }
      for (const uri of unannouncedOf(world.schedule)) {
        if (isAccounted(uri, timeline.now()) || isReported(uri, reports) || isOfSameSize(uri)) continue;
        world.violate(
          'I9',
          `${uri} is neither registered nor in quarantine, and reconcile does not report it`,
        );
      }
    },
  };
}

/** Segments without a notification. */
function unannouncedOf({ ops }: Schedule): ReadonlySet<string> {
  const ships = ops.flatMap((op) => (op.kind === 'ship' && op.notifyMs.length === 0 ? op.uploads : []));
  return new Set(ships.map(({ key }) => keyUri(key)));
}

/** Whether reconcile reports why it leaves the segment alone, or there is no table to compare with. */
function isReported(uri: string, reports: readonly Reconciliation[]): boolean {
  const report = reports.find(({ directory }) => uri.startsWith(`${directory}/`));
  if (report === undefined) return true;
  return Object.values(report.reported).some(({ sample }) => sample.includes(uri));
}

/** Whether nothing of the object was read. Then the record has the ETag of the event, or none. */
function namesNoVersion(code: ErrorCode | undefined, isUntouched: boolean): boolean {
  return code === 'segment.denied' || (code === 'segment.unreadable' && isUntouched);
}

/** I6: after a failed message, no later message of its group is acknowledged. */
function checkOrder(world: World, { messages }: Batch, failed: ReadonlySet<string>): void {
  const stopped = new Set<string | undefined>();
  for (const { id, groupId } of messages) {
    if (failed.has(id)) stopped.add(groupId);
    else if (stopped.has(groupId))
      world.violate('I6', `group ${groupId} has a message acknowledged after one that failed`);
  }
}

/** Whether the schedule has a cause for this quarantine code. */
function mayBe(
  world: World,
  history: History,
  quarantine: QuarantineLog,
  uri: string,
  code: ErrorCode,
): boolean {
  const contents = (history.keys.get(uri) ?? []).flatMap(({ content }) => content ?? []);
  switch (code) {
    case 'segment.unreadable':
      // A segment that was being tried alone each time a function died is taken for the cause.
      return (
        contents.some(({ kind }) => kind === 'garbage') ||
        quarantine.ofSegment(uri).some(({ kind }) => kind === 'trying')
      );
    case 'segment.replaced':
      return new Set(contents.map(({ etag }) => etag)).size > 1;
    case 'segment.denied':
      return world.faults.fired.some(({ kind }) => kind === 'denied');
    case 'registration.unprovable':
      // The first snapshot of a v1 table does not say that it is the first one.
      return history.expired.size > 0 || world.schedule.settings.precreated === 1;
    case 'sink.iceberg_schema_mismatch':
      return (
        world.schedule.ops.some(({ kind }) => kind === 'add column') ||
        (world.schedule.settings.precreated !== 'none' && contents.some(({ kind }) => kind === 2)) ||
        [...history.keys].some(
          ([other, states]) =>
            datasetOf(other) === datasetOf(uri) && states.some(({ content }) => content?.kind === 'misfit'),
        )
      );
    default:
      return false;
  }
}
