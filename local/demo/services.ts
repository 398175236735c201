import { setTimeout as sleep } from 'node:timers/promises';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { sqsQueue } from '../../lib/drivers/sqs.ts';
import type { QuarantineRecord } from '../../lib/ports.ts';
import { changeEvent } from '../s3/notification.ts';
import { type Stack, type StackQueue, startStack } from '../stack.ts';
import { type Lake, lakeOf } from './lake.ts';

/** Embedded services like those of a deployment: a bucket with notifications, two queues with dead-letter queues, a catalog. */
export interface Services {
  readonly stack: Stack;
  readonly lake: Lake;
  readonly sqs: SQSClient;
  /** The standard queue that the bucket notifies. */
  readonly arrivals: StackQueue;
  /** The FIFO queue that `route` sends to and `register` reads. */
  readonly registrations: StackQueue;
  /** `REGISTRAR_CONFIG` and the platform's environment variables for these services. */
  readonly environment: Readonly<Record<string, string>>;
  /** Puts an object below the shipper's `url`, and returns its URI. */
  upload(key: string, bytes: Uint8Array): Promise<string>;
  /** Sends the notifications of objects again, since queues may deliver twice. */
  deliverAgain(uris: readonly string[]): Promise<void>;
  /** Resolves when no message waits or is in flight. @throws when that takes longer than a minute */
  idle(): Promise<void>;
  /** The number of messages in the dead-letter queues. */
  deadLetters(): number;
  quarantine(): readonly QuarantineRecord[];
  close(): Promise<void>;
}

const bucket = 'lake';
const idleLimitMs = 60_000;

/** Starts all services for the functions in this process, on free ports. */
export async function startServices(): Promise<Services> {
  const stack = await startStack({ warehouse: `s3://${bucket}/warehouse` });
  const { accessKeyId, secretAccessKey } = stack.credentials;
  const arrivals = stack.createQueue('arrivals', {
    visibilitySeconds: 370,
    deadLetter: { maxReceiveCount: 20 },
  });
  const registrations = stack.createQueue('registrations', {
    fifo: true,
    visibilitySeconds: 360,
    deadLetter: { maxReceiveCount: 100 },
  });
  stack.notify(bucket, arrivals.url, { prefix: 'captures/', suffix: '.parquet' });

  const { region, credentials } = stack;
  const s3 = new S3Client({ region, credentials, endpoint: stack.s3Endpoint, forcePathStyle: true });
  const sqs = new SQSClient({ region, credentials, endpoint: stack.sqsEndpoint });
  const keyOf = (uri: string): string => uri.slice(`s3://${bucket}/`.length);
  const deadLetterUrls = [arrivals, registrations].flatMap(({ deadLetterUrl }) => deadLetterUrl ?? []);
  const config = {
    url: `s3://${bucket}/captures`,
    catalog_uri: stack.catalogUri,
    namespace: 'plant',
    create_table: true,
    quarantine_url: `s3://${bucket}/quarantine`,
    queues: { arrivals: arrivals.url, registrations: registrations.url },
    store: {
      endpoint: stack.s3Endpoint,
      region,
      allow_http: true,
      path_style: true,
      access_key_id: accessKeyId,
      secret_access_key: secretAccessKey,
    },
  };

  return {
    stack,
    lake: lakeOf(stack, bucket),
    sqs,
    arrivals,
    registrations,
    environment: {
      REGISTRAR_CONFIG: JSON.stringify(config),
      AWS_REGION: region,
      AWS_ENDPOINT_URL_SQS: stack.sqsEndpoint,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    async upload(key, bytes) {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `captures/${key}`, Body: bytes }));
      return `s3://${bucket}/captures/${key}`;
    },
    async deliverAgain(uris) {
      const bodies = uris.map((uri, index) => {
        const key = keyOf(uri);
        const object = stack.objects.get(bucket, key);
        const sequencer = index.toString(16).padStart(16, '0');
        const at = { configurationId: 'again', region, nowMs: Date.now(), sequencer };
        return JSON.stringify(changeEvent({ name: 'ObjectCreated:Put', bucket, key, object }, at));
      });
      const queue = sqsQueue({
        endpoint: stack.sqsEndpoint,
        region,
        access_key_id: accessKeyId,
        secret_access_key: secretAccessKey,
      });
      await queue.send(
        arrivals.url,
        bodies.map((body) => ({ body })),
      );
    },
    async idle() {
      const empty = stack.untilEmpty(arrivals.url, registrations.url).then(() => true);
      if (await Promise.race([empty, sleep(idleLimitMs, false, { ref: false })])) return;
      throw new Error(`Cannot wait for the queues: they still hold messages after ${idleLimitMs / 1000} s`);
    },
    deadLetters: () =>
      deadLetterUrls.reduce((total, url) => total + stack.queues.byUrl(url).counts().visible, 0),
    quarantine: () =>
      stack.objects
        .list(bucket, { prefix: 'quarantine/', delimiter: '', after: '', max: 1000 })
        .objects.map(({ bytes }) => JSON.parse(bytes.toString()) as QuarantineRecord),
    async close() {
      s3.destroy();
      sqs.destroy();
      await stack.close();
    },
  };
}
