import {
  CopyObjectCommand,
  DeleteObjectCommand,
  type Event,
  GetBucketNotificationConfigurationCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { S3EventRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formEncode } from '../../local/s3/notification.ts';
import { type Stack, startStack } from '../../local/stack.ts';

let stack: Stack;
let s3: S3Client;

beforeAll(async () => {
  stack = await startStack();
  const { s3Endpoint: endpoint, region, credentials } = stack;
  s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 });
});

afterAll(() => stack.close());

let count = 0;

/** A bucket that notifies a queue, and what came of it. */
async function notified(events: Event[], rules: Record<string, string> = {}) {
  count += 1;
  const Bucket = `bucket-${count}`;
  const queue = stack.createQueue(`queue-${count}`);
  stack.createBucket(Bucket);
  const FilterRules = Object.entries(rules).map(([Name, Value]) => ({
    Name: Name as 'prefix' | 'suffix',
    Value,
  }));
  const Filter = { Key: { FilterRules } };
  const QueueConfigurations = [{ Id: 'segments', QueueArn: queue.arn, Events: events, Filter }];
  await s3.send(
    new PutBucketNotificationConfigurationCommand({
      Bucket,
      NotificationConfiguration: { QueueConfigurations },
    }),
  );
  const received = () => {
    const messages = Array.from({ length: 5 }, () => stack.queues.byUrl(queue.url).receive(10)).flat();
    return messages.map(({ body }) => JSON.parse(body) as { Event?: string; Records?: S3EventRecord[] });
  };
  const records = () => received().flatMap(({ Records = [] }) => Records);
  return { Bucket, received, records };
}

describe('bucket notifications', () => {
  test('begin with s3:TestEvent, then tell of the object (E6)', async () => {
    const { Bucket, received } = await notified(['s3:ObjectCreated:*']);
    const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key: 'a.parquet', Body: 'segment' }));
    const [first, second, ...rest] = received();
    expect(first).toMatchObject({ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket });
    expect(second).toMatchObject({
      Records: [
        {
          eventVersion: '2.1',
          eventSource: 'aws:s3',
          eventName: 'ObjectCreated:Put',
          awsRegion: 'us-east-1',
          s3: {
            configurationId: 'segments',
            bucket: { name: Bucket, arn: `arn:aws:s3:::${Bucket}` },
            object: { key: 'a.parquet', size: 7, eTag: ETag?.replaceAll('"', '') },
          },
        },
      ],
    });
    expect(rest).toEqual([]);
  });

  test('honour prefix and suffix', async () => {
    const { Bucket, records } = await notified(['s3:ObjectCreated:*'], { prefix: 'in/', suffix: '.parquet' });
    for (const Key of ['in/a.parquet', 'in/a.json', 'out/a.parquet', 'in/b.parquet']) {
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    }
    expect(records().map((record) => record.s3.object.key)).toEqual(['in/a.parquet', 'in/b.parquet']);
  });

  test('tell copies from puts, and removals only who asked for them (E7)', async () => {
    const created = await notified(['s3:ObjectCreated:*']);
    const removed = await notified(['s3:ObjectRemoved:*']);
    for (const { Bucket } of [created, removed]) {
      await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'x' }));
      await s3.send(new CopyObjectCommand({ Bucket, Key: 'b', CopySource: `${Bucket}/a` }));
      await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));
    }
    expect(created.records().map(({ eventName }) => eventName)).toEqual([
      'ObjectCreated:Put',
      'ObjectCreated:Copy',
    ]);
    const [removal, ...rest] = removed.records();
    expect(rest).toEqual([]);
    expect(removal?.eventName).toBe('ObjectRemoved:Delete');
    expect(Object.keys(removal?.s3.object ?? {})).toEqual(['key', 'sequencer']);
  });

  test('carry sequencers that order the events of a key', async () => {
    const { Bucket, records } = await notified(['s3:ObjectCreated:*']);
    for (const Body of ['1', '2', '3']) await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body }));
    const sequencers = records().map((record) => record.s3.object.sequencer);
    expect(new Set(sequencers).size).toBe(3);
    expect([...sequencers].sort()).toEqual(sequencers);
  });

  test('refuse a FIFO queue and an absent one (E14), and keep what was set', async () => {
    const { Bucket } = await notified(['s3:ObjectCreated:Put']);
    const fifo = stack.createQueue('refused', { fifo: true });
    for (const QueueArn of [fifo.arn, `${fifo.arn}-absent`]) {
      const QueueConfigurations = [{ QueueArn, Events: ['s3:ObjectCreated:*' as const] }];
      const set = new PutBucketNotificationConfigurationCommand({
        Bucket,
        NotificationConfiguration: { QueueConfigurations },
      });
      await expect(s3.send(set)).rejects.toMatchObject({
        name: 'InvalidArgument',
        $metadata: { httpStatusCode: 400 },
      });
    }
    const kept = await s3.send(new GetBucketNotificationConfigurationCommand({ Bucket }));
    expect(kept.QueueConfigurations).toMatchObject([{ Id: 'segments', Events: ['s3:ObjectCreated:Put'] }]);
  });

  test.each([
    ['red flower.jpg', 'red+flower.jpg'],
    ['a+b/c=d.parquet', 'a%2Bb/c%3Dd.parquet'],
    ['100%.parquet', '100%25.parquet'],
    ["ü!'()*~.parquet", '%C3%BC%21%27%28%29*%7E.parquet'],
  ])('write the key "%s" as "%s" (E1)', (key, encoded) => {
    expect(formEncode(key)).toBe(encoded);
    expect(decodeURIComponent(encoded.replaceAll('+', ' '))).toBe(key);
  });
});
