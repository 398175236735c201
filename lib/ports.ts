/**
 * What the core needs from the outside world. Definite answers are values, faults are `RegistrarError`s. Each port is implemented by a
 * driver, by a fake on a Map, and by the simulator, and all of them pass the same contract test.
 */
import type { ErrorCode } from './errors.ts';
import type { PartitionSpec } from './spec/partition-spec.ts';
import type { Schema } from './spec/schema.ts';
import type { TableIdentifier } from './spec/table-identifier.ts';
import type { HistoryText, MetadataText } from './spec/table-metadata-text.ts';
import type { TableCommit } from './spec/table-update.ts';

/** Part of an object: its last `suffix` bytes, or bytes `start` to `end` (exclusive). */
export type ByteRange = { readonly suffix: number } | { readonly start: number; readonly end: number };

export interface StoredObject {
  readonly kind: 'object';
  readonly bytes: Uint8Array;
  /** The size of the whole object, whatever the range. */
  readonly sizeBytes: number;
  /** Identifies exactly these bytes: an unquoted ETag on S3, a generation on Google Cloud Storage. */
  readonly version: string;
  readonly lastModifiedMs: number;
}

export type ReadResult =
  | StoredObject
  /** There is no such key. Never returned for a missing permission (I3). */
  | { readonly kind: 'missing' }
  /** The store answers 403 for this object. */
  | { readonly kind: 'denied'; readonly message: string }
  /** The key no longer holds the version `ifVersion`. */
  | { readonly kind: 'changed' };

export interface ListedObject {
  readonly uri: string;
  readonly sizeBytes: number;
  readonly version: string;
  readonly lastModifiedMs: number;
}

/** An object store. URIs are `s3://bucket/key` (or `gs://`) with the raw key: never normalised, never percent-encoded. */
export interface Store {
  /**
   * Reads an object or part of it. A suffix longer than the object returns the whole object; an empty object returns no bytes.
   *
   * @throws `store.unavailable`, `auth.failed`, `config.invalid` (another region)
   */
  read(
    uri: string,
    options?: { readonly range?: ByteRange; readonly ifVersion?: string },
  ): Promise<ReadResult>;
  /**
   * Writes an object. With `ifAbsent`, the answer is `exists` if the key already holds one.
   *
   * @throws `store.unavailable`, `auth.failed`
   */
  write(
    uri: string,
    bytes: Uint8Array,
    options?: { readonly ifAbsent?: boolean },
  ): Promise<{ readonly kind: 'written'; readonly version: string } | { readonly kind: 'exists' }>;
  /**
   * Lists every object whose URI begins with `prefix`, in key order, starting after the URI `startAfter`.
   *
   * @throws `store.unavailable`, `auth.failed`
   */
  list(prefix: string, options?: { readonly startAfter?: string }): AsyncIterable<ListedObject>;
}

/** A catalog's answer about one table, its metadata parsed with int64 preserved (`lib/spec/json.ts`). */
export interface LoadedTable {
  readonly metadataLocation: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The metadata as received, if the driver has it. */
  readonly metadataText?: MetadataText;
  /** The catalog's configuration for this table. It may contain credentials, so it is never logged. */
  readonly config: Readonly<Record<string, string>>;
}

/** The three outcomes of a commit (I7). */
export type CommitResult =
  | { readonly outcome: 'landed'; readonly table: LoadedTable }
  | {
      readonly outcome: 'refused';
      /** `conflict`: 409; `invalid`: 400, 422 and the like; `missing`: no such table; `throttled`: 429. */
      readonly reason: 'conflict' | 'invalid' | 'missing' | 'throttled';
      readonly message: string;
      /** How long a throttling catalog asks to wait, if it says so. */
      readonly retryAfterMs?: number;
    }
  /** 500, 502, 503, 504, a lost connection or a timeout after sending: only loading the table tells what happened. */
  | { readonly outcome: 'unknown'; readonly message: string };

export interface CreateRequest {
  readonly schema: Schema;
  readonly spec: PartitionSpec;
  readonly location: string | undefined;
  readonly formatVersion: number;
  readonly properties: Readonly<Record<string, string>>;
}

export interface KnownHistory {
  /** What is known of the table's history. An answer that repeats it is read faster. */
  readonly known?: HistoryText | undefined;
}

/** What a catalog says about its own paths and abilities (`GET /v1/config`). */
export interface ServiceConfig {
  /** Path of everything except the configuration, `/api/v1/prefix`, encoded. */
  readonly basePath: string;
  /** Separates the levels of a namespace in a path, URL-encoded. */
  readonly namespaceSeparator: string;
  /** As in `POST /v1/namespaces/{namespace}/register`, without the prefix; undefined for the protocol's default set. */
  readonly endpoints: ReadonlySet<string> | undefined;
  /** Whether the catalog remembers an `Idempotency-Key`. */
  readonly idempotencyKeys: boolean;
  /** Name and version of the server, if its answers have them. */
  readonly server: string | undefined;
}

/** An Iceberg REST catalog. @throws `catalog.unavailable`, `auth.failed`, `catalog.refused`, `config.invalid` (an untrusted certificate) from every call */
export interface Catalog {
  /** Loads a table; undefined if there is none. */
  load(table: TableIdentifier, options?: KnownHistory): Promise<LoadedTable | undefined>;
  /** Creates a namespace, level by level. One that exists is not an error. */
  createNamespace(namespace: readonly string[]): Promise<void>;
  /** Registers an existing metadata file as a table. */
  register(table: TableIdentifier, metadataLocation: string): Promise<LoadedTable | 'exists'>;
  /** Creates a table by `POST …/tables`, in which catalogs reassign the schema's field IDs. */
  create(table: TableIdentifier, request: CreateRequest): Promise<LoadedTable | 'exists'>;
  /** Sends one commit request, at most once, except for a single replay after a 401. */
  commit(table: TableIdentifier, commit: TableCommit, options?: KnownHistory): Promise<CommitResult>;
  /** Whether the catalog lists an endpoint; undefined if it lists none, and so has the protocol's default set. */
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

/** A message that the queue did not accept: its index among those sent, and the queue's reason. */
export interface RefusedMessage {
  readonly index: number;
  readonly reason: string;
}

/** @throws `queue.unavailable`, `auth.failed` from every call */
export interface Queue {
  /** Sends any number of messages in batches. Returns those that the queue did not accept. */
  send(queueUrl: string, messages: readonly OutgoingMessage[]): Promise<readonly RefusedMessage[]>;
  receive(
    queueUrl: string,
    options: { readonly maxMessages: number; readonly waitSeconds: number },
  ): Promise<readonly ReceivedMessage[]>;
  delete(queueUrl: string, receiptHandles: readonly string[]): Promise<void>;
  setVisibility(queueUrl: string, receiptHandle: string, seconds: number): Promise<void>;
}

/** A quarantine record: why one segment (or one event) was set aside, for whoever redrives it. */
export interface QuarantineRecord {
  readonly v: 1;
  /**
   * `trying` is written before a segment that keeps failing is touched, and answered by `tried` once the function survived
   * that.
   */
  readonly kind: 'failure' | 'trying' | 'tried' | 'redriven' | 'discarded';
  /** On `tried`: an outage or lack of time ended the try before the segment reached an outcome. */
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
    /** It was copied, so its Last-Modified says nothing about earlier registrations. */
    readonly copied?: boolean;
  };
  /** The raw body of an event that could not be decoded. */
  readonly body?: string;
  /** Table UUID and head at which absence was proven: a redrive needs history only from there on. */
  readonly absentAt?: { readonly tableUuid: string; readonly snapshotId: string | null };
  /** The URI of the record that this one answers (on `redriven`, `discarded`, `tried`; a `failure` may answer a `trying`). */
  readonly answers?: string;
}

/** A log made of objects: nothing in it is changed or deleted (I1). */
export interface Quarantine {
  /** Writes a record, durable when this resolves. Returns its URI. @throws `store.unavailable`, `auth.failed` */
  put(record: QuarantineRecord): Promise<string>;
  list(options?: {
    readonly table?: string;
    /** Only the records of this segment; needs `table`. */
    readonly segment?: Pick<NonNullable<QuarantineRecord['segment']>, 'uri' | 'etag'>;
  }): AsyncIterable<{ readonly uri: string; readonly record: QuarantineRecord }>;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export interface Timers {
  /** Resolves after that time, or when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** A random (version 4) UUID. */
  uuid(): string;
}

/** One structured log line: `event` names it, the rest are stable fields. Never a secret (I10). */
export type LogRecord = Readonly<Record<string, unknown>> & { readonly event: string };

/** Attributes of a span. Never a secret (I10). */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  readonly attributes?: SpanAttributes;
  /**
   * Trace headers of the messages that started the work, as SQS provides them (`AWSTraceHeader`); undefined if no message did.
   */
  readonly traceHeaders?: readonly string[];
}

/** Runs work as a span of a trace. If `work` throws, the span ends as failed and the error is rethrown. */
export type Trace = <T>(
  start: SpanStart,
  work: (add: (attributes: SpanAttributes) => void) => Promise<T>,
) => Promise<T>;

export interface Log {
  info(record: LogRecord): void;
  warn(record: LogRecord): void;
  error(record: LogRecord): void;
}
