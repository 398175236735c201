import { S3Client } from '@aws-sdk/client-s3';
import type { StoreSettings } from '../config/entry.ts';
import { awsClientConfig } from './aws-client-config.ts';

/** A client for requests about buckets, as opposed to their objects. */
export function bucketClient(settings: StoreSettings, { followRegionRedirects = true } = {}): S3Client {
  return new S3Client({
    ...awsClientConfig(settings),
    forcePathStyle: settings.path_style ?? settings.endpoint !== undefined,
    followRegionRedirects,
  });
}
