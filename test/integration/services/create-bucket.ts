import { type BucketLocationConstraint, CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { StoreService } from './service.ts';

/** Creates the service's bucket; retried by the SDK while a store that says it is ready still gathers itself. */
export async function createBucket(store: StoreService): Promise<void> {
  const client = new S3Client({
    endpoint: store.endpoint,
    region: store.region,
    credentials: { accessKeyId: store.accessKeyId, secretAccessKey: store.secretAccessKey },
    forcePathStyle: true,
    maxAttempts: 8,
  });
  await client.send(
    new CreateBucketCommand({
      Bucket: store.bucket,
      // It has no name: it is where a bucket is that names none.
      ...(store.region !== 'us-east-1' && {
        CreateBucketConfiguration: { LocationConstraint: store.region as BucketLocationConstraint },
      }),
    }),
  );
  client.destroy();
}
