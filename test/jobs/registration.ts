import type { RegisterMessagesPorts } from '../../lib/jobs/register/register-messages.ts';
import { registerMessages } from '../../lib/jobs/register/register-messages.ts';
import type { EntryPorts } from '../../lib/jobs/register/register-ports.ts';
import type { LogRecord } from '../../lib/ports.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { readTableMetadata } from '../../lib/spec/table-metadata.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import { wire } from '../../lib/wire.ts';
import type { OnRequest } from '../../local/http-service.ts';
import { type Stack, startStack } from '../../local/stack.ts';
import { memoryLog } from '../fakes/log.ts';

export const BUCKET = 'lake';
export const URL_PREFIX = `s3://${BUCKET}/in`;

/** One container against an embedded stack, its requests counted and its faults scripted. */
export interface Registration {
  readonly stack: Stack;
  /** The environment of a command line against the stack. */
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: RegisterMessagesPorts;
  readonly log: readonly LogRecord[];
  /** `GET s3`, `PUT s3`, `POST catalog`, … since the last `requests.length = 0`. */
  readonly requests: string[];
  /** Asked before every request; undefined lets it pass. */
  fault: OnRequest | undefined;
  /** How often the queue says that messages were received. */
  receiveCount: number;
  /** When the queue says that they were sent. */
  sentMs: number;
  /** What an invocation has left, in milliseconds. */
  remainingMs: number;
  /** Put around the services of every entry; undefined leaves them as they are. */
  around: ((ports: EntryPorts) => EntryPorts) | undefined;
  /** Uploads bytes below the `url` and answers the S3 notification's record. */
  upload(key: string, bytes: Uint8Array): S3Record;
  /** One FIFO batch, one message a group of records. */
  deliver(...messages: readonly (readonly S3Record[] | string)[]): ReturnType<typeof registerMessages>;
  /** A container without anything warm, on the same stack. */
  coldStart(): Promise<void>;
  table(name: string): Promise<TableState | undefined>;
  close(): Promise<void>;
}

export interface S3Record {
  readonly key: string;
  readonly size: number;
  readonly eTag: string;
}

export const uriOf = ({ key }: Pick<S3Record, 'key'>): string => `s3://${BUCKET}/${key}`;

/** The store as if everything had been uploaded then. */
export function withUploadTime(lastModifiedMs: number): NonNullable<Registration['around']> {
  return (services) => ({
    ...services,
    store: {
      ...services.store,
      async read(uri, options) {
        const read = await services.store.read(uri, options);
        return read.kind === 'object' ? { ...read, lastModifiedMs } : read;
      },
    },
  });
}

/** Starts a stack with a bucket and wires a container to it. */
export async function startRegistration(
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Registration> {
  const requests: string[] = [];
  const watch =
    (service: string): OnRequest =>
    (request) => {
      requests.push(`${request.method} ${service}`);
      return registration.fault?.(request);
    };
  const stack = await startStack({ onS3Request: watch('s3'), onCatalogRequest: watch('catalog') });
  stack.createBucket(BUCKET);
  const config = {
    url: URL_PREFIX,
    catalog_uri: stack.catalogUri,
    namespace: 'lake',
    create_table: true,
    quarantine_url: `s3://${BUCKET}/quarantine`,
    retry: { initial: '1ms', max: '10ms' },
    store: {
      endpoint: stack.s3Endpoint,
      region: stack.region,
      allow_http: true,
      access_key_id: stack.credentials.accessKeyId,
      secret_access_key: stack.credentials.secretAccessKey,
    },
    ...settings,
  };
  const log = memoryLog();
  const container = async (): Promise<RegisterMessagesPorts> => {
    const wiring = await wire({ REGISTRAR_CONFIG: JSON.stringify(config) });
    return {
      ...wiring,
      log,
      queueUrl: undefined,
      portsOf: (entry) => {
        const services = wiring.portsOf(entry);
        return registration.around?.(services) ?? services;
      },
    };
  };
  let ports = await container();

  const registration: Registration = {
    stack,
    environment: {
      REGISTRAR_CONFIG: JSON.stringify(config),
      AWS_ACCESS_KEY_ID: stack.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: stack.credentials.secretAccessKey,
    },
    get ports() {
      return ports;
    },
    log: log.records,
    requests,
    fault: undefined,
    receiveCount: 1,
    sentMs: Date.now(),
    remainingMs: 60_000,
    around: undefined,
    upload(key, bytes) {
      const stored = stack.objects.put(BUCKET, `in/${key}`, Buffer.from(bytes));
      return { key: `in/${key}`, size: bytes.length, eTag: stored.etag };
    },
    deliver: (...messages) =>
      registerMessages(sqsEvent(messages, registration), ports, () => registration.remainingMs),
    async coldStart() {
      ports = await container();
    },
    async table(name) {
      const identifier: TableIdentifier = { namespace: ['lake'], name };
      const [entry] = ports.entries;
      const loaded = entry && (await ports.portsOf(entry).catalog.load(identifier));
      return loaded && readTableMetadata(identifier, loaded);
    },
    close: () => stack.close(),
  };
  return registration;
}

function sqsEvent(
  messages: readonly (readonly S3Record[] | string)[],
  { receiveCount, sentMs }: Pick<Registration, 'receiveCount' | 'sentMs'>,
): unknown {
  return {
    Records: messages.map((message, index) => ({
      messageId: `m${index + 1}`,
      receiptHandle: `r${index + 1}`,
      eventSource: 'aws:sqs',
      body: typeof message === 'string' ? message : JSON.stringify({ Records: message.map(s3Record) }),
      attributes: {
        ApproximateReceiveCount: String(receiveCount),
        SentTimestamp: String(sentMs),
        MessageGroupId: 'group',
      },
    })),
  };
}

function s3Record({ key, size, eTag }: S3Record): unknown {
  return {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    eventName: 'ObjectCreated:Put',
    s3: {
      bucket: { name: BUCKET },
      object: { key: encodeURIComponent(key).replaceAll('%20', '+'), size, eTag, sequencer: '0A' },
    },
  };
}
