import type { ErrorCode } from '../errors.ts';
import { decodeEvent } from '../event/decode-event.ts';

/** What an event contains, message by message, as plain data. */
export interface Explanation {
  readonly objects: readonly ExplainedObject[];
  readonly ignored: readonly { readonly messageId: string | null; readonly reason: string }[];
  readonly rejected: readonly {
    readonly messageId: string | null;
    readonly code: ErrorCode;
    readonly message: string;
  }[];
}

/** Members that the notification does not have are absent. */
export interface ExplainedObject {
  readonly messageId: string | null;
  readonly bucket: string;
  readonly key: string;
  readonly size?: number;
  readonly etag?: string;
  readonly versionId?: string;
  readonly sequencer?: string;
}

/**
 * Describes what an event contains, without contacting any service.
 *
 * @throws `event.malformed` for an event that could not be reported on
 */
export function explain(event: unknown): Explanation {
  const { messages } = decodeEvent(event);
  return {
    objects: messages.flatMap(({ messageId, references }) =>
      references.map(({ bucket, key, sizeBytes, etag, versionId, sequencer }) => ({
        messageId,
        bucket,
        key,
        ...(sizeBytes !== undefined && { size: sizeBytes }),
        ...(etag !== undefined && { etag }),
        ...(versionId !== undefined && { versionId }),
        ...(sequencer !== undefined && { sequencer }),
      })),
    ),
    ignored: messages.flatMap(({ messageId, ignored }) =>
      ignored.map(({ reason }) => ({ messageId, reason })),
    ),
    rejected: messages.flatMap(({ messageId, rejected }) =>
      rejected.map(({ code, message }) => ({ messageId, code, message })),
    ),
  };
}
