import { RegistrarError } from '../../lib/errors.ts';
import type { Clock, Queue, Random } from '../../lib/ports.ts';
import { createQueues, type Queues } from '../../local/sqs/queues.ts';
import { SqsError } from '../../local/sqs/sqs-error.ts';

export interface FakeQueue extends Queue {
  /** The queues behind it: create them here, look into them here. */
  readonly queues: Queues;
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
    onCall: () => undefined,
    refuses: () => false,
    send: (queueUrl, messages) =>
      on('send', queueUrl, (target) =>
        messages.flatMap((message, index) => {
          if (queue.refuses(message.body)) return [index];
          try {
            target.send(message);
            return [];
          } catch (error) {
            if (error instanceof SqsError) return [index];
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
