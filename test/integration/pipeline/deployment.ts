import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { PutBucketNotificationConfigurationCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { vi } from 'vitest';
import { systemRandom } from '../../../lib/drivers/platform.ts';
import { quarantineIn } from '../../../lib/drivers/quarantine.ts';
import { s3Store } from '../../../lib/drivers/s3.ts';
import type { QuarantineRecord } from '../../../lib/ports.ts';
import { startFunction } from '../../../local/lambda/function-process.ts';
import { type PollerOptions, startPoller } from '../../../local/poller.ts';
import { createBucket } from '../services/create-bucket.ts';
import type { CatalogService, StoreService } from '../services/service.ts';
import { storeSettings } from '../services/settings.ts';
import { createQueues, sqsClient } from './queues.ts';
import { s3Event } from './s3-event.ts';

const functions = join(import.meta.dirname, '../../../functions');

/** Both functions, cold in processes of their own, between real queues: as deployed, in a bucket of its own. */
export interface Deployment {
  readonly bucket: string;
  /** Where the shipper uploads. */
  readonly url: string;
  readonly namespace: readonly string[];
  readonly store: StoreService;
  readonly catalog: CatalogService;
  /** Puts an object below `url`. Where the store does not notify, the event is sent for it. */
  upload(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * Delivers every message of both queues once more, and resolves when all is acknowledged. What `route` sends again the
   * FIFO queue may swallow, so each registrations message is sent as one that it never saw too.
   */
  redeliverAll(): Promise<void>;
  /** Throws both functions away and starts them cold. */
  restart(): Promise<void>;
  /** Resolves when `register` has acknowledged each of these uploads. */
  untilAcknowledged(segments: readonly { readonly key: string }[]): Promise<void>;
  /** What lies in quarantine. */
  quarantined(): Promise<readonly QuarantineRecord[]>;
  close(): Promise<void>;
}

export interface DeployOptions {
  readonly catalog: CatalogService;
  readonly sqs: StoreService;
  /** Whether the store itself sends events to the arrivals queue. */
  readonly notifies: boolean;
  /** Settings beside those that the services dictate. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export async function deploy(options: DeployOptions): Promise<Deployment> {
  const { catalog } = options;
  const { store } = catalog;
  const id = randomUUID().slice(0, 8);
  const bucket = `shipped-${id}`;
  const url = `s3://${bucket}/lake`;
  const namespace = ['plant', `run_${id}`];
  const client = sqsClient(options.sqs);
  const s3 = new S3Client({
    endpoint: store.endpoint,
    region: store.region,
    credentials: { accessKeyId: store.accessKeyId, secretAccessKey: store.secretAccessKey },
    forcePathStyle: true,
  });
  await createBucket({ ...store, bucket });
  const [arrivals, registrations] = await Promise.all([
    createQueues(client, `arrivals-${id}`, { fifo: false, maxReceiveCount: 20 }),
    createQueues(client, `registrations-${id}`, { fifo: true, maxReceiveCount: 100 }),
  ]);
  if (options.notifies) {
    const QueueConfigurations = [
      {
        QueueArn: arrivals.arn,
        Events: ['s3:ObjectCreated:*' as const],
        Filter: { Key: { FilterRules: [{ Name: 'suffix' as const, Value: '.parquet' }] } },
      },
    ];
    await s3.send(
      new PutBucketNotificationConfigurationCommand({
        Bucket: bucket,
        NotificationConfiguration: { QueueConfigurations },
      }),
    );
  }

  const env = {
    REGISTRAR_CONFIG: JSON.stringify({
      url,
      namespace: namespace.join('.'),
      catalog_uri: catalog.uri,
      create_table: true,
      queues: { arrivals: arrivals.url, registrations: registrations.url },
      store: storeSettings(store),
      ...options.settings,
    }),
    AWS_REGION: options.sqs.region,
    AWS_ENDPOINT_URL_SQS: options.sqs.endpoint,
    AWS_ACCESS_KEY_ID: options.sqs.accessKeyId,
    AWS_SECRET_ACCESS_KEY: options.sqs.secretAccessKey,
  };
  const output: string[] = [];
  const routed: SQSRecord[] = [];
  const registered: SQSRecord[] = [];
  const startFunctions = async () => {
    const onOutput = (text: string) => output.push(text);
    const [route, register] = await Promise.all([
      startFunction(join(functions, 'route.ts'), env, { onOutput }),
      startFunction(join(functions, 'register.ts'), env, { onOutput }),
    ]);
    return { route, register };
  };
  let warm = await startFunctions();
  const poll = (done: SQSRecord[], poller: Pick<PollerOptions, 'queueUrl' | 'handler' | 'windowSeconds'>) =>
    startPoller({
      client,
      concurrency: 1,
      batchSize: 10_000,
      ...poller,
      onInvocation: ({ records, failed, error }) => {
        done.push(...records.filter((record) => !failed.includes(record)));
        if (error !== undefined) output.push(`${error}\n`);
      },
    });
  const pollers = [
    poll(routed, {
      queueUrl: arrivals.url,
      handler: (event) => warm.route.invoke(event),
      windowSeconds: 1,
    }),
    poll(registered, { queueUrl: registrations.url, handler: (event) => warm.register.invoke(event) }),
  ];

  return {
    bucket,
    url,
    namespace,
    store,
    catalog,
    async upload(key, bytes) {
      const fullKey = `lake/${key}`;
      const { ETag = '' } = await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key: fullKey, Body: bytes }),
      );
      if (options.notifies) return;
      const event = s3Event({
        bucket,
        key: fullKey,
        sizeBytes: bytes.length,
        etag: ETag.replaceAll('"', ''),
        sequencer: Date.now().toString(16).toUpperCase().padStart(16, '0'),
      });
      await client.send(new SendMessageCommand({ QueueUrl: arrivals.url, MessageBody: event }));
    },
    async redeliverAll() {
      const events = routed.map(({ body }) => body);
      for (const MessageBody of events) {
        await client.send(new SendMessageCommand({ QueueUrl: arrivals.url, MessageBody }));
      }
      await until(() => routed.length >= 2 * events.length || `${routed.length} events were routed`);
      const copies = registered.map((record) => ({ record, id: randomUUID() }));
      for (const { record, id } of copies) {
        await client.send(
          new SendMessageCommand({
            QueueUrl: registrations.url,
            MessageBody: record.body,
            MessageGroupId: record.attributes.MessageGroupId,
            MessageDeduplicationId: id,
          }),
        );
      }
      const acknowledged = () =>
        new Set(registered.map(({ attributes }) => attributes.MessageDeduplicationId ?? ''));
      await until(
        () =>
          new Set(copies.map(({ id }) => id)).isSubsetOf(acknowledged()) ||
          `${copies.length} redeliveries were not all acknowledged`,
      );
    },
    async restart() {
      const old = warm;
      warm = await startFunctions();
      await Promise.all([old.route.close(), old.register.close()]);
    },
    async untilAcknowledged(segments) {
      await until(() => {
        const acknowledged = new Set(registered.flatMap(({ body }) => keysOf(body)));
        const missing = segments.filter(({ key }) => !acknowledged.has(`lake/${key}`)).length;
        return missing === 0 || `${missing} of ${segments.length} segments were not acknowledged`;
      });
    },
    quarantined: async () => {
      const quarantine = quarantineIn(s3Store(storeSettings(store)), `${url}/_quarantine`, systemRandom);
      return (await Array.fromAsync(quarantine.list())).map(({ record }) => record);
    },
    async close() {
      await Promise.all(pollers.map((poller) => poller.stop()));
      await Promise.all([warm.route.close(), warm.register.close()]);
    },
  };

  /** Waits for `true`; a text says what is there instead. */
  async function until(done: () => true | string): Promise<void> {
    await vi.waitFor(
      () => {
        const found = done();
        if (found !== true) throw new Error(`${found}; the functions said:\n${output.join('')}`);
      },
      { timeout: 90_000, interval: 100 },
    );
  }
}

function keysOf(body: string): readonly string[] {
  const { segments } = JSON.parse(body) as { readonly segments: readonly { readonly key: string }[] };
  return segments.map(({ key }) => key);
}
