import { createHash } from 'node:crypto';
import type { SegmentReference } from '../event/segment-reference.ts';
import type { OutgoingMessage } from '../ports.ts';
import type { Dataset } from './layout.ts';
import { tableKey } from './table-key.ts';

const MAX_SEGMENTS = 200;
/** Well below SQS's limit of 1 MiB, since a queue may have a lower one. */
const MAX_BODY_BYTES = 256 * 1024;
/** Room for the JSON around the segments. */
const FRAME_BYTES = 256;

/** A reference and the table that it belongs to. */
export interface RoutedSegment {
  readonly reference: SegmentReference;
  readonly routing: Dataset;
}

/** One FIFO message for one table, and what it carries. */
export interface Chunk<T extends RoutedSegment> {
  readonly message: Required<OutgoingMessage>;
  readonly items: readonly T[];
}

/**
 * Groups references by table into chunk messages, `{"v":1,"segments":[…]}`, of up to 200 references and 256 KiB each, in order.
 * `MessageGroupId` is a hash of the table, so that one writer at a time commits to it; `MessageDeduplicationId` is the SHA-256 of the body.
 *
 * @param options.nonce makes a body that was never sent before, for sending what was sent already (redrive, reconcile)
 */
export function chunksByTable<T extends RoutedSegment>(
  items: readonly T[],
  options: { readonly nonce?: string } = {},
): readonly Chunk<T>[] {
  const byTable = Map.groupBy(items, (item) => tableKey(item.routing));
  return [...byTable].flatMap(([table, ofTable]) =>
    split(ofTable).map((part) => {
      const body = chunkBody(
        part.map(({ json }) => json),
        options.nonce,
      );
      return {
        message: { body, groupId: sha256(table), deduplicationId: sha256(body) },
        items: part.map(({ item }) => item),
      };
    }),
  );
}

interface Written<T> {
  readonly item: T;
  readonly json: string;
}

function split<T extends RoutedSegment>(items: readonly T[]): readonly (readonly Written<T>[])[] {
  const parts: Written<T>[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const json = segmentJson(item.reference);
    const size = Buffer.byteLength(json) + 1;
    let part = parts.at(-1);
    if (part === undefined || part.length === MAX_SEGMENTS || bytes + size > MAX_BODY_BYTES) {
      part = [];
      parts.push(part);
      bytes = FRAME_BYTES;
    }
    part.push({ item, json });
    bytes += size;
  }
  return parts;
}

function chunkBody(segments: readonly string[], nonce: string | undefined): string {
  const suffix = nonce === undefined ? '' : `,"nonce":${JSON.stringify(nonce)}`;
  return `{"v":1,"segments":[${segments.join(',')}]${suffix}}`;
}

/** SQS accepts only characters that XML allows. JSON escapes control characters anyway; U+FFFE and U+FFFF are escaped here. */
function segmentJson(reference: SegmentReference): string {
  const { scheme, bucket, key, sizeBytes, etag, versionId, sequencer, copied, absentAt } = reference;
  const segment = {
    ...(scheme !== 's3' && { scheme }),
    bucket,
    key,
    size: sizeBytes,
    etag,
    versionId,
    sequencer,
    ...(copied === true && { copied }),
    absentAt,
  };
  return JSON.stringify(segment).replaceAll(
    /[\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
