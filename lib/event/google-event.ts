import { isObject, type JsonObject } from '../spec/json-object.ts';
import type { DecodedRecord } from './decoded-event.ts';
import { malformed, segmentOrIgnored } from './noted-object.ts';
import { int64At, objectAt, textAt } from './notification-fields.ts';

const STORAGE_EVENT = 'google.cloud.storage.object.v1.';

/** A CloudEvent of Cloud Storage; names are not encoded. @throws `event.malformed` */
export function readStorageCloudEvent(event: JsonObject): DecodedRecord {
  const type = textAt(event, 'type') ?? '';
  if (!type.startsWith(STORAGE_EVENT)) {
    throw malformed('the type of a CloudEvent is', type, `send those of "${STORAGE_EVENT}finalized"`);
  }
  const change = type.slice(STORAGE_EVENT.length);
  if (change === 'deleted' || change === 'archived') return { kind: 'ignored', reason: 'removed' };
  if (change !== 'finalized') return { kind: 'ignored', reason: 'not-created' };
  return createdObject(objectAt(event, 'data'));
}

/**
 * A Pub/Sub notification of Cloud Storage: the attributes say what happened, the data is the object's resource, or nothing
 * (`payloadFormat` NONE).
 * @throws `event.malformed`
 */
export function readStorageNotification(attributes: JsonObject, resource: unknown): DecodedRecord {
  const change = attributes['eventType'];
  if (change === 'OBJECT_DELETE' || change === 'OBJECT_ARCHIVE')
    return { kind: 'ignored', reason: 'removed' };
  if (change !== 'OBJECT_FINALIZE') return { kind: 'ignored', reason: 'not-created' };
  return createdObject({
    ...(isObject(resource) && resource),
    bucket: attributes['bucketId'],
    name: attributes['objectId'],
    generation: attributes['objectGeneration'],
  });
}

function createdObject(resource: JsonObject): DecodedRecord {
  return segmentOrIgnored({
    scheme: 'gs',
    bucket: resource['bucket'],
    key: resource['name'],
    size: int64At(resource, 'size'),
    etag: textAt(resource, 'etag'),
    versionId: int64At(resource, 'generation'),
  });
}
