import type { RegistrarError } from '../errors.ts';
import type { SegmentReference } from './segment-reference.ts';

/** Why a record of a notification is acknowledged without effect. */
export type IgnoredNotification =
  | 'test-event'
  | 'removed'
  | 'not-created'
  | 'folder-marker'
  | 'temporary'
  | 'subscription-confirmation';

/** What one record of a notification turned out to be. */
export type DecodedRecord =
  | { readonly kind: 'segment'; readonly reference: SegmentReference }
  | { readonly kind: 'ignored'; readonly reason: IgnoredNotification }
  /** `event.malformed`: never understood by anyone; `event.newer_version`: understood by a later version of this software. */
  | { readonly kind: 'rejected'; readonly error: RegistrarError };

/** The queue's attributes of a message, as far as they are needed. */
export interface MessageAttributes {
  readonly receiptHandle?: string;
  /** FIFO queues only. */
  readonly groupId?: string;
  /** `ApproximateReceiveCount`: 1 at first. */
  readonly receiveCount: number;
  /** When it was first sent, in milliseconds since 1970. */
  readonly sentMs?: number;
}

/** One message and the objects it names, in order. */
export interface DecodedMessage {
  /** The SQS message, or the event or message of Google; null where a function is invoked without a queue. */
  readonly messageId: string | null;
  /** As it was received: the text of the message, or of the whole event when there is no queue. */
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly references: readonly SegmentReference[];
  readonly ignored: readonly { readonly reason: IgnoredNotification }[];
  readonly rejected: readonly RegistrarError[];
}

export interface DecodedEvent {
  readonly messages: readonly DecodedMessage[];
}
