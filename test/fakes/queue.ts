import { RegistrarError } from '../../lib/errors.ts';
import type { Clock, Queue, Random } from '../../lib/ports.ts';
import { createQueues, type Queues } from '../../local/sqs/queues.ts';
import { SqsError } from '../../local/sqs/sqs-error.ts';

export interface FakeQueue extends Queue {
  /** The queues behind it, to look into them. */
  readonly queues: Queues;
  /** A queue of a name never used before; with `maxReceiveCount` a dead-letter queue of its kind too. */
  create(wanted: {
    readonly fifo: boolean;
    readonly visibilitySeconds: number;
    readonly maxReceiveCount?: number;
  }): { readonly url: string; readonly deadLetterUrl: string };
  /** Runs before each call; what it throws is the call's failure. */
  onCall: (
    operation: 'send' | 'receive' | 'delete' | 'setVisibility',
    queueUrl: string,
  ) => void | Promise<void>;
  /** Bodies that a send does not take. */
  refuses: (body: string) => boolean;
}

/** The embedded stack's queues without HTTP between; a receive never waits. */
export function fakeQueue(clock: Clock, random: Random): FakeQueue {
  const queues = createQueues({
    region: 'us-east-1',
    now: clock.now,
    uuid: random.uuid,
    endpoint: () => 'https://sqs.us-east-1.amazonaws.com',
  });

  async function on<T>(
    operation: Parameters<FakeQueue['onCall']>[0],
    queueUrl: string,
    act: (target: ReturnType<Queues['byUrl']>) => T,
  ): Promise<T> {
    await queue.onCall(operation, queueUrl);
    try {
      return act(queues.byUrl(queueUrl));
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      throw new RegistrarError('queue.unavailable', `Cannot ${operation} on "${queueUrl}": ${error.message}`);
    }
  }

  const queue: FakeQueue = {
    queues,
    create({ fifo, visibilitySeconds, maxReceiveCount }) {
      const name = `queue-${queues.all().length + 1}`;
      const suffix = fifo ? '.fifo' : '';
      const kind = fifo ? { FifoQueue: 'true' } : {};
      const deadLetters =
        maxReceiveCount === undefined ? undefined : queues.create(`${name}-dlq${suffix}`, kind);
      const { url } = queues.create(`${name}${suffix}`, {
        ...kind,
        VisibilityTimeout: String(visibilitySeconds),
        ...(deadLetters !== undefined && {
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount }),
        }),
      });
      return { url, deadLetterUrl: deadLetters?.url ?? '' };
    },
    onCall: () => undefined,
    refuses: () => false,
    send: (queueUrl, messages) =>
      on('send', queueUrl, (target) =>
        messages.flatMap((message, index) => {
          if (queue.refuses(message.body)) return [{ index, reason: 'InternalError: scripted' }];
          try {
            target.send(message);
            return [];
          } catch (error) {
            if (error instanceof SqsError) return [{ index, reason: `${error.code}: ${error.message}` }];
            throw error;
          }
        }),
      ),
    receive: (queueUrl, { maxMessages }) =>
      on('receive', queueUrl, (target) =>
        target.receive(Math.min(maxMessages, 10)).map((message) => ({
          messageId: message.id,
          receiptHandle: message.receiptHandle ?? '',
          body: message.body,
          attributes: {
            ApproximateReceiveCount: String(message.receiveCount),
            SentTimestamp: String(message.sentMs),
            ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
            ...(message.deduplicationId !== undefined && { MessageDeduplicationId: message.deduplicationId }),
            ...(target.settings.fifo && { SequenceNumber: message.sequenceNumber }),
          },
        })),
      ),
    delete: (queueUrl, receiptHandles) =>
      on('delete', queueUrl, (target) => {
        for (const handle of receiptHandles) target.delete(handle);
      }),
    setVisibility: (queueUrl, receiptHandle, seconds) =>
      on('setVisibility', queueUrl, (target) => target.setVisibility(receiptHandle, seconds)),
  };
  return queue;
}
