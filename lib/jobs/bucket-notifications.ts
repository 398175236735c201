import type { Entry } from '../config/entry.ts';
import { RegistrarError } from '../errors.ts';
import type { NotificationConfiguration, NotificationRule } from '../ports.ts';

/** The part of a bucket that an entry's segments are in, and the queue that hears of them. */
export interface WantedNotification {
  readonly bucket: string;
  readonly queueArn: string;
  /** With a slash at its end; empty for a whole bucket. */
  readonly prefix: string;
  /** What segments end in; undefined where any ending will do. */
  readonly suffix?: string;
}

export interface MergedNotifications {
  readonly configuration: NotificationConfiguration;
  /** `current`: nothing is to be done. */
  readonly state: 'current' | 'added';
}

const EVERY_CREATION = 's3:ObjectCreated:*';
/** Its URLs where one address is all there is: `http://127.0.0.1:4566/queue/us-east-1/000000000000/arrivals`. */
const LOCALSTACK_QUEUE = /^http:\/\/[^/]+\/queue\/([a-z0-9-]+)\/(\d{12})\/([^/]+)$/;

/** The keys of which an entry's arrivals queue has to hear; undefined where they are not on S3, or no such queue is named. */
export function notifiedKeys({
  url,
  queues,
}: Entry): Pick<WantedNotification, 'bucket' | 'prefix'> | undefined {
  const [, bucket, key = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/s.exec(url) ?? [];
  if (bucket === undefined || queues.arrivals === undefined) return undefined;
  return { bucket, prefix: key === '' ? '' : `${key}/` };
}

/**
 * What an entry's bucket has to tell; undefined where it is not on S3, or names no arrivals queue.
 *
 * @throws `config.invalid` for a queue that has no ARN to be told by: an emulator's
 */
export function wantedNotification(entry: Entry): WantedNotification | undefined {
  const keys = notifiedKeys(entry);
  const { arrivals } = entry.queues;
  return keys && arrivals !== undefined ? { ...keys, queueArn: queueArn(arrivals) } : undefined;
}

/** Whether creations below the prefix reach the queue, or EventBridge, whose rules are not the bucket's. */
export function isNotified(
  { QueueConfigurations = [], EventBridgeConfiguration }: NotificationConfiguration,
  wanted: WantedNotification,
): boolean {
  if (EventBridgeConfiguration !== undefined) return true;
  return QueueConfigurations.some(
    (rule) =>
      rule.QueueArn === wanted.queueArn &&
      rule.Events?.includes(EVERY_CREATION) === true &&
      wanted.prefix.startsWith(filterOf(rule, 'prefix')) &&
      (wanted.suffix?.endsWith(filterOf(rule, 'suffix')) ?? true),
  );
}

/**
 * A bucket's notifications with ours added and those of others kept. S3 refuses rules that overlap, so that is found here first.
 *
 * @throws `config.invalid` naming a rule of others that overlaps
 */
export function mergeNotifications(
  existing: NotificationConfiguration,
  wanted: Required<WantedNotification>,
  id: string,
): MergedNotifications {
  if (isNotified({ QueueConfigurations: existing.QueueConfigurations ?? [] }, wanted)) {
    return { configuration: existing, state: 'current' };
  }
  const kept = (existing.QueueConfigurations ?? []).filter((rule) => rule.Id !== id);
  const others = [
    ...kept,
    ...(existing.TopicConfigurations ?? []),
    ...(existing.LambdaFunctionConfigurations ?? []),
  ];
  const overlapping = others.find((rule) => overlaps(rule, wanted));
  if (overlapping !== undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot add notifications of "${wanted.prefix}*${wanted.suffix}" to bucket "${wanted.bucket}": its rule "${overlapping.Id ?? ''}" takes some of these keys already, and S3 lets only one have them; turn on EventBridge for the bucket and deploy with "notifications: eventbridge"`,
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

function overlaps(rule: NotificationRule, { prefix, suffix }: Required<WantedNotification>): boolean {
  const [otherPrefix, otherSuffix] = [filterOf(rule, 'prefix'), filterOf(rule, 'suffix')];
  return (
    (rule.Events ?? []).some((event) => event.startsWith('s3:ObjectCreated:')) &&
    (prefix.startsWith(otherPrefix) || otherPrefix.startsWith(prefix)) &&
    (suffix.endsWith(otherSuffix) || otherSuffix.endsWith(suffix))
  );
}

/** S3 answers the names of filters as `Prefix`, takes them as `prefix`. */
function filterOf({ Filter }: NotificationRule, name: 'prefix' | 'suffix'): string {
  return Filter?.Key?.FilterRules?.find((rule) => rule.Name?.toLowerCase() === name)?.Value ?? '';
}

/** `arn:aws:sqs:eu-central-1:123456789012:arrivals` of `https://sqs.eu-central-1.amazonaws.com/123456789012/arrivals`. */
function queueArn(url: string): string {
  const local = LOCALSTACK_QUEUE.exec(url);
  if (local !== null) return `arn:aws:sqs:${local.slice(1).join(':')}`;
  const [, region, domain, account, name] =
    /^https?:\/\/sqs\.([a-z0-9-]+)\.([^/]+)\/(\d{12})\/([^/]+)$/.exec(url) ?? [];
  if (region === undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot notify the queue "${url}": its ARN is made of https://sqs.{region}.amazonaws.com/{account}/{name}`,
    );
  }
  const partition = domain?.endsWith('.cn') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
  return `arn:${partition}:sqs:${region}:${account}:${name}`;
}
