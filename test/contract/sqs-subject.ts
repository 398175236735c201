import { setTimeout as sleep } from 'node:timers/promises';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sqsQueue } from '../../lib/drivers/sqs.ts';
import type { QueueSubject } from './queue-contract.ts';

/** The SQS driver on a service at `endpoint`, with queues whose names begin with `prefix`. */
export function sqsSubject(
  settings: {
    readonly endpoint: string;
    readonly region: string;
    readonly access_key_id: string;
    readonly secret_access_key: string;
  },
  prefix: string,
): QueueSubject {
  const { endpoint, region } = settings;
  const client = new SQSClient({
    endpoint,
    region,
    credentials: { accessKeyId: settings.access_key_id, secretAccessKey: settings.secret_access_key },
  });
  let created = 0;

  async function create(name: string, attributes: Record<string, string>): Promise<string> {
    const { QueueUrl } = await client.send(
      new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
    );
    return QueueUrl ?? '';
  }

  return {
    queue: sqsQueue(settings),
    async createQueue({ fifo, visibilitySeconds, maxReceiveCount }) {
      created += 1;
      const suffix = fifo ? '.fifo' : '';
      const kind = fifo ? { FifoQueue: 'true' } : {};
      const attributes = { ...kind, VisibilityTimeout: String(visibilitySeconds) };
      const name = `${prefix}-${created}`;
      if (maxReceiveCount === undefined) {
        return { url: await create(`${name}${suffix}`, attributes), deadLetterUrl: '' };
      }
      const deadLetterUrl = await create(`${name}-dlq${suffix}`, kind);
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
      );
      const RedrivePolicy = JSON.stringify({
        deadLetterTargetArn: Attributes['QueueArn'],
        maxReceiveCount,
      });
      return { url: await create(`${name}${suffix}`, { ...attributes, RedrivePolicy }), deadLetterUrl };
    },
    pass: async (ms) => {
      await sleep(ms);
    },
  };
}
