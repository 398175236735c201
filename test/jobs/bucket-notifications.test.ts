import { describe, expect, test } from 'vitest';
import {
  isNotified,
  mergeNotifications,
  type WantedNotification,
  wantedNotification,
  withEventBridge,
} from '../../lib/jobs/bucket-notifications.ts';
import type { NotificationRule } from '../../lib/ports/setup.ts';
import { entry } from '../fakes/entry.ts';

const ARN = 'arn:aws:sqs:eu-central-1:123456789012:arrivals';
const wanted: Required<WantedNotification> = {
  bucket: 'lake',
  queueArn: ARN,
  prefix: 'landing/',
  suffix: '.parquet',
};

function rule(id: string, prefix: string, suffix: string, events = ['s3:ObjectCreated:*']): NotificationRule {
  return {
    Id: id,
    QueueArn: `arn:aws:sqs:eu-central-1:123456789012:${id}`,
    Events: events,
    Filter: {
      Key: {
        FilterRules: [
          { Name: 'Prefix', Value: prefix },
          { Name: 'Suffix', Value: suffix },
        ],
      },
    },
  };
}

describe('wantedNotification', () => {
  test.each([
    ['https://sqs.eu-central-1.amazonaws.com/123456789012/arrivals', ARN],
    [
      'https://sqs.cn-north-1.amazonaws.com.cn/123456789012/arrivals',
      'arn:aws-cn:sqs:cn-north-1:123456789012:arrivals',
    ],
    [
      'https://sqs.us-gov-west-1.amazonaws.com/123456789012/arrivals',
      'arn:aws-us-gov:sqs:us-gov-west-1:123456789012:arrivals',
    ],
    [
      'http://127.0.0.1:4566/queue/us-east-1/000000000000/arrivals',
      'arn:aws:sqs:us-east-1:000000000000:arrivals',
    ],
    [
      'http://sqs.us-east-1.localhost.localstack.cloud:4566/000000000000/arrivals',
      'arn:aws:sqs:us-east-1:000000000000:arrivals',
    ],
    ['https://vpce-0a1b-2c3d.sqs.eu-central-1.vpce.amazonaws.com/123456789012/arrivals', ARN],
    ['https://sqs.eu-central-1.api.aws/123456789012/arrivals', ARN],
  ])('makes the ARN of %s', (arrivals, arn) => {
    expect(wantedNotification(entry({ url: 's3://lake/landing', queues: { arrivals } }))).toEqual({
      bucket: 'lake',
      prefix: 'landing/',
      queueArn: arn,
    });
  });

  test('is none without an arrivals queue', () => {
    expect(wantedNotification(entry({ url: 's3://lake/landing', queues: {} }))).toBeUndefined();
  });
});

describe('withEventBridge', () => {
  test('keeps every rule, and leaves alone what has it', () => {
    const existing = { QueueConfigurations: [rule('theirs', 'landing/', '.parquet')] };
    const { configuration, state } = withEventBridge(existing);
    expect({ configuration, state }).toEqual({
      configuration: { ...existing, EventBridgeConfiguration: {} },
      state: 'added',
    });
    expect(withEventBridge(configuration)).toEqual({ configuration, state: 'current' });
  });
});

describe('mergeNotifications', () => {
  test('adds ours and keeps those of others, members it does not know too', () => {
    const existing = {
      QueueConfigurations: [rule('theirs', 'landing/', '.csv')],
      TopicConfigurations: [rule('topic', 'other/', '')],
      Unknown: 1,
    };
    const { configuration, state } = mergeNotifications(existing, wanted, 'prod');
    expect(state).toBe('added');
    expect(configuration).toMatchObject({
      ...existing,
      QueueConfigurations: [existing.QueueConfigurations[0], { Id: 'iceberg-registrar-prod', QueueArn: ARN }],
    });
    expect(isNotified(configuration, wanted)).toBe(true);
  });

  test('takes a rule that lists each kind of creation for one of all', () => {
    const each = ['Put', 'Post', 'Copy', 'CompleteMultipartUpload'].map((how) => `s3:ObjectCreated:${how}`);
    const ours = (events: string[]) => ({ ...rule('by hand', '', '.parquet', events), QueueArn: ARN });
    expect(isNotified({ QueueConfigurations: [ours(each)] }, wanted)).toBe(true);
    expect(isNotified({ QueueConfigurations: [ours(each.slice(1))] }, wanted)).toBe(false);
  });

  test('leaves what is right already, under whatever name', () => {
    const existing = { QueueConfigurations: [{ ...rule('by hand', '', '.parquet'), QueueArn: ARN }] };
    expect(mergeNotifications(existing, wanted, 'x')).toEqual({ configuration: existing, state: 'current' });
  });

  test('replaces its own rule of an earlier deployment, which notified the queue of another prefix', () => {
    const earlier = { ...rule('iceberg-registrar-prod', 'uploads/', '.parquet'), QueueArn: ARN };
    const { configuration } = mergeNotifications({ QueueConfigurations: [earlier] }, wanted, 'prod');
    expect(configuration.QueueConfigurations).toHaveLength(1);
    expect(isNotified(configuration, wanted)).toBe(true);
  });

  test.each([
    ['another queue', { QueueConfigurations: [rule('iceberg-registrar-prod-2', 'uploads/', '')] }],
    ['a topic', { TopicConfigurations: [{ Id: 'iceberg-registrar-prod-2', TopicArn: 'arn:aws:sns:::t' }] }],
  ])('drops no rule of its name that notifies %s, but names stage and rule', (_, existing) => {
    expect(() => mergeNotifications(existing, wanted, 'prod', 2)).toThrow(
      /stage "prod" to bucket "lake": its rule "iceberg-registrar-prod-2" notifies "arn:.*--stage/,
    );
  });

  test.each([
    ['the same keys', rule('theirs', 'landing/', '.parquet')],
    ['a wider prefix', rule('theirs', 'land', '.parquet')],
    ['a deeper prefix without a suffix', rule('theirs', 'landing/thadam/', '')],
    ['one kind of creation', rule('theirs', '', '', ['s3:ObjectCreated:Put'])],
  ])('refuses to overlap with %s, naming the rule and the way out', (_, theirs) => {
    expect(() => mergeNotifications({ LambdaFunctionConfigurations: [theirs] }, wanted, 'x')).toThrow(
      /rule "theirs".*eventbridge/,
    );
  });

  test.each([
    ['another prefix', rule('theirs', 'exports/', '')],
    ['another suffix', rule('theirs', 'landing/', '.json')],
    ['removals', rule('theirs', '', '', ['s3:ObjectRemoved:*'])],
  ])('goes beside %s', (_, theirs) => {
    expect(mergeNotifications({ TopicConfigurations: [theirs] }, wanted, 'x').state).toBe('added');
  });
});

describe('isNotified', () => {
  test.each([
    ['nothing', {}, false],
    ['another queue', { QueueConfigurations: [rule('theirs', 'landing/', '.parquet')] }, false],
    [
      'a narrower prefix',
      { QueueConfigurations: [{ ...rule('a', 'landing/x/', ''), QueueArn: ARN }] },
      false,
    ],
    [
      'puts alone',
      { QueueConfigurations: [{ ...rule('a', '', '', ['s3:ObjectCreated:Put']), QueueArn: ARN }] },
      false,
    ],
    ['EventBridge', { EventBridgeConfiguration: {} }, true],
  ])('of a bucket with %s is as it should be', (_, configuration, expected) => {
    expect(isNotified(configuration, wanted)).toBe(expected);
  });
});
