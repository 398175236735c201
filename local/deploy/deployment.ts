import path from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { parseEntries, type RawSettings } from '../../lib/config/document.ts';
import { unpackText } from '../../lib/config/packed-text.ts';
import { s3Notifications } from '../../lib/drivers/bucket-notifications.ts';
import type { NotificationConfiguration } from '../../lib/ports/setup.ts';
import { startFunction } from '../lambda/function-process.ts';
import { startPoller } from '../poller.ts';
import { startCatalog } from './catalog.ts';
import { createStack, type Template } from './cloudformation.ts';
import type { LocalStack } from './localstack.ts';
import { type FedFunction, fedFunctions, localPart, queueNames } from './template.ts';

/** A stack that is deployed on LocalStack, with its functions running as local processes. */
export interface LocalDeployment {
  readonly catalogUri: string;
  readonly buckets: readonly string[];
  /** By the queues' names in the template. */
  readonly queueUrls: readonly string[];
  /** The functions' environment, which the command line needs to work on the same services. */
  readonly environment: Readonly<Record<string, string>>;
  /** Lets running invocations finish, then stops everything but LocalStack. */
  close(): Promise<void>;
}

export interface LocalDeploymentOptions {
  readonly stackName: string;
  readonly template: Template;
  /** The folder of the built bundles. */
  readonly bundles: string;
  /** Called with the output of the functions, and the errors of invocations. */
  readonly onOutput: (text: string) => void;
}

const BUCKET = /^s3:\/\/([^/]+)/;

/**
 * Deploys a synthesized stack on LocalStack: queues, policies and rules through CloudFormation, and buckets with the notifications from the
 * stack's outputs. The functions run as local processes, one invocation at a time each, fed from the queues with the numbers of the event
 * source mappings. The tables are in an embedded catalog.
 *
 * @throws `config.invalid` when the stack cannot be created
 */
export async function deployLocally(
  localstack: LocalStack,
  { stackName, template, bundles, onOutput }: LocalDeploymentOptions,
): Promise<LocalDeployment> {
  const { endpoint, region, credentials } = localstack;
  const functions = fedFunctions(template);
  const settings = await settingsOf(functions);
  const buckets = bucketsOf(settings);

  await using started = new AsyncDisposableStack();
  const s3 = new S3Client({ region, credentials, endpoint, forcePathStyle: true });
  started.defer(() => s3.destroy());
  for (const bucket of buckets) await createBucket(s3, bucket);
  const outputs = await createStack({ region, endpoint, credentials }, stackName, localPart(template));
  const notifications = s3Notifications(localstack.store);
  for (const [name, value] of outputs) {
    const bucket = bucketToldBy(template, name);
    if (bucket !== undefined) {
      await notifications.write(bucket, JSON.parse(value) as NotificationConfiguration);
    }
  }

  const catalog = await startCatalog(localstack, buckets[0] ?? '');
  started.defer(() => catalog.close());
  const client = new SQSClient({ region, credentials, endpoint });
  started.defer(() => client.destroy());
  const queueUrls = new Map<string, string>();
  for (const [id, QueueName] of queueNames(template)) {
    const { QueueUrl = '' } = await client.send(new GetQueueUrlCommand({ QueueName }));
    queueUrls.set(id, QueueUrl);
  }
  const environmentOf = ({ variables }: FedFunction): Record<string, string> => ({
    ...Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, resolved(value, queueUrls)]),
    ),
    REGISTRAR_CONFIG: JSON.stringify(settings.map((one) => localSettings(one, localstack, catalog.uri))),
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL: endpoint,
  });
  for (const fed of functions) {
    const { name, queue, batchSize, windowSeconds, timeoutSeconds } = fed;
    const timeoutMs = timeoutSeconds * 1000;
    const bundle = path.join(bundles, name, 'index.mjs');
    const running = await startFunction(bundle, environmentOf(fed), { timeoutMs, onOutput });
    started.defer(() => running.close());
    const poller = startPoller({
      client,
      queueUrl: queueUrls.get(queue) ?? '',
      handler: (event) => running.invoke(event),
      batchSize,
      windowSeconds,
      timeoutMs,
      concurrency: 1,
      functionName: name,
      onInvocation: ({ error }) => {
        if (error !== undefined) onOutput(`${name}: ${error}\n`);
      },
    });
    started.defer(() => poller.stop());
  }
  const [first] = functions;
  const running = started.move();
  return {
    catalogUri: catalog.uri,
    buckets,
    queueUrls: [...queueUrls.values()],
    environment: first === undefined ? {} : environmentOf(first),
    close: () => running.disposeAsync(),
  };
}

/** The configuration of register: unlike route's, it includes the catalog's credentials. */
async function settingsOf(functions: readonly FedFunction[]): Promise<readonly RawSettings[]> {
  const register = functions.find(({ name }) => name === 'register');
  const written = String(register?.variables['REGISTRAR_CONFIG']);
  return parseEntries(unpackText(written) ?? written);
}

/** All buckets in the configuration; they have to be created, since LocalStack starts empty. */
function bucketsOf(settings: readonly RawSettings[]): readonly string[] {
  const uris = settings.flatMap(({ url, quarantine_url, table_location }) => [
    url,
    quarantine_url,
    table_location,
  ]);
  const buckets = uris.flatMap((uri) => BUCKET.exec(String(uri ?? ''))?.[1] ?? []);
  return [...new Set(buckets)];
}

/** The bucket for whose notifications an output is. */
function bucketToldBy({ Outputs = {} }: Template, output: string): string | undefined {
  const { Description = '' } = (Outputs[output] ?? {}) as { readonly Description?: string };
  return /^Add to the notifications of ([a-z0-9.-]+),/.exec(Description)?.[1];
}

async function createBucket(s3: S3Client, bucket: string): Promise<void> {
  try {
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  } catch (error) {
    if ((error as Error).name !== 'BucketAlreadyOwnedByYou') throw error;
  }
}

/** The entry with the local catalog and store, and with `create_table`, since that catalog starts empty. */
function localSettings(written: RawSettings, { store }: LocalStack, catalogUri: string): RawSettings {
  const kept = Object.entries(written).filter(
    ([key]) => !key.startsWith('catalog_') && key !== 'access_delegation' && key !== 'create_via',
  );
  return {
    ...Object.fromEntries(kept),
    catalog_uri: catalogUri,
    create_table: 'true',
    store: Object.fromEntries(Object.entries(store).map(([key, value]) => [key, String(value)])),
  };
}

function resolved(value: unknown, queueUrls: ReadonlyMap<string, string>): string {
  const { Ref } = (typeof value === 'object' ? value : {}) as { readonly Ref?: string };
  return Ref === undefined ? String(value) : (queueUrls.get(Ref) ?? '');
}
