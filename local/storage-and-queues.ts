import { type HttpService, type OnRequest, startHttpService } from './http-service.ts';
import { createMultipartUploads } from './s3/multipart.ts';
import { changeEvent, type QueueConfiguration, testEvent, wants } from './s3/notification.ts';
import { createObjectStore, type ObjectChange, type ObjectStore } from './s3/objects.ts';
import { S3Error } from './s3/s3-error.ts';
import { handleS3 } from './s3/s3-service.ts';
import { createQueues, type Queues } from './sqs/queues.ts';
import { handleSqs } from './sqs/sqs-service.ts';

export interface StorageAndQueues {
  readonly s3: HttpService;
  readonly sqs: HttpService;
  /** The contents of the services, for tests that bypass their protocols. */
  readonly objects: ObjectStore;
  readonly queues: Queues;
  notifications(bucket: string): readonly QueueConfiguration[];
  /** Like PutBucketNotificationConfiguration: replaces the bucket's notifications, and sends `s3:TestEvent`. */
  setNotifications(bucket: string, configurations: readonly QueueConfiguration[]): void;
}

/**
 * S3 and SQS in memory, on 127.0.0.1, with the features on which this project relies: conditional writes and reads, clamped ranges, bucket
 * notifications, FIFO groups and dead-letter queues. The contract tests compare them with real services.
 */
export async function startStorageAndQueues(options: {
  readonly region: string;
  readonly now: () => number;
  readonly uuid: () => string;
  readonly onS3Request?: OnRequest;
  readonly onSqsRequest?: OnRequest;
}): Promise<StorageAndQueues> {
  const { region, now, uuid } = options;
  const configurations = new Map<string, readonly QueueConfiguration[]>();
  let sequence = BigInt(now()) << 20n;

  const deliver = (change: ObjectChange): void => {
    const sequencer = (sequence++).toString(16).toUpperCase().padStart(18, '0');
    for (const configuration of configurations.get(change.bucket) ?? []) {
      if (!wants(configuration, change)) continue;
      const event = changeEvent(change, {
        configurationId: configuration.id,
        region,
        nowMs: now(),
        sequencer,
      });
      queues.byArn(configuration.queueArn)?.send({ body: JSON.stringify(event) });
    }
  };
  const setNotifications: StorageAndQueues['setNotifications'] = (bucket, wanted) => {
    const targets = wanted.map(({ queueArn }) => {
      const queue = queues.byArn(queueArn);
      if (queue && !queue.settings.fifo) return queue;
      const reason = queue ? 'FIFO queues are not allowed' : 'it does not exist';
      throw new S3Error(
        400,
        'InvalidArgument',
        `Unable to validate the destination "${queueArn}": ${reason}`,
      );
    });
    configurations.set(bucket, wanted);
    for (const queue of targets) queue.send({ body: JSON.stringify(testEvent(bucket, now(), uuid())) });
  };

  const objects = createObjectStore({ now, onChange: deliver });
  const uploads = createMultipartUploads(objects, uuid);
  const notifications: StorageAndQueues['notifications'] = (bucket) => configurations.get(bucket) ?? [];
  const sqs = await startHttpService(
    (request) => handleSqs(queues, request, now),
    options.onSqsRequest && { onRequest: options.onSqsRequest },
  );
  const queues = createQueues({ region, now, uuid, endpoint: () => sqs.url });
  const s3 = await startHttpService(
    (request) => handleS3({ objects, uploads, notifications, setNotifications, uuid }, request),
    options.onS3Request && { onRequest: options.onS3Request },
  );
  return { s3, sqs, objects, queues, notifications, setNotifications };
}
