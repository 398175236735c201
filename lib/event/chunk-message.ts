import { RegistrarError } from '../errors.ts';
import { isObject, type JsonObject } from '../spec/json-object.ts';
import type { DecodedRecord } from './decoded-event.ts';
import { decodedRecords, malformed, segmentOrIgnored } from './noted-object.ts';
import { int64At, textAt } from './notification-fields.ts';
import type { SegmentReference } from './segment-reference.ts';

/** The version of chunk messages that this release reads (`lib/route/chunk.ts` writes them). */
const VERSION = 1;

export function isChunkMessage(notification: JsonObject): boolean {
  return 'v' in notification;
}

/**
 * A chunk message: `{"v":1,"segments":[{"bucket","key","etag","size",…}]}`, keys unencoded. Unknown members are ignored.
 *
 * @throws `event.malformed`, `event.newer_version`
 */
export function readChunkMessage(message: JsonObject): readonly DecodedRecord[] {
  const version = message['v'];
  if (typeof version === 'number' && Number.isInteger(version) && version > VERSION) {
    throw new RegistrarError(
      'event.newer_version',
      `Cannot read a chunk message of version "${version}": this software reads version ${VERSION}; update it and the message will be read`,
    );
  }
  const segments = message['segments'];
  if (version !== VERSION || !Array.isArray(segments) || segments.length === 0) {
    throw malformed('a chunk message is', message, `it must be {"v":${VERSION},"segments":[…]}`);
  }
  return segments.flatMap((segment: unknown) => decodedRecords(() => readSegment(segment)));
}

function readSegment(segment: unknown): DecodedRecord {
  if (!isObject(segment)) {
    throw malformed('a segment of a chunk message is', segment, 'it must be an object with bucket and key');
  }
  const scheme = segment['scheme'] ?? 's3';
  if (scheme !== 's3' && scheme !== 'gs') {
    throw malformed('the scheme of a segment is', scheme, 'it must be "s3" or "gs"');
  }
  const found = segmentOrIgnored({
    scheme,
    bucket: segment['bucket'],
    key: segment['key'],
    size: int64At(segment, 'size'),
    etag: textAt(segment, 'etag'),
    versionId: textAt(segment, 'versionId'),
    sequencer: textAt(segment, 'sequencer'),
    copied: segment['copied'] === true,
  });
  const absentAt = readAbsentAt(segment['absentAt']);
  if (found.kind !== 'segment' || absentAt === undefined) return found;
  return { kind: 'segment', reference: { ...found.reference, absentAt } };
}

/** Reads an optional proof of absence. Anything malformed is ignored: without a proof the ledger only needs more history. */
function readAbsentAt(value: unknown): SegmentReference['absentAt'] {
  if (!isObject(value)) return undefined;
  const { tableUuid, snapshotId } = value;
  if (typeof tableUuid !== 'string') return undefined;
  if (snapshotId === null) return { tableUuid, snapshotId };
  const isId = typeof snapshotId === 'string' && /^\d{1,19}$/.test(snapshotId);
  return isId ? { tableUuid, snapshotId } : undefined;
}
