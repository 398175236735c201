import { randomUUID } from 'node:crypto';
import {
  GetObjectCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { describeWith } from './describe-with.ts';
import type { CatalogService, StoreService } from './service.ts';

/** The behaviour of each service that the rest of the suite stands on. */
describeWith('LocalStack', ['localstack'], ({ localstack }) => {
  conditionalObjects(localstack);

  test('an upload reaches a standard queue as an event', async () => {
    const sqs = new SQSClient(awsConfig(localstack));
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: `smoke-${randomUUID()}` }));
    const prefix = `smoke/${randomUUID()}/`;
    const s3 = s3Client(localstack);
    const QueueArn = `arn:aws:sqs:${localstack.region}:000000000000:${QueueUrl?.split('/').at(-1)}`;
    await s3.send(
      new PutBucketNotificationConfigurationCommand({
        Bucket: localstack.bucket,
        NotificationConfiguration: {
          QueueConfigurations: [
            {
              QueueArn,
              Events: ['s3:ObjectCreated:*'],
              Filter: { Key: { FilterRules: [{ Name: 'prefix', Value: prefix }] } },
            },
          ],
        },
      }),
    );
    await s3.send(
      new PutObjectCommand({ Bucket: localstack.bucket, Key: `${prefix}a b+ü.parquet`, Body: 'x' }),
    );
    const bodies = await receiveAll(sqs, QueueUrl, 2);
    expect(bodies[0]).toMatchObject({ Event: 's3:TestEvent' });
    expect(bodies[1]).toMatchObject({
      Records: [
        {
          eventName: 'ObjectCreated:Put',
          s3: { object: { size: 1, key: expect.stringMatching(/a(%20|\+)b%2B%C3%BC\.parquet$/) } },
        },
      ],
    });
  });

  test('a FIFO queue keeps a group in order and swallows a duplicate', async () => {
    const sqs = new SQSClient(awsConfig(localstack));
    const { QueueUrl } = await sqs.send(
      new CreateQueueCommand({ QueueName: `smoke-${randomUUID()}.fifo`, Attributes: { FifoQueue: 'true' } }),
    );
    for (const id of ['1', '2', '2', '3']) {
      await sqs.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: id,
          MessageGroupId: 'g',
          MessageDeduplicationId: id,
        }),
      );
    }
    expect(await receiveAll(sqs, QueueUrl, 3)).toEqual([1, 2, 3]);
  });
});

describeWith('SeaweedFS', ['seaweedfs'], ({ seaweedfs }) => {
  conditionalObjects(seaweedfs);
});

describeWith('Apache REST fixture over LocalStack', ['localstackCatalog'], (services) => {
  commits(services.localstackCatalog);
});

describeWith('Apache REST fixture over SeaweedFS', ['seaweedfsCatalog'], (services) => {
  commits(services.seaweedfsCatalog);
});

function conditionalObjects(store: StoreService): void {
  test('an object reads back by range, and a second If-None-Match write is refused', async () => {
    const s3 = s3Client(store);
    const at = { Bucket: store.bucket, Key: `smoke/${randomUUID()}` };
    await s3.send(new PutObjectCommand({ ...at, Body: 'PAR1 body PAR1', IfNoneMatch: '*' }));
    const read = await s3.send(new GetObjectCommand({ ...at, Range: 'bytes=-4' }));
    expect(await read.Body?.transformToString()).toBe('PAR1');
    expect(read.ContentRange).toBe('bytes 10-13/14');
    await expect(
      s3.send(new PutObjectCommand({ ...at, Body: 'other', IfNoneMatch: '*' })),
    ).rejects.toMatchObject({ $metadata: { httpStatusCode: 412 } });
    await expect(s3.send(new GetObjectCommand({ ...at, IfMatch: '"another"' }))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 412 },
    });
  });
}

function commits(catalog: CatalogService): void {
  describe('commit', () => {
    const tables = `${catalog.uri}/v1/namespaces/smoke_${randomUUID().replaceAll('-', '_')}/tables`;
    const properties = (value: string, current: string) => ({
      requirements: [{ type: 'assert-table-uuid', uuid: current }],
      updates: [{ action: 'set-properties', updates: { smoke: value } }],
    });

    test('a table is created, loaded and committed to; a stale requirement is a 409', async () => {
      const namespace = tables.split('/').at(-2);
      expect(
        (await call('POST', tables.replace(/\/[^/]+\/tables$/, ''), { namespace: [namespace] })).status,
      ).toBe(200);
      const created = await call('POST', tables, {
        name: 't',
        schema: { type: 'struct', fields: [{ id: 1, name: 'id', type: 'long', required: false }] },
      });
      expect(created.status).toBe(200);
      const uuid = created.body.metadata['table-uuid'];
      const landed = await call('POST', `${tables}/t`, properties('yes', uuid));
      expect(landed.status).toBe(200);
      const refused = await call('POST', `${tables}/t`, properties('no', randomUUID()));
      expect(refused.status).toBe(409);
      const loaded = await call('GET', `${tables}/t`);
      expect(loaded.body.metadata.properties).toMatchObject({ smoke: 'yes' });
    });
  });
}

interface CatalogAnswer {
  readonly status: number;
  readonly body: { readonly metadata: { 'table-uuid': string; properties: Record<string, string> } };
}

async function call(method: string, url: string, body?: unknown): Promise<CatalogAnswer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as CatalogAnswer['body'] };
}

/** Parsed bodies in the order of arrival; a long poll may answer fewer than there are. */
async function receiveAll(sqs: SQSClient, QueueUrl: string | undefined, count: number): Promise<unknown[]> {
  const messages: Message[] = [];
  while (messages.length < count) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }),
    );
    messages.push(...Messages);
  }
  return messages.map((message) => JSON.parse(message.Body ?? ''));
}

function awsConfig(store: StoreService) {
  return {
    endpoint: store.endpoint,
    region: store.region,
    credentials: { accessKeyId: store.accessKeyId, secretAccessKey: store.secretAccessKey },
  };
}

function s3Client(store: StoreService): S3Client {
  return new S3Client({ ...awsConfig(store), forcePathStyle: true });
}
