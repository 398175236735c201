import { RegistrarError } from '../../lib/errors.ts';
import { decodeEvent } from '../../lib/event/decode-event.ts';
import { type SegmentReference, segmentUri } from '../../lib/event/segment-reference.ts';
import type { Queue as QueuePort, RefusedMessage } from '../../lib/ports.ts';
import type { Message, Queue } from '../../local/sqs/queue.ts';
import { createQueues } from '../../local/sqs/queues.ts';
import { SqsError } from '../../local/sqs/sqs-error.ts';
import type { Io } from './io.ts';
import type { World } from './world.ts';

/** The queues of the deployment: those of the embedded stack, on virtual time. */
export interface SimQueues {
  readonly arrivals: Queue;
  readonly registrations: Queue;
  readonly deadLetters: readonly Queue[];
  /** Called when a message becomes visible. */
  onChange: (queue: Queue, afterMs: number) => void;
  /** Sends as a shipper or S3 does. */
  send(queue: Queue, body: string, groupId?: string, deduplicationId?: string): void;
  /** Moves dead letters back to their source queues. Returns their number. */
  redrive(): number;
  /** Deletes a message. @throws SqsError if its receipt handle has expired */
  delete(queue: Queue, message: Message): void;
  /** Whether register's queue holds a message with this segment. */
  holds(uri: string): boolean;
  all(): readonly Queue[];
  /** The segments in a message. */
  referencesOf(message: Pick<Message, 'id' | 'body'>): readonly SegmentReference[];
  port(io: Io): QueuePort;
}

export function simQueues(world: World): SimQueues {
  const { visibilitySeconds, maxReceives } = world.schedule.settings;
  const draws = world.draws('queues');
  const queues = createQueues({
    region: 'us-east-1',
    now: world.timeline.now,
    uuid: draws.uuid,
    endpoint: () => 'https://sqs.us-east-1.amazonaws.com',
  });
  const withDeadLetters = (name: string, suffix: string): readonly [Queue, Queue] => {
    const kind = suffix === '' ? {} : { FifoQueue: 'true' };
    const dead = queues.create(`${name}-dlq${suffix}`, kind);
    const queue = queues.create(`${name}${suffix}`, {
      ...kind,
      VisibilityTimeout: String(visibilitySeconds),
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: dead.arn,
        maxReceiveCount: Math.max(1, maxReceives),
      }),
    });
    return [queue, dead];
  };
  const [arrivals, deadArrivals] = withDeadLetters('arrivals', '');
  const [registrations, deadRegistrations] = withDeadLetters('registrations', '.fifo');
  const deadLetters = [deadArrivals, deadRegistrations];
  const sent = new Set<string>();
  const held = new Map<string, number>();
  const references = new Map<string, readonly SegmentReference[]>();

  /** A message that the FIFO queue drops as a duplicate counts only once. */
  function put(queue: Queue, message: Parameters<Queue['send']>[0]): void {
    const taken = queue.send(message);
    if (queue !== registrations || sent.has(taken.id)) return;
    sent.add(taken.id);
    count(taken, 1);
  }

  function count(message: Message, by: 1 | -1): void {
    for (const uri of sim.referencesOf(message).map(segmentUri)) held.set(uri, (held.get(uri) ?? 0) + by);
  }

  const sim: SimQueues = {
    arrivals,
    registrations,
    deadLetters,
    onChange: () => undefined,
    send(queue, body, groupId, deduplicationId) {
      put(queue, { body, groupId, deduplicationId });
      sim.onChange(queue, 0);
    },
    redrive() {
      const moved = deadLetters.map((queue) => queues.move(queue.arn, undefined));
      sim.onChange(arrivals, 0);
      sim.onChange(registrations, 0);
      return moved.reduce((total, count) => total + count, 0);
    },
    delete(queue, message) {
      const before = sizeOf(queue);
      queue.delete(message.receiptHandle ?? '');
      if (queue === registrations && sizeOf(queue) < before) count(message, -1);
    },
    holds: (uri) => (held.get(uri) ?? 0) > 0,
    all: queues.all,
    referencesOf({ id, body }) {
      const known = references.get(body);
      if (known !== undefined) return known;
      const { messages } = decodeEvent({ Records: [{ eventSource: 'aws:sqs', messageId: id, body }] });
      const named = messages.flatMap((message) => message.references);
      references.set(body, named);
      return named;
    },
    port: (io) => ({
      send: (url, messages) => {
        const take = (some: typeof messages): void => {
          const queue = queues.byUrl(url);
          for (const message of some) put(queue, message);
          sim.onChange(queue, 0);
        };
        return io<readonly RefusedMessage[]>({
          operation: 'queue.send',
          about: `${messages.length} to ${queues.byUrl(url).name}`,
          effect: () => {
            take(messages);
            return [];
          },
          unanswered: unavailable(`send to "${url}"`),
          answers: {
            'partly taken': () => {
              take(messages.slice(1));
              return [{ index: 0, reason: 'throttled' }];
            },
          },
        });
      },
      setVisibility: (url, receiptHandle, seconds) =>
        io<void>({
          operation: 'queue.setVisibility',
          about: `${seconds} s`,
          effect: () => {
            const queue = queues.byUrl(url);
            sqs(() => queue.setVisibility(receiptHandle, seconds));
            sim.onChange(queue, seconds * 1000);
          },
          unanswered: unavailable('set a visibility'),
        }),
      receive: () => Promise.reject(new TypeError('functions do not receive')),
      delete: () => Promise.reject(new TypeError('functions do not delete')),
    }),
  };
  return sim;
}

/** The number of messages in a queue: visible, in flight or delayed. */
export function sizeOf(queue: Queue): number {
  const { visible, inFlight, delayed } = queue.counts();
  return visible + inFlight + delayed;
}

function unavailable(what: string): (why: string) => never {
  return (why) => {
    throw new RegistrarError('queue.unavailable', `Cannot ${what}: ${why}`);
  };
}

function sqs(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (error instanceof SqsError) throw new RegistrarError('queue.unavailable', error.message);
    throw error;
  }
}
