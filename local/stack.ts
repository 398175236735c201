import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CatalogSettings, handleCatalog } from './catalog/catalog-service.ts';
import { type MetadataFiles, openTables, type Tables } from './catalog/tables.ts';
import { type OnRequest, startHttpService } from './http-service.ts';
import type { ObjectStore } from './s3/objects.ts';
import type { Queues } from './sqs/queues.ts';
import { startStorageAndQueues } from './storage-and-queues.ts';

export interface StackOptions {
  /** The parent of tables that are created without a location; its bucket is created. @default 's3://warehouse' */
  readonly warehouse?: string;
  readonly catalog?: CatalogSettings;
  /** The clock of queues, objects and catalog, also for visibility and deduplication. @default Date.now */
  readonly now?: () => number;
  /** Called with every request of a service; may return a fault for it. */
  readonly onS3Request?: OnRequest;
  readonly onSqsRequest?: OnRequest;
  readonly onCatalogRequest?: OnRequest;
}

export interface StackQueue {
  readonly url: string;
  readonly arn: string;
  /** Of its dead-letter queue, if it has one. */
  readonly deadLetterUrl: string | undefined;
}

export interface Stack {
  readonly s3Endpoint: string;
  readonly sqsEndpoint: string;
  /** `http://127.0.0.1:49152`. Clients append `/v1` themselves, except chdb. */
  readonly catalogUri: string;
  readonly region: string;
  /** Any credentials are accepted, since signatures are not verified. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The contents of the services, for tests that bypass their protocols. */
  readonly objects: ObjectStore;
  readonly queues: Queues;
  readonly tables: Tables;
  createBucket(name: string): void;
  /** The name of a `fifo` queue gets the suffix `.fifo` if it lacks it. `deadLetter` also creates a `…-dlq` of the same kind. */
  createQueue(
    name: string,
    options?: {
      readonly fifo?: boolean;
      readonly visibilitySeconds?: number;
      readonly deadLetter?: { readonly maxReceiveCount: number };
    },
  ): StackQueue;
  /** Adds a notification of created objects from a bucket to a standard queue. */
  notify(
    bucket: string,
    queueUrl: string,
    options?: { readonly prefix?: string; readonly suffix?: string },
  ): void;
  /** Resolves when none of the queues has a message, including those in flight or delayed. */
  untilEmpty(...queueUrls: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts S3, SQS and an Iceberg REST catalog in this process, on free ports of 127.0.0.1. Everything is in memory and ends with
 * `close`.
 *
 * @example
 * const stack = await startStack();
 * stack.createBucket('lake');
 * const arrivals = stack.createQueue('arrivals', { deadLetter: { maxReceiveCount: 20 } });
 * stack.notify('lake', arrivals.url, { suffix: '.parquet' });
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { warehouse = 's3://warehouse', now = Date.now } = options;
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local-secret' };
  const uuid = randomUUID;
  const storage = await startStorageAndQueues({
    region,
    now,
    uuid,
    ...(options.onS3Request && { onS3Request: options.onS3Request }),
    ...(options.onSqsRequest && { onSqsRequest: options.onSqsRequest }),
  });
  const { s3, sqs, objects, queues } = storage;
  const tables = openTables({ database: ':memory:', warehouse, files: metadataFiles(objects), now, uuid });
  const settings: CatalogSettings = {
    tableConfig: {
      's3.endpoint': s3.url,
      's3.access-key-id': credentials.accessKeyId,
      's3.secret-access-key': credentials.secretAccessKey,
      's3.region': region,
      'client.region': region,
      's3.path-style-access': 'true',
    },
    ...options.catalog,
  };
  const catalog = await startHttpService(
    (request) => handleCatalog(tables, settings, request),
    options.onCatalogRequest && { onRequest: options.onCatalogRequest },
  );
  objects.createBucket(split(warehouse).bucket);

  return {
    s3Endpoint: s3.url,
    sqsEndpoint: sqs.url,
    catalogUri: catalog.url,
    region,
    credentials,
    objects,
    queues,
    tables,
    createBucket: (name) => objects.createBucket(name),
    createQueue(name, { fifo = false, visibilitySeconds = 30, deadLetter } = {}) {
      const base = name.replace(/\.fifo$/, '');
      const suffix = fifo ? '.fifo' : '';
      const kind: Record<string, string> = fifo ? { FifoQueue: 'true' } : {};
      const deadLetterQueue = deadLetter && queues.create(`${base}-dlq${suffix}`, kind);
      const redrive = deadLetterQueue && {
        RedrivePolicy: JSON.stringify({ ...deadLetter, deadLetterTargetArn: deadLetterQueue.arn }),
      };
      const attributes = { ...kind, ...redrive, VisibilityTimeout: String(visibilitySeconds) };
      const queue = queues.create(`${base}${suffix}`, attributes);
      return { url: queue.url, arn: queue.arn, deadLetterUrl: deadLetterQueue?.url };
    },
    notify(bucket, queueUrl, { prefix = '', suffix = '' } = {}) {
      const events = ['s3:ObjectCreated:*'];
      const added = { id: uuid(), queueArn: queues.byUrl(queueUrl).arn, events, prefix, suffix };
      storage.setNotifications(bucket, [...storage.notifications(bucket), added]);
    },
    async untilEmpty(...queueUrls) {
      const holding = () => queueUrls.some((url) => !isEmpty(queues, url));
      while (holding()) await sleep(10);
    },
    async close() {
      await Promise.all([s3.close(), sqs.close(), catalog.close()]);
      tables.close();
    },
  };
}

function isEmpty(queues: Queues, url: string): boolean {
  const { visible, inFlight, delayed } = queues.byUrl(url).counts();
  return visible + inFlight + delayed === 0;
}

/** Stores the catalog's files in the same S3, where they trigger notifications like any object. */
function metadataFiles(objects: ObjectStore): MetadataFiles {
  return {
    async read(uri) {
      const { bucket, key } = split(uri);
      return objects.hasBucket(bucket) ? objects.get(bucket, key)?.bytes : undefined;
    },
    async write(uri, bytes) {
      const { bucket, key } = split(uri);
      objects.put(bucket, key, Buffer.from(bytes), { headers: { 'content-type': 'application/json' } });
    },
  };
}

function split(uri: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = '', key = ''] = /^s3[an]?:\/\/([^/]+)\/?(.*)$/s.exec(uri) ?? [];
  return { bucket, key };
}
