import { S3Client } from '@aws-sdk/client-s3';
import { type AwsSettings, awsClientConfig } from './aws-client-config.ts';

/** A client for requests about buckets, as opposed to their objects. */
export function bucketClient(settings: AwsSettings, { followRegionRedirects = true } = {}): S3Client {
  return new S3Client({
    ...awsClientConfig(settings),
    forcePathStyle: settings.endpoint !== undefined,
    followRegionRedirects,
  });
}
