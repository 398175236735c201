import { RegistrarError } from '../errors.ts';
import type { ReceivedMessage } from '../ports.ts';
import { stringifyJson } from '../spec/json.ts';
import { isObject, type JsonObject } from '../spec/json-object.ts';
import type { DecodedEvent, DecodedMessage, DecodedRecord, MessageAttributes } from './decoded-event.ts';
import { decodedRecords } from './noted-object.ts';
import { readNotification, readNotificationText } from './notification.ts';
import { objectAt, textAt } from './notification-fields.ts';

/**
 * Decodes an event in any supported form: an SQS batch (standard or FIFO) of notifications; S3, SNS or EventBridge invoking the
 * function directly; a Google CloudEvent or Pub/Sub push. Only the event itself is read. Records that cannot be understood are
 * rejected one by one, and the others stand.
 *
 * @throws `event.malformed` when an SQS record has no messageId: nothing could be reported for it, so the batch must come again
 */
export function decodeEvent(event: unknown): DecodedEvent {
  const records = isObject(event) && Array.isArray(event['Records']) ? event['Records'] : [];
  return {
    messages: records.some(isSqsRecord) ? records.map(decodeSqsRecord) : [decodeDirectly(event)],
  };
}

function isSqsRecord(record: unknown): boolean {
  return isObject(record) && record['eventSource'] === 'aws:sqs';
}

function decodeSqsRecord(record: unknown): DecodedMessage {
  const messageId = isObject(record) ? textAt(record, 'messageId') : undefined;
  if (!isObject(record) || messageId === undefined || messageId === '') {
    throw new RegistrarError(
      'event.malformed',
      'Cannot report on a batch of SQS messages: a record has no messageId; the whole batch is handed back',
    );
  }
  const body = textAt(record, 'body') ?? '';
  return {
    messageId,
    body,
    attributes: attributesOf(record),
    ...sorted(decodedRecords(() => readNotificationText(body))),
  };
}

/** Decodes a message that was received from a queue. */
export function decodeReceived({
  messageId,
  receiptHandle,
  body,
  attributes,
}: ReceivedMessage): DecodedMessage {
  return {
    messageId,
    body,
    attributes: attributesOf({ receiptHandle, attributes }),
    ...sorted(decodedRecords(() => readNotificationText(body))),
  };
}

function decodeDirectly(event: unknown): DecodedMessage {
  return {
    messageId: googleMessageId(event),
    body: stringifyJson(event) ?? '',
    attributes: { receiveCount: 1 },
    ...sorted(decodedRecords(() => readNotification(event))),
  };
}

function attributesOf(record: JsonObject): MessageAttributes {
  const attributes = objectAt(record, 'attributes');
  const receiptHandle = textAt(record, 'receiptHandle');
  const groupId = textAt(attributes, 'MessageGroupId');
  const sentMs = Number(textAt(attributes, 'SentTimestamp') ?? 0);
  return {
    ...(receiptHandle !== undefined && { receiptHandle }),
    ...(groupId !== undefined && { groupId }),
    ...(sentMs > 0 && { sentMs }),
    receiveCount: Number(textAt(attributes, 'ApproximateReceiveCount') ?? 1) || 1,
  };
}

/** Google's ID of the event: that of the Pub/Sub message, or of the CloudEvent itself. */
function googleMessageId(event: unknown): string | null {
  if (!isObject(event)) return null;
  const message = isObject(event['message'])
    ? event['message']
    : objectAt(objectAt(event, 'data'), 'message');
  const cloudEventId = 'specversion' in event ? textAt(event, 'id') : undefined;
  return textAt(message, 'messageId') ?? cloudEventId ?? null;
}

function sorted(
  records: readonly DecodedRecord[],
): Pick<DecodedMessage, 'references' | 'ignored' | 'rejected'> {
  return {
    references: records.flatMap((found) => (found.kind === 'segment' ? [found.reference] : [])),
    ignored: records.flatMap((found) => (found.kind === 'ignored' ? [{ reason: found.reason }] : [])),
    rejected: records.flatMap((found) => (found.kind === 'rejected' ? [found.error] : [])),
  };
}
