import { expect, test } from 'vitest';
import { RegistrarError } from '../../../lib/errors.ts';
import { examineNotifications } from '../../../lib/jobs/doctor/examine-notifications.ts';
import type { NotificationConfiguration, NotificationRule } from '../../../lib/ports/setup.ts';
import { entry } from '../../fakes/entry.ts';

const ARRIVALS = 'https://sqs.eu-central-1.amazonaws.com/123456789012/iceberg-registrar-a-arrivals';
const arn = (name: string) => `arn:aws:sqs:eu-central-1:123456789012:${name}`;
const ours = arn('iceberg-registrar-a-arrivals');
const ofA = entry({ url: 's3://lake/landing', queues: { arrivals: ARRIVALS } });

function rule(target: Partial<NotificationRule>, prefix: string, suffix?: string): NotificationRule {
  const filters = [
    { Name: 'Prefix', Value: prefix },
    ...(suffix === undefined ? [] : [{ Name: 'Suffix', Value: suffix }]),
  ];
  return {
    Id: 'a rule',
    Events: ['s3:ObjectCreated:*'],
    Filter: { Key: { FilterRules: filters } },
    ...target,
  };
}

const toA = rule({ QueueArn: ours }, 'landing/', '.parquet');
const toB = rule({ QueueArn: arn('iceberg-registrar-b-arrivals') }, 'landing/', '.parquet');
const toTopic = rule({ TopicArn: 'arn:aws:sns:eu-central-1:123456789012:uploads' }, '');
const removals = { ...toB, Events: ['s3:ObjectRemoved:*'] };

test.each<[string, NotificationConfiguration, string, RegExp, RegExp?]>([
  ['ours', { QueueConfigurations: [toA] }, 'ok', /are notified to the arrivals queue/],
  [
    'ours and those of others, on other keys',
    { QueueConfigurations: [rule({ QueueArn: arn('exports') }, 'exports/'), toA, removals] },
    'ok',
    /are notified/,
  ],
  ['EventBridge', { EventBridgeConfiguration: {} }, 'ok', /EventBridge, whose rules are not looked at/],
  ['none', {}, 'warning', /"landing\/" .* are not notified/, /init notifications --stage STAGE --apply/],
  [
    'those of a second deployment on the prefix',
    { QueueConfigurations: [toB] },
    'failed',
    /notified to ".*iceberg-registrar-b-arrivals" by rule "a rule"/,
    /its own prefix/,
  ],
  [
    'those of a second deployment below the prefix',
    { QueueConfigurations: [rule({ QueueArn: arn('iceberg-registrar-b-arrivals') }, 'landing/b/')] },
    'failed',
    /two deployments on one prefix/,
    /--eventbridge/,
  ],
  [
    'a topic that has every key',
    { TopicConfigurations: [toTopic] },
    'warning',
    /sns:.*:uploads".*subscriptions are not looked at/,
    /--eventbridge/,
  ],
  [
    'every key below the prefix, manifests too (a loop)',
    { QueueConfigurations: [rule({ QueueArn: ours }, 'landing/')] },
    'failed',
    /each commit brings forth notifications/,
    /suffix filter/,
  ],
  [
    'manifests beside the segments (a loop)',
    { QueueConfigurations: [toA, rule({ QueueArn: ours }, 'landing/', '.avro')] },
    'failed',
    /manifests and metadata files too/,
  ],
])('examineNotifications of a bucket with %s', async (_, configuration, state, found, wayOut) => {
  expect(await examineNotifications(ofA, { read: async () => configuration })).toEqual({
    state,
    found: expect.stringMatching(found),
    ...(state !== 'ok' && { wayOut: expect.stringMatching(wayOut ?? /./) }),
  });
});

test.each([
  ['no arrivals queue', entry({ url: 's3://lake', queues: {} }), /no URL/],
  [
    'a queue without an ARN',
    entry({ queues: { arrivals: 'http://127.0.0.1:9324/000/arrivals' } }),
    /its ARN/,
  ],
  [
    'a store without notifications',
    entry({ queues: { arrivals: ARRIVALS }, store: { ...ofA.store, endpoint: 'https://store.example.com' } }),
    /the store does not tell/,
  ],
] as const)('examineNotifications with %s checks nothing', async (_, of, found) => {
  const read = async () => {
    throw new RegistrarError('store.unavailable', 'Cannot read the notifications: 501 NotImplemented');
  };
  expect(await examineNotifications(of, { read })).toEqual({
    state: 'not checked',
    found: expect.stringMatching(found),
  });
});

test('examineNotifications without the permission fails as such', async () => {
  const read = async () => {
    throw new RegistrarError('auth.failed', 'Cannot read the notifications: 403 AccessDenied');
  };
  await expect(examineNotifications(ofA, { read })).rejects.toMatchObject({ code: 'auth.failed' });
});
