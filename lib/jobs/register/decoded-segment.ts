import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import { type Segment, segmentOf } from '../../segment/segment.ts';
import type { TableState } from '../../spec/table-state.ts';
import type { SegmentRead } from './read-footers.ts';

/** Decoded footers and the options they were decoded with, so that a retry does not repeat what decoding ahead has done. */
const decoded = new WeakMap<SegmentRead, DecodedFooter>();

interface DecodedFooter {
  readonly segment: Segment | RegistrarError | 'empty';
  readonly formatVersion: number;
  readonly entry: Entry;
}

/** A segment whose footer was read, or why it can be in no table; `empty` for one without rows. */
export function readSegment(
  shipped: SegmentRead,
  { formatVersion }: Pick<TableState, 'formatVersion'>,
  entry: Entry,
): Segment | RegistrarError | 'empty' {
  const known = decoded.get(shipped);
  if (known?.formatVersion === formatVersion && known.entry === entry) return known.segment;
  const segment = decodeSegment(shipped, formatVersion, entry);
  decoded.set(shipped, { segment, formatVersion, entry });
  return segment;
}

function decodeSegment(
  { reference, read }: SegmentRead,
  formatVersion: TableState['formatVersion'],
  entry: Entry,
): Segment | RegistrarError | 'empty' {
  try {
    return segmentOf(reference, read, {
      formatVersion,
      fieldIds: entry.field_ids,
      caseSensitiveNames: entry.case_sensitive_names,
      timestampMillis: entry.timestamp_millis,
    });
  } catch (error) {
    return ofSegment(error);
  }
}

/** Returns an error that concerns one segment only; rethrows any other, which ends the batch. */
export function ofSegment(error: unknown): RegistrarError {
  if (error instanceof RegistrarError && error.scope === 'segment') return error;
  throw error;
}
