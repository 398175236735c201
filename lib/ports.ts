/**
 * What the core asks of the world. Definite answers are values, faults are `RegistrarError`s; everything here is
 * implemented by a driver, by a fake that is a Map, and by the simulator, under one contract test.
 */
import type { ErrorCode } from './errors.ts';
import type { PartitionSpec } from './spec/partition-spec.ts';
import type { Schema } from './spec/schema.ts';
import type { TableIdentifier } from './spec/table-identifier.ts';
import type { HistoryText, MetadataText } from './spec/table-metadata-text.ts';
import type { TableCommit } from './spec/table-update.ts';

/** Bytes of an object: its last `suffix` bytes, or `start` to `end` (exclusive). */
export type ByteRange = { readonly suffix: number } | { readonly start: number; readonly end: number };

export interface StoredObject {
  readonly kind: 'object';
  readonly bytes: Uint8Array;
  /** The size of the whole object, whatever the range. */
  readonly sizeBytes: number;
  /** Names these very bytes: an unquoted ETag on S3, a generation on Google Cloud Storage. */
  readonly version: string;
  readonly lastModifiedMs: number;
}

export type ReadResult =
  | StoredObject
  /** No such key, and nothing else (I3: a missing permission is not a missing object). */
  | { readonly kind: 'missing' }
  /** The store answers 403 for this object. */
  | { readonly kind: 'denied'; readonly message: string }
  /** `ifVersion` no longer names what the key holds. */
  | { readonly kind: 'changed' };

export interface ListedObject {
  readonly uri: string;
  readonly sizeBytes: number;
  readonly version: string;
  readonly lastModifiedMs: number;
}

/** URIs are `s3://bucket/key` (or `gs://`) with the raw key: never normalised, never percent-encoded. */
export interface Store {
  /** A suffix longer than the object is the whole object; an empty object reads as no bytes. @throws `store.unavailable`, `auth.failed`, `config.invalid` (another region) */
  read(
    uri: string,
    options?: { readonly range?: ByteRange; readonly ifVersion?: string },
  ): Promise<ReadResult>;
  /** Writes an object; with `ifAbsent` the answer is `exists` when the key holds one. @throws `store.unavailable`, `auth.failed` */
  write(
    uri: string,
    bytes: Uint8Array,
    options?: { readonly ifAbsent?: boolean },
  ): Promise<{ readonly kind: 'written'; readonly version: string } | { readonly kind: 'exists' }>;
  /** Every object whose URI begins with `prefix`, in key order, those up to the URI `startAfter` left out. @throws `store.unavailable`, `auth.failed` */
  list(prefix: string, options?: { readonly startAfter?: string }): AsyncIterable<ListedObject>;
}

/** A catalog's answer about one table, its metadata parsed with int64 kept (`lib/spec/json.ts`). */
export interface LoadedTable {
  readonly metadataLocation: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The same as it came, where the driver has it. */
  readonly metadataText?: MetadataText;
  /** The catalog's own configuration for this table: credentials among it, so never logged. */
  readonly config: Readonly<Record<string, string>>;
}

/** The three ends of a commit (I7). */
export type CommitResult =
  | { readonly outcome: 'landed'; readonly table: LoadedTable }
  | {
      readonly outcome: 'refused';
      /** `conflict`: 409; `invalid`: 400, 422 and the like; `missing`: no such table; `throttled`: 429. */
      readonly reason: 'conflict' | 'invalid' | 'missing' | 'throttled';
      readonly message: string;
      /** How long a throttling catalog asks to wait, where it says so. */
      readonly retryAfterMs?: number;
    }
  /** 500, 502, 503, 504, a lost connection or a timeout after sending: only looking tells. */
  | { readonly outcome: 'unknown'; readonly message: string };

export interface CreateRequest {
  readonly schema: Schema;
  readonly spec: PartitionSpec;
  readonly location: string | undefined;
  readonly formatVersion: number;
  readonly properties: Readonly<Record<string, string>>;
}

export interface ReadOptions {
  /** What is known of the table's history: an answer that repeats it is read in less time. */
  readonly known?: HistoryText | undefined;
}

/** What a catalog says of its own addresses and abilities (`GET /v1/config`). */
export interface ServiceConfig {
  /** Path of everything but the configuration, `/api/v1/prefix`, encoded. */
  readonly basePath: string;
  /** Between the levels of a namespace in a path, URL-encoded. */
  readonly namespaceSeparator: string;
  /** `POST /v1/namespaces/{namespace}/register`, the prefix left out; undefined: the protocol's default set. */
  readonly endpoints: ReadonlySet<string> | undefined;
  /** Whether the catalog remembers an `Idempotency-Key`. */
  readonly idempotencyKeys: boolean;
  /** Name and version of the server, where its answers have them. */
  readonly server: string | undefined;
}

/** An Iceberg REST catalog. @throws `catalog.unavailable`, `auth.failed`, `catalog.refused`, `config.invalid` (an untrusted certificate) from every call */
export interface Catalog {
  /** Undefined when there is no such table. */
  load(table: TableIdentifier): Promise<LoadedTable | undefined>;
  /** Creates the namespace, level by level; one that exists is no error. */
  createNamespace(namespace: readonly string[]): Promise<void>;
  /** Registers a metadata file that lies in the store. */
  register(table: TableIdentifier, metadataLocation: string): Promise<LoadedTable | 'exists'>;
  /** `POST …/tables`: catalogs reassign the schema's field IDs. */
  create(table: TableIdentifier, request: CreateRequest): Promise<LoadedTable | 'exists'>;
  /** One commit request, sent at most once but for the one replay after a 401. */
  commit(table: TableIdentifier, commit: TableCommit, options?: ReadOptions): Promise<CommitResult>;
  /** Whether the catalog lists an endpoint; undefined when it lists none, and has the protocol's default set by definition. */
  supports(endpoint: 'register' | 'commit' | 'create'): Promise<boolean | undefined>;
}

export interface OutgoingMessage {
  readonly body: string;
  /** FIFO queues only, both of them. */
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** SQS's own names: ApproximateReceiveCount, MessageGroupId, SentTimestamp, … */
  readonly attributes: Readonly<Record<string, string>>;
}

/** A message that the queue did not take: its index among those sent, and the queue's words. */
export interface RefusedMessage {
  readonly index: number;
  readonly reason: string;
}

/** @throws `queue.unavailable`, `auth.failed` from every call */
export interface Queue {
  /** Sends any number of messages in batches; answers those that the queue did not take. */
  send(queueUrl: string, messages: readonly OutgoingMessage[]): Promise<readonly RefusedMessage[]>;
  receive(
    queueUrl: string,
    options: { readonly maxMessages: number; readonly waitSeconds: number },
  ): Promise<readonly ReceivedMessage[]>;
  delete(queueUrl: string, receiptHandles: readonly string[]): Promise<void>;
  setVisibility(queueUrl: string, receiptHandle: string, seconds: number): Promise<void>;
}

/** What waits in queues; nothing is received. @throws `queue.unavailable`, `auth.failed` from every call */
export interface QueueWatch {
  /** Messages that wait, are in flight or delayed; and the queue that takes what keeps failing. */
  count(queueUrl: string): Promise<{ readonly messages: number; readonly deadLetterUrl: string | undefined }>;
  /** Ages of the oldest messages in ms; queues of which it is not known are left out. */
  ages(queueUrls: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Why one segment (or one event) is set aside, as it lies in the store for whoever redrives it. */
export interface QuarantineRecord {
  readonly v: 1;
  /** `trying` is left before a segment that keeps failing is touched, and answered by `tried` when that was survived. */
  readonly kind: 'failure' | 'trying' | 'tried' | 'redriven' | 'discarded';
  /** Of `tried`: an outage or the time ended the try before the segment came to an outcome. */
  readonly interrupted?: true;
  readonly at: string;
  readonly code?: ErrorCode;
  readonly message?: string;
  /** `analytics.orders`; absent for events that name no table. */
  readonly table?: string;
  readonly segment?: {
    readonly uri: string;
    readonly etag?: string;
    readonly sizeBytes?: number;
    readonly sequencer?: string;
    readonly versionId?: string;
    /** It came by a copy: its Last-Modified says nothing about earlier registrations. */
    readonly copied?: boolean;
  };
  /** The raw body of an event that could not be decoded. */
  readonly body?: string;
  /** Table UUID and head at which absence was proven: a redrive needs history only from there. */
  readonly absentAt?: { readonly tableUuid: string; readonly snapshotId: string | null };
  /** The URI of the record that this one answers (`redriven`, `discarded`, `tried`; a `failure` may answer a `trying`). */
  readonly answers?: string;
}

/** A log of objects: nothing in it is changed or deleted (I1). */
export interface Quarantine {
  /** Durable when it resolves; answers the object's URI. @throws `store.unavailable`, `auth.failed` */
  put(record: QuarantineRecord): Promise<string>;
  list(options?: {
    readonly table?: string;
    /** The records of this one segment alone; needs `table`. */
    readonly segment?: Pick<NonNullable<QuarantineRecord['segment']>, 'uri' | 'etag'>;
  }): AsyncIterable<{ readonly uri: string; readonly record: QuarantineRecord }>;
}

/** One rule of a bucket's notifications; members that are not read here are kept as they came. */
export interface NotificationRule {
  readonly Id?: string;
  readonly QueueArn?: string;
  readonly Events?: readonly string[];
  readonly Filter?: {
    readonly Key?: { readonly FilterRules?: readonly { readonly Name?: string; readonly Value?: string }[] };
  };
}

/** What a bucket tells whom, as S3 has it: always written as a whole. */
export interface NotificationConfiguration {
  readonly QueueConfigurations?: readonly NotificationRule[];
  readonly TopicConfigurations?: readonly NotificationRule[];
  readonly LambdaFunctionConfigurations?: readonly NotificationRule[];
  readonly EventBridgeConfiguration?: object;
}

/** @throws `store.unavailable`, `auth.failed` from every call */
export interface BucketNotifications {
  read(bucket: string): Promise<NotificationConfiguration>;
  write(bucket: string, configuration: NotificationConfiguration): Promise<void>;
}

/** What a server shows of itself under TLS, trusted by whoever asked. */
export interface ServerCertificate {
  /** `TLSv1.3` */
  readonly protocol: string;
  /** Common names; empty where a certificate has none. */
  readonly subject: string;
  readonly issuer: string;
  readonly validToMs: number;
}

/** @throws `store.unavailable`, `auth.failed` */
export interface BucketRegion {
  /** The region in which the settings have it, and the one in which it is; undefined where the store does not say. */
  read(bucket: string): Promise<{ readonly asked: string; readonly actual: string | undefined }>;
}

/** How a subscription of a topic is set up, as far as the registrar depends on it. */
export interface SubscriptionSetup {
  /** `projects/p/subscriptions/s` */
  readonly name: string;
  readonly deadlineSeconds: number;
  /** Undefined where no dead-letter topic takes what keeps failing. */
  readonly maxDeliveryAttempts: number | undefined;
}

export interface LifecycleRule {
  readonly id?: string;
  /** Of the keys that it is about; empty: all. */
  readonly prefix: string;
  /** Whether it removes current objects, after however long. */
  readonly expires: boolean;
}

/** @throws `store.unavailable`, `auth.failed` */
export interface BucketLifecycle {
  /** The enabled rules; undefined where the store has no such thing. */
  read(bucket: string): Promise<readonly LifecycleRule[] | undefined>;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export interface Timers {
  /** Resolves after that time, or as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** A random (version 4) UUID. */
  uuid(): string;
}

/** One structured line: `event` names it, the rest are stable fields. Never a secret (I10). */
export type LogRecord = Readonly<Record<string, unknown>> & { readonly event: string };

/** Strings, numbers and truths of a span; none of it a secret (I10). */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  readonly attributes?: SpanAttributes;
  /** Of the messages that began the work, as SQS has them (`AWSTraceHeader`); undefined for what no message began. */
  readonly traceHeaders?: readonly string[];
}

/** Does some work as a span of a trace: what `work` throws ends it as failed, and is thrown on. */
export type Trace = <T>(
  start: SpanStart,
  work: (add: (attributes: SpanAttributes) => void) => Promise<T>,
) => Promise<T>;

export interface Log {
  info(record: LogRecord): void;
  warn(record: LogRecord): void;
  error(record: LogRecord): void;
}
