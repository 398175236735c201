import type { RegistrarError } from '../../errors.ts';
import { type SegmentReference, segmentUri } from '../../event/segment-reference.ts';
import type { Clock, Log, Quarantine, QuarantineRecord } from '../../ports.ts';

export interface QuarantinePorts {
  readonly quarantine: Pick<Quarantine, 'put'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Writes the record of one segment's failure, with everything a redrive needs. Returns the record's URI once it is durable
 * (I3).
 *
 * @param found what was read of the object, if anything; the event's ETag and size are only hints
 * @throws `store.unavailable`, `auth.failed`
 */
export async function quarantineSegment(
  reference: SegmentReference,
  failure: {
    readonly error: RegistrarError;
    readonly table: string;
    readonly found?: { readonly etag: string; readonly sizeBytes: number } | undefined;
    readonly absentAt?: QuarantineRecord['absentAt'];
    readonly answers?: string;
  },
  { quarantine, clock, log }: QuarantinePorts,
): Promise<string> {
  const { error, table, found, absentAt, answers } = failure;
  const uri = segmentUri(reference);
  const quarantineUri = await quarantine.put({
    v: 1,
    kind: 'failure',
    at: new Date(clock.now()).toISOString(),
    code: error.code,
    message: error.message,
    table,
    segment: quarantinedSegment(reference, found ?? readBy(error)),
    ...(absentAt !== undefined && { absentAt }),
    ...(answers !== undefined && { answers }),
  });
  log.warn({ event: 'quarantined', table, uri, code: error.code, message: error.message, quarantineUri });
  return quarantineUri;
}

/** ETag and size of the object, if it was refused for what was read of it; the event's ETag is only a hint. */
function readBy({ context: { etag, sizeBytes } }: RegistrarError) {
  return typeof etag === 'string' && typeof sizeBytes === 'number' ? { etag, sizeBytes } : undefined;
}

/** A segment as a quarantine record names it. */
export function quarantinedSegment(
  reference: SegmentReference,
  found?: { readonly etag: string; readonly sizeBytes: number },
): NonNullable<QuarantineRecord['segment']> {
  const { etag, sizeBytes } = found ?? reference;
  const { sequencer, versionId, copied } = reference;
  return {
    uri: segmentUri(reference),
    ...(etag !== undefined && { etag }),
    ...(sizeBytes !== undefined && { sizeBytes }),
    ...(sequencer !== undefined && { sequencer }),
    ...(versionId !== undefined && { versionId }),
    ...(copied === true && { copied }),
  };
}
