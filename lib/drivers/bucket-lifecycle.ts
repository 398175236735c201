import { GetBucketLifecycleConfigurationCommand } from '@aws-sdk/client-s3';
import type { StoreSettings } from '../config/entry.ts';
import type { BucketLifecycle } from '../ports/setup.ts';
import { awsError, awsFault } from './aws-client.ts';
import { bucketClient } from './bucket-client.ts';

/** Error codes for a bucket without a configuration, or a store that does not support any. */
const NONE = new Set(['NoSuchLifecycleConfiguration']);
const UNKNOWN = new Set([400, 405, 501]);

/** The enabled lifecycle rules of a bucket on S3. */
export function s3Lifecycle(settings: StoreSettings): BucketLifecycle {
  const client = bucketClient(settings);
  return {
    async read(bucket) {
      try {
        const { Rules = [] } = await client.send(
          new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }),
        );
        return Rules.filter(({ Status }) => Status === 'Enabled').map(
          ({ ID, Expiration, Filter, Prefix }) => ({
            ...(ID !== undefined && { id: ID }),
            prefix: Filter?.Prefix ?? Filter?.And?.Prefix ?? Prefix ?? '',
            expires: Expiration?.Days !== undefined || Expiration?.Date !== undefined,
          }),
        );
      } catch (error) {
        const fault = awsFault(error);
        if (NONE.has(fault.name)) return [];
        if (UNKNOWN.has(fault.status ?? 0)) return undefined;
        throw awsError(
          'store.unavailable',
          `read the lifecycle rules of bucket "${bucket}"`,
          fault,
          's3:GetLifecycleConfiguration',
        );
      }
    },
  };
}
