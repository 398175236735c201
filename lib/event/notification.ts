import { parseJson } from '../spec/json.ts';
import { isObject, type JsonObject } from '../spec/json-object.ts';
import { isChunkMessage, readChunkMessage } from './chunk-message.ts';
import type { DecodedRecord } from './decoded-event.ts';
import { readEventBridgeEvent } from './eventbridge-event.ts';
import { readStorageCloudEvent, readStorageNotification } from './google-event.ts';
import { decodedRecords, malformed } from './noted-object.ts';
import { objectAt, textAt } from './notification-fields.ts';
import { isR2Event, readR2Event } from './r2-event.ts';
import { isS3TestEvent, readS3Record } from './s3-notification.ts';

const SHAPES = 'S3, SNS, EventBridge, R2, Cloud Storage, Pub/Sub and chunk messages are understood';

/**
 * Reads a notification in any of the known shapes; envelopes may be nested.
 *
 * @throws `event.malformed`, `event.newer_version`
 */
export function readNotification(notification: unknown): readonly DecodedRecord[] {
  if (!isObject(notification)) throw malformed('it is', notification, SHAPES);
  if (Array.isArray(notification['Records'])) return readRecords(notification['Records']);
  if (isChunkMessage(notification)) return readChunkMessage(notification);
  if ('detail-type' in notification) return [readEventBridgeEvent(notification)];
  if ('specversion' in notification) return readCloudEvent(notification);
  if ('Type' in notification && 'Message' in notification) return readSnsMessage(notification);
  if (isObject(notification['message'])) return readPubSubMessage(notification['message']);
  if (isR2Event(notification)) return [readR2Event(notification)];
  if (isS3TestEvent(notification)) return [{ kind: 'ignored', reason: 'test-event' }];
  throw malformed('it is', notification, SHAPES);
}

/** As `readNotification`, from text. @throws `event.malformed`, `event.newer_version` */
export function readNotificationText(text: string): readonly DecodedRecord[] {
  let notification: unknown;
  try {
    notification = parseJson(text);
  } catch {
    throw malformed('it is not JSON:', text, SHAPES);
  }
  return readNotification(notification);
}

function readRecords(records: readonly unknown[]): readonly DecodedRecord[] {
  if (records.length === 0) throw malformed('it has no records:', { Records: records }, SHAPES);
  return records.flatMap((record) =>
    decodedRecords(() =>
      isObject(record) && isObject(record['Sns']) ? readSnsMessage(record['Sns']) : readS3Record(record),
    ),
  );
}

/** A wrapped SNS message. Subscription confirmations are never followed (cases.md E10). */
function readSnsMessage(message: JsonObject): readonly DecodedRecord[] {
  const type = message['Type'];
  if (type === 'SubscriptionConfirmation' || type === 'UnsubscribeConfirmation') {
    return [{ kind: 'ignored', reason: 'subscription-confirmation' }];
  }
  return readNotificationText(textAt(message, 'Message') ?? '');
}

/** Cloud Storage's own events, and those with which Eventarc forwards a Pub/Sub message. */
function readCloudEvent(event: JsonObject): readonly DecodedRecord[] {
  const message = objectAt(event, 'data')['message'];
  return isObject(message) ? readPubSubMessage(message) : [readStorageCloudEvent(event)];
}

function readPubSubMessage(message: JsonObject): readonly DecodedRecord[] {
  const attributes = objectAt(message, 'attributes');
  const text = decodeBase64(message['data'] ?? '');
  if (!('eventType' in attributes)) return readNotificationText(text);
  return [readStorageNotification(attributes, text === '' ? undefined : parseResource(text))];
}

function parseResource(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw malformed(
      'the data of a Pub/Sub message is not JSON:',
      text,
      'use the payload format JSON_API_V1 or NONE',
    );
  }
}

function decodeBase64(data: unknown): string {
  if (typeof data === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(data)) {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(data, 'base64'));
    } catch {
      // not UTF-8
    }
  }
  throw malformed('the data of a Pub/Sub message is', data, 'it must be base64 of UTF-8 text');
}
