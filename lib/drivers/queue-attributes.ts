import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { awsError, awsFault } from './aws-client.ts';
import { sqsClient } from './sqs-client.ts';

/** The attributes of a queue on which the registrar depends. */
export interface QueueAttributes {
  readonly fifo: boolean;
  readonly visibilitySeconds: number;
  /** Undefined if the queue has no dead-letter queue. */
  readonly maxReceiveCount: number | undefined;
  /** The URL of the dead-letter queue, which lies in the same account and region. */
  readonly deadLetterUrl: string | undefined;
  /** The number of messages that are visible, in flight or delayed. */
  readonly messages: number;
}

const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** Asks SQS for the attributes of a queue, without receiving messages. @throws `queue.unavailable`, `auth.failed`, `config.invalid` */
export async function readQueueAttributes(queueUrl: string): Promise<QueueAttributes> {
  const client = sqsClient(queueUrl);
  try {
    const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] });
    const { Attributes = {} } = await client.send(command);
    const redrive = JSON.parse(Attributes['RedrivePolicy'] ?? '{}') as {
      readonly maxReceiveCount?: unknown;
      readonly deadLetterTargetArn?: string;
    };
    const deadLetterName = redrive.deadLetterTargetArn?.split(':').at(-1);
    return {
      fifo: Attributes['FifoQueue'] === 'true',
      visibilitySeconds: Number(Attributes['VisibilityTimeout']),
      maxReceiveCount: redrive.maxReceiveCount === undefined ? undefined : Number(redrive.maxReceiveCount),
      deadLetterUrl: deadLetterName && queueUrl.replace(/[^/]+$/, deadLetterName),
      messages: COUNTS.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0),
    };
  } catch (error) {
    throw awsError('queue.unavailable', `look at the queue "${queueUrl}"`, awsFault(error));
  }
}
