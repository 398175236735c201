import { setTimeout as sleep } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { systemRandom } from '../../lib/drivers/platform.ts';
import { quarantineIn } from '../../lib/drivers/quarantine.ts';
import { s3Store } from '../../lib/drivers/s3.ts';
import type { QuarantineRecord } from '../../lib/ports.ts';
import { createQueues, sqsClient } from '../integration/pipeline/queues.ts';
import type { CatalogService, Services } from '../integration/services/service.ts';
import { storeSettings } from '../integration/services/settings.ts';
import type { FailedMessages } from './handlers.ts';

export const url = 's3://lake/captures';
export const namespace = 'plant';
export const quarantineUrl = 's3://lake/quarantine';

/** Shorter than the slowest invocations: messages come again while a handler still works on them. */
const VISIBILITY_SECONDS = 12;
const EMPTY_WITHIN_MS = 600_000;

/** SeaweedFS, Apache's fixture, and two queues of LocalStack. */
export interface Lake {
  readonly catalog: CatalogService;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
  readonly arrivals: string;
  readonly registrations: string;
  /** Of both. */
  readonly deadLetters: readonly string[];
  /** Environment of a handler that reaches catalog and store at these addresses. */
  environment(catalogUri: string, storeEndpoint: string): Readonly<Record<string, string>>;
}

export async function openLake(
  { localstack, seaweedfsCatalog: catalog }: Pick<Services, 'localstack' | 'seaweedfsCatalog'>,
  onClose: (close: () => Promise<void>) => void,
): Promise<Lake> {
  const { endpoint, region, accessKeyId, secretAccessKey } = catalog.store;
  const sqs = sqsClient(localstack);
  const [arrivals, registrations] = await Promise.all([
    createQueues(sqs, 'arrivals', { fifo: false, maxReceiveCount: 100 }),
    createQueues(sqs, 'registrations', { fifo: true, maxReceiveCount: 100 }),
  ]);
  for (const { url: QueueUrl } of [arrivals, registrations]) {
    const Attributes = { VisibilityTimeout: String(VISIBILITY_SECONDS) };
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  }
  const credentials = { accessKeyId, secretAccessKey };
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  onClose(async () => {
    s3.destroy();
    sqs.destroy();
  });
  return {
    catalog,
    s3,
    sqs,
    arrivals: arrivals.url,
    registrations: registrations.url,
    deadLetters: [`${arrivals.url}-dlq`, registrations.url.replace(/\.fifo$/, '-dlq.fifo')],
    environment: (catalogUri, storeEndpoint) => ({
      REGISTRAR_CONFIG: JSON.stringify({
        url,
        namespace,
        catalog_uri: catalogUri,
        create_table: true,
        quarantine_url: quarantineUrl,
        queues: { arrivals: arrivals.url, registrations: registrations.url },
        store: { ...storeSettings(catalog.store), endpoint: storeEndpoint },
      }),
      AWS_REGION: localstack.region,
      AWS_ENDPOINT_URL_SQS: localstack.endpoint,
      AWS_ACCESS_KEY_ID: localstack.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localstack.secretAccessKey,
    }),
  };
}

/** What lies in quarantine. */
export async function quarantined({ catalog }: Lake): Promise<readonly QuarantineRecord[]> {
  const list = quarantineIn(s3Store(storeSettings(catalog.store)), quarantineUrl, systemRandom).list();
  return (await Array.fromAsync(list)).map(({ record }) => record);
}

export interface Outgoing {
  readonly body: string;
  /** In FIFO queues. */
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

/** Sends any number of messages, ten a request. @throws Error when the queue does not take one */
export async function sendAll(
  sqs: SQSClient,
  QueueUrl: string,
  messages: readonly Outgoing[],
): Promise<void> {
  for (let start = 0; start < messages.length; start += 10) {
    const Entries = messages.slice(start, start + 10).map(({ body, groupId, deduplicationId }, index) => ({
      Id: String(index),
      MessageBody: body,
      MessageGroupId: groupId,
      MessageDeduplicationId: deduplicationId,
    }));
    const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    if (Failed.length > 0) throw new Error(`Cannot send to "${QueueUrl}": ${Failed[0]?.Message}`);
  }
}

/** Messages of queues that are not acknowledged: visible, in flight, or delayed. */
export async function waiting(sqs: SQSClient, queueUrls: readonly string[]): Promise<number> {
  const counts = await Promise.all(
    queueUrls.map(async (QueueUrl) => {
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
      const { Attributes = {} } = await sqs.send(command);
      const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: inFlight } =
        Attributes;
      return Number(visible) + Number(inFlight) + Number(Attributes.ApproximateNumberOfMessagesDelayed);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Resolves when neither queue holds a message, twice in a row. Messages that failed and wait are to be had at once.
 * @throws Error when that takes longer than ten minutes
 */
export async function untilEmpty(lake: Lake, failed: FailedMessages): Promise<void> {
  const queues = [lake.arrivals, lake.registrations];
  const deadlineMs = Date.now() + EMPTY_WITHIN_MS;
  for (let empty = 0; empty < 2; ) {
    const count = await waiting(lake.sqs, queues);
    empty = count === 0 ? empty + 1 : 0;
    if (Date.now() > deadlineMs)
      throw new Error(`Cannot empty the queues: they still hold ${count} messages`);
    await hurry(lake.sqs, failed);
    await sleep(2_000);
  }
}

/** Ends the back-off of messages; those that were acknowledged meanwhile are none of its business. */
async function hurry(sqs: SQSClient, failed: FailedMessages): Promise<void> {
  const receipts = [...failed.values()];
  failed.clear();
  await Promise.all(
    receipts.map(({ queueUrl: QueueUrl, receiptHandle: ReceiptHandle }) =>
      sqs
        .send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
        .catch(() => {}),
    ),
  );
}
