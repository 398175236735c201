import { HeadBucketCommand } from '@aws-sdk/client-s3';
import type { StoreSettings } from '../config/entry.ts';
import type { BucketRegion } from '../ports/setup.ts';
import { answeredRegion, awsError, awsFault } from './aws-client.ts';
import { bucketClient } from './bucket-client.ts';

/** The region of a bucket, from a header that S3 sends to every caller in every region, even with refusals. */
export function s3BucketRegion(settings: StoreSettings): BucketRegion {
  const client = bucketClient(settings, { followRegionRedirects: false });
  return {
    async read(bucket) {
      const asked = await client.config.region();
      try {
        const { BucketRegion: actual } = await client.send(new HeadBucketCommand({ Bucket: bucket }));
        return { asked, actual };
      } catch (error) {
        const fault = awsFault(error);
        if (fault.status !== undefined) return { asked, actual: answeredRegion(error) };
        throw awsError('store.unavailable', `ask for the region of bucket "${bucket}"`, fault);
      }
    },
  };
}
