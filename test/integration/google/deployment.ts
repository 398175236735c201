import { randomUUID } from 'node:crypto';
import { systemRandom } from '../../../lib/drivers/platform.ts';
import { quarantineIn } from '../../../lib/drivers/quarantine.ts';
import type { QuarantineRecord, ReceivedMessage, Store } from '../../../lib/ports.ts';
import type { PyIcebergTable } from '../readers/pyiceberg.ts';
import { runPython } from '../readers/python.ts';
import { createGoogleBucket } from '../services/google.ts';
import { untilReady } from '../services/ready.ts';
import type { GoogleService } from '../services/service.ts';
import { pubsubOf, putResource, storageOf } from './emulated.ts';
import { type FunctionServer, serveFunction } from './function-server.ts';

export const MAX_DELIVERY_ATTEMPTS = 5;

/** Both targets of the bundle, cold in processes of their own, beside a bucket that notifies a topic: as deployed. */
export interface GoogleDeployment {
  readonly store: Store;
  readonly bucket: string;
  /** Where the shipper uploads. */
  readonly url: string;
  readonly topic: string;
  /** What the target `pull` is asked to take. */
  readonly subscription: string;
  readonly deadLetters: string;
  readonly env: Readonly<Record<string, string>>;
  readonly register: FunctionServer;
  readonly pull: FunctionServer;
  /** Uploads below `url`; resolves when the notification has reached every subscription. Answers what a push would bring. */
  upload(key: string, bytes: Uint8Array): Promise<string>;
  /** What the target `pull` answers: it takes all that the subscription holds. */
  pulled(subscription?: string): Promise<{ readonly status: number; readonly answer: unknown }>;
  /** Empties the subscription, as if what it holds had never come. */
  acknowledgeAll(): Promise<void>;
  /** Sends the event of an uploaded object as Eventarc does; answers the status. */
  cloudEvent(key: string): Promise<number>;
  table(name: string): Promise<PyIcebergTable>;
  quarantined(): Promise<readonly QuarantineRecord[]>;
  /** A second subscription of the topic, which holds everything once more. */
  readonly redelivery: string;
  close(): Promise<void>;
}

/**
 * @param folder what `deployedFolder` answered
 * @param options.endpoint what the functions take for Cloud Storage. @default the emulator
 * @param options.tables where tables and quarantine lie: `beside` what the bucket notifies of, or in it, which no suffix keeps apart
 */
export async function deployOnGoogle(
  google: GoogleService,
  folder: string,
  {
    endpoint = google.storageEndpoint,
    tables = 'beside',
  }: { readonly endpoint?: string; readonly tables?: 'beside' | 'in the shipper’s directory' } = {},
): Promise<GoogleDeployment> {
  const id = randomUUID().slice(0, 8);
  const bucket = `shipped-${id}`;
  const url = `gs://${bucket}/lake`;
  const quarantineUrl = tables === 'beside' ? `gs://${bucket}/quarantine` : `${url}/_quarantine`;
  const namespace = [`run_${id}`];
  const named = (kind: string, name: string) => `projects/${google.project}/${kind}/${name}-${id}`;
  const topic = named('topics', 'arrivals');
  const deadTopic = named('topics', 'dead-letters');
  const subscription = named('subscriptions', 'arrivals');
  const probe = named('subscriptions', 'probe');
  const redelivery = named('subscriptions', 'redelivery');
  const deadLetters = named('subscriptions', 'dead-letters');
  const queue = pubsubOf(google);
  const store = storageOf(google);

  await createGoogleBucket(google, bucket);
  await Promise.all([topic, deadTopic].map((name) => putResource(google, name)));
  const deadLetterPolicy = { deadLetterTopic: deadTopic, maxDeliveryAttempts: MAX_DELIVERY_ATTEMPTS };
  await putResource(google, subscription, { topic, ackDeadlineSeconds: 600, deadLetterPolicy });
  for (const [name, of] of [
    [probe, topic],
    [redelivery, topic],
    [deadLetters, deadTopic],
  ] as const) {
    await putResource(google, name, { topic: of, ackDeadlineSeconds: 600 });
  }
  await notify(google, bucket, topic);

  const env = {
    REGISTRAR_CONFIG: JSON.stringify({
      url,
      namespace: namespace.join('.'),
      catalog_uri: google.catalogUri,
      create_table: true,
      queues: { registrations: topic },
      quarantine_url: quarantineUrl,
      ...(tables === 'beside' && { table_location: `gs://${bucket}/tables/{dataset}` }),
      store: { endpoint, allow_http: true },
    }),
    PUBSUB_EMULATOR_HOST: new URL(google.pubsubEndpoint).host,
  };
  const [register, pull] = await Promise.all([
    serveFunction(folder, 'register', env),
    serveFunction(folder, 'pull', env),
  ]);

  return {
    store,
    bucket,
    url,
    topic,
    subscription,
    redelivery,
    deadLetters,
    env,
    register,
    pull,
    async upload(key, bytes) {
      await store.write(`${url}/${key}`, bytes);
      const seen: ReceivedMessage[] = [];
      await untilReady(
        `the notification of "${key}"`,
        async () => {
          seen.push(...(await queue.receive(probe, { maxMessages: 1_000, waitSeconds: 0 })));
          return seen.some(({ body }) => body.includes(`lake/${key}`));
        },
        { timeoutMs: 30_000 },
      );
      return seen.find(({ body }) => body.includes(`lake/${key}`))?.body ?? '';
    },
    async pulled(from = subscription) {
      const response = await post(pull.url, {}, { subscription: from });
      const text = await response.text();
      return { status: response.status, answer: response.ok ? JSON.parse(text) : text };
    },
    async acknowledgeAll() {
      for (;;) {
        const received = await queue.receive(subscription, { maxMessages: 1_000, waitSeconds: 0 });
        if (received.length === 0) return;
        await queue.delete(
          subscription,
          received.map(({ receiptHandle }) => receiptHandle),
        );
      }
    },
    async cloudEvent(key) {
      const name = encodeURIComponent(`lake/${key}`);
      const resource = await fetch(`${google.storageEndpoint}/storage/v1/b/${bucket}/o/${name}`);
      const headers = {
        'ce-specversion': '1.0',
        'ce-id': randomUUID(),
        'ce-type': 'google.cloud.storage.object.v1.finalized',
        'ce-source': `//storage.googleapis.com/projects/_/buckets/${bucket}`,
        'ce-subject': `objects/lake/${key}`,
      };
      return (await post(register.url, headers, await resource.json())).status;
    },
    table: async (name) => {
      const catalog = { uri: google.catalogUri, storageEndpoint: google.storageEndpoint };
      return (await runPython('pyiceberg_reader.py', { catalog, namespace, name })) as PyIcebergTable;
    },
    quarantined: async () => {
      const quarantine = quarantineIn(store, quarantineUrl, systemRandom);
      return (await Array.fromAsync(quarantine.list())).map(({ record }) => record);
    },
    close: async () => {
      await Promise.all([register.close(), pull.close()]);
    },
  };
}

/** Has the bucket tell the topic of its new objects below `lake/`. */
async function notify(google: GoogleService, bucket: string, topic: string): Promise<void> {
  const response = await post(
    `${google.storageEndpoint}/storage/v1/b/${bucket}/notificationConfigs`,
    {},
    {
      topic: `//pubsub.googleapis.com/${topic}`,
      payload_format: 'JSON_API_V1',
      event_types: ['OBJECT_FINALIZE'],
      object_name_prefix: 'lake/',
    },
  );
  if (!response.ok) throw new Error(`Cannot have "${bucket}" notify "${topic}": ${await response.text()}`);
}

function post(url: string, headers: Readonly<Record<string, string>>, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}
