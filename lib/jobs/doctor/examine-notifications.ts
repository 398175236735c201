import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import type { BucketNotifications, NotificationConfiguration } from '../../ports/setup.ts';
import {
  isNotified,
  notifiedKeys,
  reachesTopic,
  rulesOn,
  takesOwnFiles,
  type WantedNotification,
  wantedNotification,
} from '../bucket-notifications.ts';
import { type Found, failed, notChecked, ok, warning } from './finding.ts';

const APPLY = 'iceberg-registrar init notifications --stage STAGE --apply (docs/deploying-aws.md)';

/** Where the bucket sends notifications of the entry's segments: here, nowhere, or to another deployment. */
export async function examineNotifications(
  entry: Entry,
  notifications: Pick<BucketNotifications, 'read'>,
): Promise<Found> {
  const wanted = wantedOf(entry);
  if (typeof wanted === 'string') return notChecked(wanted);
  const configuration = await read(entry, wanted.bucket, notifications);
  if (configuration === undefined) return notChecked('the store does not tell of notifications');
  const below = `objects below "${wanted.prefix}" of bucket "${wanted.bucket}"`;
  const rules = rulesOn(configuration, wanted.prefix);

  const looping = rules.find((rule) => rule.target === wanted.queueArn && takesOwnFiles(rule.suffix));
  if (looping !== undefined) {
    return failed(
      `rule "${looping.id}" notifies the arrivals queue of manifests and metadata files too: each commit brings forth notifications`,
      'give the rule a suffix filter, such as ".parquet"',
    );
  }
  if (isNotified({ QueueConfigurations: configuration.QueueConfigurations ?? [] }, wanted))
    return ok(`${below} are notified to the arrivals queue`);
  if (configuration.EventBridgeConfiguration !== undefined)
    return ok(`bucket "${wanted.bucket}" notifies EventBridge, whose rules are not looked at`);
  const other = rules.find(({ target }) => target !== wanted.queueArn);
  if (other !== undefined && reachesTopic(configuration, wanted)) {
    return warning(
      `${below} are notified to the topic "${other.target}" by rule "${other.id}", whose subscriptions are not looked at`,
      'subscribe the arrivals queue to it, or deploy with "notifications: eventbridge" and run iceberg-registrar init notifications --eventbridge --apply',
    );
  }
  if (other !== undefined) {
    return failed(
      `${below} are notified to "${other.target}" by rule "${other.id}", and S3 lets only one rule have them: two deployments on one prefix, or another consumer`,
      'give each deployment its own prefix, or deploy with "notifications: eventbridge" and run iceberg-registrar init notifications --eventbridge --apply',
    );
  }
  return warning(`${below} are not notified to "${wanted.queueArn}"`, APPLY);
}

/** What the bucket should notify of, or why that is not known. */
function wantedOf(entry: Entry): WantedNotification | string {
  if (notifiedKeys(entry) === undefined) return 'no URL of the arrivals queue is configured';
  try {
    return wantedNotification(entry) ?? 'the segments are not on S3';
  } catch (error) {
    // An emulator's queue has no ARN.
    if (error instanceof RegistrarError) return error.message;
    throw error;
  }
}

/** Undefined if the store, which is not AWS's, does not support notifications. */
async function read(
  { store }: Entry,
  bucket: string,
  notifications: Pick<BucketNotifications, 'read'>,
): Promise<NotificationConfiguration | undefined> {
  try {
    return await notifications.read(bucket);
  } catch (error) {
    const isOther = store.endpoint !== undefined;
    if (isOther && error instanceof RegistrarError && error.code === 'store.unavailable') return undefined;
    throw error;
  }
}
