/**
 * Chooses the platform's driver by name: AWS for `s3://` and queue URLs, Google for `gs://` and `projects/…`. Drivers are loaded when they
 * are used, so that a function starts only with the code of its own platform.
 */
import type { Entry } from '../config/entry.ts';
import type { Environment } from '../config/overrides.ts';
import type { EarlySockets } from '../drivers/early-sockets.ts';
import { fileStore } from '../drivers/file-store.ts';
import { httpSender } from '../drivers/http.ts';
import { systemClock, systemRandom, systemTimers } from '../drivers/platform.ts';
import type { PubSubSettings } from '../drivers/pubsub.ts';
import type { QueueAttributes } from '../drivers/queue-attributes.ts';
import { parseS3Uri } from '../drivers/s3/address.ts';
import { plainEndpoint } from '../drivers/s3/requests.ts';
import { s3Sender, s3Store } from '../drivers/s3.ts';
import { storeByScheme } from '../drivers/store-by-scheme.ts';
import type { MakeStore } from '../drivers/vended-store.ts';
import { once } from '../memo.ts';
import type { BucketNotifications, QueueWatch } from '../ports/setup.ts';
import type { Queue, Store } from '../ports.ts';
import { isPubSub } from '../spec/queue-url.ts';

/** Stores with their own connections. @param early connections that are already open */
export function storeMaker(env: Environment, early?: EarlySockets): MakeStore {
  const send = s3Sender(early);
  return (settings, googleToken) =>
    storeByScheme(s3Store(settings, { env, send }), async () => {
      const [{ gcsStore }, ports] = await Promise.all([import('../drivers/gcs.ts'), googlePorts()]);
      const accessToken = googleToken === undefined ? ports.accessToken : async () => googleToken;
      return gcsStore(settings, { ...ports, send, accessToken });
    });
}

/** Connects to the bucket of an entry, if its endpoint follows from its name. */
export function connectStore({ url, store }: Entry, env: Environment, early: EarlySockets): void {
  if (!url.startsWith('s3://')) return;
  const region = store.region ?? env['AWS_REGION'] ?? '';
  const endpoint = plainEndpoint(parseS3Uri(url).bucket, region, store, env);
  if (endpoint !== undefined) early.open(endpoint.origin);
}

/** Reads a file that is named on the command line: an object, with the credentials of the environment, or a local file. */
export function storeOfName(name: string, env: Environment): Pick<Store, 'read'> {
  return /^(s3[an]?|gs):\/\//.test(name) ? storeMaker(env)({}) : fileStore();
}

/**
 * Queues by name: topics and subscriptions of Pub/Sub, and URLs of SQS. A driver is loaded with its first use, since most registrations
 * never change the visibility of a message.
 */
export function queueByName(env: Environment): Queue {
  const sqs = once(async () => (await import('../drivers/sqs.ts')).sqsQueue());
  const pubsub = once(async () => {
    const [{ pubsubQueue }, ports] = await Promise.all([import('../drivers/pubsub.ts'), googlePorts()]);
    return pubsubQueue(pubsubSettings(env), ports);
  });
  const driverOf = (name: string) => (isPubSub(name) ? pubsub() : sqs());
  return {
    send: async (name, ...of) => (await driverOf(name)).send(name, ...of),
    receive: async (name, ...of) => (await driverOf(name)).receive(name, ...of),
    delete: async (name, ...of) => (await driverOf(name)).delete(name, ...of),
    setVisibility: async (name, ...of) => (await driverOf(name)).setVisibility(name, ...of),
  };
}

/** The attributes of an SQS queue, for checks. */
export async function queueSetup(queueUrl: string): Promise<QueueAttributes> {
  return (await import('../drivers/queue-attributes.ts')).readQueueAttributes(queueUrl);
}

/** The backlog of SQS queues, with ages if CloudWatch knows them. */
export function queueWatch(env: Environment): QueueWatch {
  const settings = { endpoint: env['AWS_ENDPOINT_URL_CLOUDWATCH'] };
  return {
    count: queueSetup,
    ages: async (urls) =>
      (await import('../drivers/queue-ages.ts')).oldestMessageAges(urls, settings, systemClock),
  };
}

/** The notification configuration of an entry's bucket. */
export function bucketNotifications({ store }: Entry): BucketNotifications {
  const load = async () => (await import('../drivers/bucket-notifications.ts')).s3Notifications(store);
  return {
    read: async (bucket) => (await load()).read(bucket),
    write: async (bucket, configuration) => (await load()).write(bucket, configuration),
  };
}

/** The address of an emulator, from the environment variable that Google's own clients read. */
export function pubsubSettings(env: Environment): PubSubSettings {
  const emulator = env['PUBSUB_EMULATOR_HOST'];
  return emulator === undefined ? {} : { endpoint: `http://${emulator}` };
}

export const googlePorts = /* @__PURE__ */ once(async () => {
  const { applicationDefaultToken } = await import('../drivers/google-token.ts');
  return {
    send: httpSender(),
    timers: systemTimers,
    random: systemRandom,
    accessToken: applicationDefaultToken(),
  };
});
