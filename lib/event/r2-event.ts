import { isObject, type JsonObject } from '../spec/json-object.ts';
import type { DecodedRecord } from './decoded-event.ts';
import { segmentOrIgnored } from './noted-object.ts';
import { int64At, objectAt, textAt } from './notification-fields.ts';

const CREATED: ReadonlySet<string> = new Set(['PutObject', 'CopyObject', 'CompleteMultipartUpload']);
const REMOVED: ReadonlySet<string> = new Set(['DeleteObject', 'LifecycleDeletion']);

export function isR2Event(notification: JsonObject): boolean {
  return typeof notification['action'] === 'string' && isObject(notification['object']);
}

/**
 * A notification of Cloudflare R2, as whoever consumes its queue forwards it (R2 documentation, "Event notifications", message format). The
 * key is not encoded.
 *
 * @throws `event.malformed`
 */
export function readR2Event(event: JsonObject): DecodedRecord {
  const action = textAt(event, 'action') ?? '';
  if (REMOVED.has(action)) return { kind: 'ignored', reason: 'removed' };
  if (!CREATED.has(action)) return { kind: 'ignored', reason: 'not-created' };

  const object = objectAt(event, 'object');
  return segmentOrIgnored({
    scheme: 's3',
    bucket: event['bucket'],
    key: object['key'],
    size: int64At(object, 'size'),
    etag: textAt(object, 'eTag'),
    versionId: undefined,
    copied: action === 'CopyObject',
  });
}
