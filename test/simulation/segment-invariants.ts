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

/** What must hold of every segment: at each acknowledgement (I3, I6), and when all has come to rest (I9). */
export interface SegmentInvariants {
  /** Register answered: what is acknowledged must be durable now. */
  registered(batch: Batch, failed: ReadonlySet<string>): void;
  /** The router answered: what is acknowledged must be durable or with register now. */
  routed(batch: Batch, failed: ReadonlySet<string>): void;
  /** Every segment that somebody told of is somewhere. */
  atRest(): void;
  /**
   * Reconcile sent what was missing, and found what nobody told of.
   * @param reports what it says now of each table that there is
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
        world.violate('I3', `${uri} is acknowledged, and nowhere`);
      }
    }
  }

  /** Registered, in quarantine, or nothing to register: something that the key held since a notification's upload, or since then. */
  function isAccounted(uri: string, sinceMs: number, etag?: string): boolean {
    const states = history.keys.get(uri);
    if (states === undefined) return true;
    const about = states.findIndex(({ content }) => content !== undefined && content.etag === etag);
    const held = about < 0 ? history.since(uri, sinceMs) : states.slice(about);
    return held.some((state) => isSettled(uri, state));
  }

  function isSettled(uri: string, { content }: KeyState): boolean {
    if (content === undefined || content.kind === 'empty') return true;
    // Where no ledger names the ETag any more, the size is all that tells an overwritten object.
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

  /** An object that was overwritten is told from what is registered by its size alone. */
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
          world.violate('I9', `${uri} is nowhere`);
        for (const { kind, code, message } of quarantine.ofSegment(uri)) {
          if (kind !== 'failure' || (code !== undefined && mayBe(world, history, quarantine, uri, code)))
            continue;
          world.violate('I9', `${uri} is in quarantine as ${code} without a cause: ${message}`);
        }
      }
    },
    reconciled(reports) {
      for (const uri of reports.flatMap(({ missing }) => missing.sample)) {
        // A file without rows is never registered, and found missing every time.
        if (history.keys.get(uri)?.at(-1)?.content?.kind !== 'empty')
          world.violate('I9', `${uri} is missing still, says reconcile`);
      }
      for (const uri of unannouncedOf(world.schedule)) {
        if (isAccounted(uri, timeline.now()) || isReported(uri, reports) || isOfSameSize(uri)) continue;
        world.violate('I9', `${uri} is nowhere, and reconcile does not see it`);
      }
    },
  };
}

/** Segments of which the store told nobody. */
function unannouncedOf({ ops }: Schedule): ReadonlySet<string> {
  const ships = ops.flatMap((op) => (op.kind === 'ship' && op.notifyMs.length === 0 ? op.uploads : []));
  return new Set(ships.map(({ key }) => keyUri(key)));
}

/** Reconcile says why it leaves it alone, or there is no table to compare with. */
function isReported(uri: string, reports: readonly Reconciliation[]): boolean {
  const report = reports.find(({ directory }) => uri.startsWith(`${directory}/`));
  if (report === undefined) return true;
  return Object.values(report.reported).some(({ sample }) => sample.includes(uri));
}

/** Nothing was read of the object, it was denied or not even touched: its record has the ETag of the event, if any. */
function namesNoVersion(code: ErrorCode | undefined, isUntouched: boolean): boolean {
  return code === 'segment.denied' || (code === 'segment.unreadable' && isUntouched);
}

/** I6: when a message fails, nothing after it in its group is acknowledged. */
function checkOrder(world: World, { messages }: Batch, failed: ReadonlySet<string>): void {
  const stopped = new Set<string | undefined>();
  for (const { id, groupId } of messages) {
    if (failed.has(id)) stopped.add(groupId);
    else if (stopped.has(groupId))
      world.violate('I6', `group ${groupId} goes on after a message that failed`);
  }
}

/** Whether something happened that a segment may be quarantined for. */
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
      // A segment that was alone when function after function died is taken for their cause.
      return (
        contents.some(({ kind }) => kind === 'garbage') ||
        quarantine.ofSegment(uri).some(({ kind }) => kind === 'trying')
      );
    case 'segment.replaced':
      return new Set(contents.map(({ etag }) => etag)).size > 1;
    case 'segment.denied':
      return world.faults.fired.some(({ kind }) => kind === 'denied');
    case 'registration.unprovable':
      // The first snapshot of a v1 table says neither that it is the first nor what came before it.
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
