import { RegistrarError } from '../errors.ts';
import { isObject, type JsonObject } from '../spec/json-object.ts';
import type { DecodedRecord } from './decoded-event.ts';
import { malformed, segmentOrIgnored } from './noted-object.ts';
import { int64At, objectAt, textAt } from './notification-fields.ts';

/**
 * One record of an S3 event notification, versions 2.0 to 2.x (S3 User Guide, "Event message structure"; cases.md E1-E9, E25).
 * Names of events come with and without `s3:` (MinIO).
 * @throws `event.malformed`
 */
export function readS3Record(record: unknown): DecodedRecord {
  if (!isObject(record) || !isObject(record['s3'])) {
    throw malformed('a record has no member "s3":', record, 'send notifications of objects');
  }
  const version = record['eventVersion'];
  if (typeof version !== 'string' || !/^2\.\d+$/.test(version)) {
    throw malformed('eventVersion is', version, 'versions 2.x are understood');
  }
  const name = textAt(record, 'eventName')?.replace(/^s3:/, '');
  if (name === undefined) throw malformed('eventName is', record['eventName'], 'it must be text');
  if (/^(ObjectRemoved|LifecycleExpiration):/.test(name)) return { kind: 'ignored', reason: 'removed' };
  if (!name.startsWith('ObjectCreated:')) return { kind: 'ignored', reason: 'not-created' };

  const object = objectAt(record['s3'], 'object');
  return segmentOrIgnored({
    scheme: 's3',
    bucket: objectAt(record['s3'], 'bucket')['name'],
    key: decodeFormKey(object['key']),
    size: int64At(object, 'size'),
    etag: textAt(object, 'eTag'),
    versionId: textAt(object, 'versionId'),
    sequencer: textAt(object, 'sequencer'),
    copied: name === 'ObjectCreated:Copy',
  });
}

/** S3 sends this when a notification is set up, without records (cases.md E6). */
export function isS3TestEvent(notification: JsonObject): boolean {
  return notification['Event'] === 's3:TestEvent';
}

/** Keys are form-encoded here: `+` is a space, the rest percent-encoded UTF-8, `/` at times too (cases.md E1-E5, E28). */
function decodeFormKey(key: unknown): unknown {
  if (typeof key !== 'string') return key;
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch (cause) {
    throw new RegistrarError(
      'event.malformed',
      `Cannot decode the key "${key}" of an S3 notification: it must be percent-encoded UTF-8`,
      { cause },
    );
  }
}
