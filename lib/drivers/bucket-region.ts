import { HeadBucketCommand } from '@aws-sdk/client-s3';
import type { BucketRegion } from '../ports.ts';
import { answeredRegion, awsError, awsFault } from './aws-client.ts';
import type { AwsSettings } from './aws-client-config.ts';
import { bucketClient } from './bucket-client.ts';

/** Where a bucket is, by the header that S3 answers whoever asks, in whichever region: to refusals too. */
export function s3BucketRegion(settings: AwsSettings): BucketRegion {
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
