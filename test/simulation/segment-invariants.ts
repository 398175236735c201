import type { ErrorCode } from '../../lib/errors.ts';
import { decodeEvent } from '../../lib/event/decode-event.ts';
import { segmentUri } from '../../lib/event/segment-reference.ts';
import type { QuarantineRecord } from '../../lib/ports.ts';
import { parseJson } from '../../lib/spec/json.ts';
import type { Message } from '../../local/sqs/queue.ts';
import type { History, KeyState } from './history.ts';
import { datasetOf, QUARANTINE_URL } from './lake.ts';
import type { Batch, SimQueues } from './queues.ts';
import type { SimStore } from './store.ts';
import type { World } from './world.ts';

/** What must hold of every segment: at each acknowledgement (I3, I6), and when all has come to rest (I9). */
export interface SegmentInvariants {
  /** Register answered: what is acknowledged must be durable now. */
  registered(batch: Batch, failed: ReadonlySet<string>): void;
  /** The router answered: what is acknowledged must be durable or with register now. */
  routed(batch: Batch, failed: ReadonlySet<string>): void;
  atRest(): void;
}

export function segmentInvariants(
  world: World,
  history: History,
  store: SimStore,
  queues: SimQueues,
): SegmentInvariants {
  const { timeline } = world;

  function checkAcknowledged(batch: Batch, failed: ReadonlySet<string>, durable: (uri: string) => boolean) {
    for (const message of batch.messages) {
      if (failed.has(message.id)) continue;
      for (const uri of urisOf(message)) {
        if (isAccounted(uri, batch.receivedMs) || durable(uri)) continue;
        world.violate('I3', `${uri} is acknowledged, and nowhere`);
      }
    }
  }

  /** Registered, in quarantine, or nothing to register: as what the key held at some time since. */
  function isAccounted(uri: string, sinceMs: number): boolean {
    if (!history.keys.has(uri)) return true;
    return history.since(uri, sinceMs).some((state) => isSettled(uri, state));
  }

  function isSettled(uri: string, { content }: KeyState): boolean {
    if (content === undefined || content.kind === 'empty') return true;
    const registered = history.registered.get(uri) ?? [];
    if (registered.some(({ sizeBytes, rows }) => sizeBytes === content.bytes.length && rows === content.rows))
      return true;
    return failuresOf(store, uri).some(({ segment }) => (segment?.etag ?? content.etag) === content.etag);
  }

  return {
    registered(batch, failed) {
      checkOrder(world, batch, failed);
      checkAcknowledged(batch, failed, () => false);
    },
    routed: (batch, failed) => checkAcknowledged(batch, failed, (uri) => queues.holds(uri)),
    atRest() {
      for (const { name, counts } of queues.all()) {
        const { visible, inFlight, delayed } = counts();
        if (visible + inFlight + delayed > 0) world.violate('liveness', `${name} does not drain`);
      }
      for (const uri of history.keys.keys()) {
        if (!isAccounted(uri, timeline.now())) world.violate('I9', `${uri} is nowhere`);
        for (const { code, message } of failuresOf(store, uri)) {
          if (code === undefined || !mayBe(world, history, uri, code))
            world.violate('I9', `${uri} is in quarantine as ${code} without a cause: ${message}`);
        }
      }
    },
  };
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

/** The segments that a message names. */
export function urisOf({ id, body }: Pick<Message, 'id' | 'body'>): readonly string[] {
  const { messages } = decodeEvent({ Records: [{ eventSource: 'aws:sqs', messageId: id, body }] });
  return messages.flatMap(({ references }) => references.map(segmentUri));
}

export function failuresOf(store: SimStore, uri: string): readonly QuarantineRecord[] {
  return quarantineOf(store)
    .map(({ record }) => record)
    .filter(({ kind, segment }) => kind === 'failure' && segment?.uri === uri);
}

export function quarantineOf(store: SimStore): readonly { uri: string; record: QuarantineRecord }[] {
  return [...store.objects]
    .filter(([uri]) => uri.startsWith(`${QUARANTINE_URL}/`))
    .map(([uri, { bytes }]) => ({
      uri,
      record: parseJson(Buffer.from(bytes).toString()) as QuarantineRecord,
    }));
}

/** Whether something happened that a segment may be quarantined for. */
function mayBe(world: World, history: History, uri: string, code: ErrorCode): boolean {
  const contents = (history.keys.get(uri) ?? []).flatMap(({ content }) => content ?? []);
  switch (code) {
    case 'segment.unreadable':
      return contents.some(({ kind }) => kind === 'garbage');
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
