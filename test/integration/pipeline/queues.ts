import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { StoreService } from '../services/service.ts';

export function sqsClient(service: StoreService): SQSClient {
  return new SQSClient({
    endpoint: service.endpoint,
    region: service.region,
    credentials: { accessKeyId: service.accessKeyId, secretAccessKey: service.secretAccessKey },
  });
}

export interface TestQueue {
  readonly url: string;
  readonly arn: string;
}

/** A queue with a dead-letter queue of its own kind, as the deployment makes them. */
export async function createQueues(
  client: SQSClient,
  name: string,
  options: { readonly fifo: boolean; readonly maxReceiveCount: number },
): Promise<TestQueue> {
  const suffix = options.fifo ? '.fifo' : '';
  const kind: Record<string, string> = options.fifo ? { FifoQueue: 'true' } : {};
  const deadLetters = await createQueue(client, `${name}-dlq${suffix}`, kind);
  return createQueue(client, `${name}${suffix}`, {
    ...kind,
    VisibilityTimeout: '60',
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: deadLetters.arn,
      maxReceiveCount: options.maxReceiveCount,
    }),
  });
}

async function createQueue(
  client: SQSClient,
  name: string,
  attributes: Record<string, string>,
): Promise<TestQueue> {
  const { QueueUrl = '' } = await client.send(
    new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
  );
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  return { url: QueueUrl, arn: Attributes?.['QueueArn'] ?? '' };
}
