import type { Entry } from '../config/entry.ts';
import { RegistrarError } from '../errors.ts';
import type { NotificationConfiguration, NotificationRule } from '../ports/setup.ts';
import { isNested } from '../spec/object-uri.ts';
import { awsQueue } from '../spec/queue-url.ts';

/** The part of a bucket with an entry's segments, and the queue to be notified of them. */
export interface WantedNotification {
  readonly bucket: string;
  readonly queueArn: string;
  /** With a trailing slash; empty for a whole bucket. */
  readonly prefix: string;
  /** Suffix of the segments; undefined if any will do. */
  readonly suffix?: string;
}

export interface MergedNotifications {
  readonly configuration: NotificationConfiguration;
  /** `current` means that nothing needs to be done. */
  readonly state: 'current' | 'added';
}

const EVERY_CREATION = 's3:ObjectCreated:*';
const EACH_CREATION = ['Put', 'Post', 'Copy', 'CompleteMultipartUpload'].map(
  (how) => `s3:ObjectCreated:${how}`,
);
/**
 * The queue URLs of LocalStack: `http://127.0.0.1:4566/queue/us-east-1/000000000000/arrivals`, with one address for all, and
 * `http://sqs.us-east-1.localhost.localstack.cloud:4566/000000000000/arrivals`.
 */
const LOCALSTACK_QUEUE =
  /^http:\/\/(?:[^/]+\/queue\/([a-z0-9-]+)|sqs\.([a-z0-9-]+)\.localhost\.localstack\.cloud(?::\d+)?)\/(\d{12})\/([^/]+)$/;

/**
 * The keys of which the entry's arrivals queue must be notified; undefined if they are not on S3 or no arrivals queue is
 * configured.
 */
export function notifiedKeys({
  url,
  queues,
}: Entry): Pick<WantedNotification, 'bucket' | 'prefix'> | undefined {
  const [, bucket, key = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/s.exec(url) ?? [];
  if (bucket === undefined || queues.arrivals === undefined) return undefined;
  return { bucket, prefix: key === '' ? '' : `${key}/` };
}

/**
 * The notification that an entry's bucket must have; undefined if it is not on S3 or names no arrivals queue.
 *
 * @throws `config.invalid` for a queue URL without an ARN (an emulator's)
 */
export function wantedNotification(entry: Entry): WantedNotification | undefined {
  const keys = notifiedKeys(entry);
  const { arrivals } = entry.queues;
  return keys && arrivals !== undefined ? { ...keys, queueArn: queueArn(arrivals) } : undefined;
}

/** The entries without those that share `url` and arrivals queue with an earlier one, and so its notifications. */
export function withOwnNotifications(entries: readonly Entry[]): readonly Entry[] {
  const byKeys = Map.groupBy(entries, ({ url, queues, store }) =>
    JSON.stringify([url, queues.arrivals, store.endpoint]),
  );
  return [...byKeys.values()].flatMap(([first]) => first ?? []);
}

/** Whether object creations below the prefix reach the queue, or EventBridge, whose rules are not part of the bucket. */
export function isNotified(
  { QueueConfigurations = [], EventBridgeConfiguration }: NotificationConfiguration,
  wanted: WantedNotification,
): boolean {
  if (EventBridgeConfiguration !== undefined) return true;
  return QueueConfigurations.some((rule) => rule.QueueArn === wanted.queueArn && takes(rule, wanted));
}

/** Whether they go to a topic of SNS, whose subscriptions are not part of the bucket: the queue may be one of them. */
export function reachesTopic(
  { TopicConfigurations = [] }: NotificationConfiguration,
  wanted: WantedNotification,
): boolean {
  return TopicConfigurations.some((rule) => takes(rule, wanted));
}

function takes(rule: NotificationRule, { prefix, suffix }: WantedNotification): boolean {
  return (
    takesEveryCreation(rule) &&
    prefix.startsWith(filterOf(rule, 'prefix')) &&
    (suffix?.endsWith(filterOf(rule, 'suffix')) ?? true)
  );
}

function takesEveryCreation({ Events = [] }: NotificationRule): boolean {
  return Events.includes(EVERY_CREATION) || EACH_CREATION.every((event) => Events.includes(event));
}

/** Endings of what the registrar writes itself, beside the segments unless its places are set apart. */
const OWN_FILES = ['metadata/x-m0.avro', 'metadata/00000-x.metadata.json', 'quarantine/x.json'];

/** Whether notifications of keys with the suffix include those of the registrar's own files. */
export function takesOwnFiles(suffix: string): boolean {
  return OWN_FILES.some((file) => file.endsWith(suffix));
}

/** A rule on object creations, and the queue, topic or function that it notifies. */
export interface CreationRule {
  readonly id: string;
  readonly target: string;
  readonly suffix: string;
}

/** The rules of a bucket that take creations of keys below the prefix, or of some of them. */
export function rulesOn(configuration: NotificationConfiguration, prefix: string): readonly CreationRule[] {
  const { QueueConfigurations, TopicConfigurations, LambdaFunctionConfigurations } = configuration;
  return [QueueConfigurations, TopicConfigurations, LambdaFunctionConfigurations]
    .flatMap((rules) => rules ?? [])
    .filter((rule) => takesCreations(rule) && isNested(filterOf(rule, 'prefix'), prefix))
    .map((rule) => ({
      id: rule.Id ?? '',
      target: targetOf(rule),
      suffix: filterOf(rule, 'suffix'),
    }));
}

/**
 * Adds our notification to a bucket's, keeping those of others. S3 refuses overlapping rules, so overlaps are found here first.
 * A rule of our name and queue is of an earlier deployment, and is replaced.
 *
 * @param number counts the entries of the configuration with notifications of their own, from 1
 * @throws `config.invalid` naming a rule that overlaps, or that has our name and notifies something else
 */
export function mergeNotifications(
  existing: NotificationConfiguration,
  wanted: Required<WantedNotification>,
  stage: string,
  number = 1,
): MergedNotifications {
  if (isNotified({ QueueConfigurations: existing.QueueConfigurations ?? [] }, wanted)) {
    return { configuration: existing, state: 'current' };
  }
  const id = `iceberg-registrar-${stage}${number === 1 ? '' : `-${number}`}`;
  const isEarlier = (rule: NotificationRule) => rule.Id === id && rule.QueueArn === wanted.queueArn;
  const kept = (existing.QueueConfigurations ?? []).filter((rule) => !isEarlier(rule));
  const others = [
    ...kept,
    ...(existing.TopicConfigurations ?? []),
    ...(existing.LambdaFunctionConfigurations ?? []),
  ];
  const namesake = others.find((rule) => rule.Id === id);
  if (namesake !== undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot add notifications of stage "${stage}" to bucket "${wanted.bucket}": its rule "${id}" notifies "${targetOf(namesake)}", not "${wanted.queueArn}"; give the stage of this queue with --stage, or remove the rule if nobody needs it any more`,
    );
  }
  const overlapping = others.find((rule) => overlaps(rule, wanted));
  if (overlapping !== undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot add notifications of "${wanted.prefix}*${wanted.suffix}" to bucket "${wanted.bucket}": its rule "${overlapping.Id ?? ''}" takes some of these keys already, and S3 lets only one have them; deploy with "notifications: eventbridge" and turn on EventBridge for the bucket: init notifications --eventbridge --apply`,
    );
  }
  const rule: NotificationRule = {
    Id: id,
    QueueArn: wanted.queueArn,
    Events: [EVERY_CREATION],
    Filter: {
      Key: {
        FilterRules: [
          { Name: 'prefix', Value: wanted.prefix },
          { Name: 'suffix', Value: wanted.suffix },
        ],
      },
    },
  };
  return { configuration: { ...existing, QueueConfigurations: [...kept, rule] }, state: 'added' };
}

/** Turns EventBridge on for a bucket, keeping its rules. Which keys reach the queue is then up to a rule of the stack. */
export function withEventBridge(existing: NotificationConfiguration): MergedNotifications {
  if (existing.EventBridgeConfiguration !== undefined) return { configuration: existing, state: 'current' };
  return { configuration: { ...existing, EventBridgeConfiguration: {} }, state: 'added' };
}

function overlaps(rule: NotificationRule, { prefix, suffix }: Required<WantedNotification>): boolean {
  const otherSuffix = filterOf(rule, 'suffix');
  return (
    takesCreations(rule) &&
    isNested(filterOf(rule, 'prefix'), prefix) &&
    (suffix.endsWith(otherSuffix) || otherSuffix.endsWith(suffix))
  );
}

/** The ARN of what a rule notifies. */
function targetOf({ QueueArn, TopicArn, LambdaFunctionArn }: NotificationRule): string {
  return QueueArn ?? TopicArn ?? LambdaFunctionArn ?? '';
}

function takesCreations({ Events = [] }: NotificationRule): boolean {
  return Events.some((event) => event.startsWith('s3:ObjectCreated:'));
}

/** The value of a rule's filter. S3 returns filter names as `Prefix` but accepts them as `prefix`. */
function filterOf({ Filter }: NotificationRule, name: 'prefix' | 'suffix'): string {
  return Filter?.Key?.FilterRules?.find((rule) => rule.Name?.toLowerCase() === name)?.Value ?? '';
}

/**
 * The ARN of a queue URL: `arn:aws:sqs:eu-central-1:123456789012:arrivals` for
 * `https://sqs.eu-central-1.amazonaws.com/123456789012/arrivals`.
 */
function queueArn(url: string): string {
  const local = LOCALSTACK_QUEUE.exec(url);
  if (local !== null) return `arn:aws:sqs:${local.slice(1).filter(Boolean).join(':')}`;
  const queue = awsQueue(url);
  if (queue === undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot notify the queue "${url}": its ARN is made of https://sqs.{region}.amazonaws.com/{account}/{name}`,
    );
  }
  const { region, account, name } = queue;
  const partition = region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
  return `arn:${partition}:sqs:${region}:${account}:${name}`;
}
