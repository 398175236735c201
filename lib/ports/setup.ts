/**
 * How the services around a registration are set up, and what waits in them: what doctor, health and init ask, and no registration does.
 * Definite answers are values, faults are `RegistrarError`s, as in `lib/ports.ts`.
 */

/** Counts what waits in queues, without receiving anything. @throws `queue.unavailable`, `auth.failed` from every call */
export interface QueueWatch {
  /** Messages waiting, in flight or delayed, and the queue's dead-letter queue. */
  count(queueUrl: string): Promise<{ readonly messages: number; readonly deadLetterUrl: string | undefined }>;
  /** Ages of the oldest messages in ms; queues for which it is unknown are left out. */
  ages(queueUrls: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** One rule of a bucket's notifications. Unknown members are preserved. */
export interface NotificationRule {
  readonly Id?: string;
  /** One of these three: what it notifies. */
  readonly QueueArn?: string;
  readonly TopicArn?: string;
  readonly LambdaFunctionArn?: string;
  readonly Events?: readonly string[];
  readonly Filter?: {
    readonly Key?: { readonly FilterRules?: readonly { readonly Name?: string; readonly Value?: string }[] };
  };
}

/** A bucket's notification configuration in S3's form, which is always written as a whole. */
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

/** The TLS certificate of a server, trusted by whoever asked. */
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
  /** The region that the settings give, and the one that the bucket is in; undefined if the store does not say. */
  read(bucket: string): Promise<{ readonly asked: string; readonly actual: string | undefined }>;
}

/** How a topic's subscription is set up, as far as the registrar depends on it. */
export interface SubscriptionSetup {
  /** `projects/p/subscriptions/s` */
  readonly name: string;
  readonly deadlineSeconds: number;
  /** Undefined if the subscription has no dead-letter topic. */
  readonly maxDeliveryAttempts: number | undefined;
}

export interface LifecycleRule {
  readonly id?: string;
  /** Prefix of the keys that the rule applies to; empty for all. */
  readonly prefix: string;
  /** Whether it removes current objects, after however long a time. */
  readonly expires: boolean;
}

/** @throws `store.unavailable`, `auth.failed` */
export interface BucketLifecycle {
  /** The enabled rules; undefined if the store does not support any. */
  read(bucket: string): Promise<readonly LifecycleRule[] | undefined>;
}
