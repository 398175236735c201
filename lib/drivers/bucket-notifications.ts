import {
  GetBucketNotificationConfigurationCommand,
  PutBucketNotificationConfigurationCommand,
} from '@aws-sdk/client-s3';
import type { StoreSettings } from '../config/entry.ts';
import type { BucketNotifications, NotificationConfiguration } from '../ports/setup.ts';
import { awsError, awsFault } from './aws-client.ts';
import { bucketClient } from './bucket-client.ts';

/** The notification configuration of buckets on S3. */
export function s3Notifications(settings: StoreSettings): BucketNotifications {
  const client = bucketClient(settings);
  const attempt = async <Answer>(
    attempted: string,
    permission: string,
    answer: Promise<Answer>,
  ): Promise<Answer> => {
    try {
      return await answer;
    } catch (error) {
      throw awsError('store.unavailable', attempted, awsFault(error), permission);
    }
  };
  return {
    async read(bucket) {
      const { $metadata, ...configuration } = await attempt(
        `read the notifications of bucket "${bucket}"`,
        's3:GetBucketNotification',
        client.send(new GetBucketNotificationConfigurationCommand({ Bucket: bucket })),
      );
      return configuration as NotificationConfiguration;
    },
    async write(bucket, configuration) {
      await attempt(
        `write the notifications of bucket "${bucket}"`,
        's3:PutBucketNotification',
        client.send(
          new PutBucketNotificationConfigurationCommand({
            Bucket: bucket,
            // The SDK's types equal this port's, except that they are mutable and enumerate the events.
            NotificationConfiguration: configuration as object,
          }),
        ),
      );
    },
  };
}
