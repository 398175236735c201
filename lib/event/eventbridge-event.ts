import type { JsonObject } from '../spec/json-object.ts';
import type { DecodedRecord } from './decoded-event.ts';
import { malformed, segmentOrIgnored } from './noted-object.ts';
import { int64At, objectAt, textAt } from './notification-fields.ts';

/**
 * An S3 event by EventBridge: the key is not encoded here (S3 User Guide, "EventBridge event message structure"; cases.md E4, E11).
 * @throws `event.malformed`
 */
export function readEventBridgeEvent(event: JsonObject): DecodedRecord {
  if (event['source'] !== 'aws.s3') {
    throw malformed('the source of an EventBridge event is', event['source'], 'send those of "aws.s3" only');
  }
  if (event['detail-type'] === 'Object Deleted') return { kind: 'ignored', reason: 'removed' };
  if (event['detail-type'] !== 'Object Created') return { kind: 'ignored', reason: 'not-created' };

  const detail = objectAt(event, 'detail');
  const object = objectAt(detail, 'object');
  return segmentOrIgnored({
    scheme: 's3',
    bucket: objectAt(detail, 'bucket')['name'],
    key: object['key'],
    size: int64At(object, 'size'),
    etag: textAt(object, 'etag'),
    versionId: textAt(object, 'version-id'),
    sequencer: textAt(object, 'sequencer'),
    copied: detail['reason'] === 'CopyObject',
  });
}
