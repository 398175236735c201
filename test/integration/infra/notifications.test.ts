import { GetQueueAttributesCommand, GetQueueUrlCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, expect, test } from 'vitest';
import { s3Notifications } from '../../../lib/drivers/bucket-notifications.ts';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { decodeEvent } from '../../../lib/event/decode-event.ts';
import { isNotified, mergeNotifications, withEventBridge } from '../../../lib/jobs/bucket-notifications.ts';
import { createStack, type Template } from '../../../local/deploy/cloudformation.ts';
import { localPart } from '../../../local/deploy/template.ts';
import { deployable, templateOf } from '../../infra/deployable.ts';
import { sqsClient } from '../pipeline/queues.ts';
import { describeWith } from '../services/describe-with.ts';
import { storeSettings } from '../services/settings.ts';

/** The stack's queues from its synthesized template, and a bucket that others have notifications of. */
describeWith('the deployed queues', ['localstack'], ({ localstack }) => {
  const sqs = sqsClient(localstack);
  const stage = `it${Date.now().toString(36)}`;
  const { bucket } = localstack;

  async function attributesOf(queue: string) {
    const { QueueUrl } = await sqs.send(
      new GetQueueUrlCommand({ QueueName: `iceberg-registrar-${stage}-${queue}` }),
    );
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    return { QueueUrl, Attributes, arn: Attributes['QueueArn'] ?? '' };
  }

  beforeAll(async () => {
    const template = templateOf(await deployable({ stage }, { url: `s3://${bucket}/${stage}` }));
    const credentials = { accessKeyId: localstack.accessKeyId, secretAccessKey: localstack.secretAccessKey };
    await createStack(
      { ...localstack, credentials },
      `registrar-${stage}`,
      localPart(template.toJSON() as Template),
    );
  });

  test('are as the operating numbers say', async () => {
    const { Attributes } = await attributesOf('registrations.fifo');
    expect(Attributes).toMatchObject({
      FifoQueue: 'true',
      VisibilityTimeout: '360',
      MessageRetentionPeriod: '1209600',
      FifoThroughputLimit: 'perMessageGroupId',
    });
    expect(JSON.parse(Attributes['RedrivePolicy'] ?? '')).toMatchObject({
      deadLetterTargetArn: (await attributesOf('registrations-dlq.fifo')).arn,
    });
  });

  test('hear of uploads after init notifications, and so does whom the bucket told before', async () => {
    const notifications = s3Notifications(storeSettings(localstack));
    const [arrivals, others] = [await attributesOf('arrivals'), await attributesOf('arrivals-dlq')];
    const before = await notifications.read(bucket);
    const theirs = {
      Id: `theirs-${stage}`,
      QueueArn: others.arn,
      Events: ['s3:ObjectCreated:*'],
      Filter: { Key: { FilterRules: [{ Name: 'prefix', Value: `${stage}-others/` }] } },
    };
    await notifications.write(bucket, {
      ...before,
      QueueConfigurations: [...(before.QueueConfigurations ?? []), theirs],
    });

    const wanted = { bucket, queueArn: arrivals.arn, prefix: `${stage}/`, suffix: '.parquet' };
    const { configuration, state } = mergeNotifications(await notifications.read(bucket), wanted, stage);
    expect(state).toBe('added');
    await notifications.write(bucket, configuration);
    const after = await notifications.read(bucket);
    expect(isNotified(after, wanted)).toBe(true);
    expect(after.QueueConfigurations).toContainEqual(
      expect.objectContaining({ Id: theirs.Id, QueueArn: others.arn }),
    );
    expect(mergeNotifications(after, wanted, stage).state).toBe('current');

    const store = s3Store(storeSettings(localstack));
    await store.write(`s3://${bucket}/${stage}/a metadata file.json`, Buffer.from('{}'));
    await store.write(`s3://${bucket}/${stage}/a segment.parquet`, Buffer.from('PAR1'));
    const heard: string[] = [];
    while (heard.length === 0) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: arrivals.QueueUrl, WaitTimeSeconds: 5 }),
      );
      const records = Messages.map(({ Body = '', MessageId = '' }) => ({
        messageId: MessageId,
        receiptHandle: 'r',
        body: Body,
        attributes: {},
        eventSource: 'aws:sqs',
      }));
      if (records.length > 0)
        heard.push(
          ...decodeEvent({ Records: records }).messages.flatMap(({ references }) =>
            references.map(({ key }) => key),
          ),
        );
    }
    expect(heard).toEqual([`${stage}/a segment.parquet`]);

    await notifications.write(bucket, withEventBridge(after).configuration);
    expect(await notifications.read(bucket)).toMatchObject({ ...after, EventBridgeConfiguration: {} });
    await notifications.write(bucket, before);
  });
});
