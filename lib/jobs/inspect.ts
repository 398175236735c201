import { RegistrarError } from '../errors.ts';
import type { Store } from '../ports.ts';
import { fieldIdsByName } from '../schema/column-ids.ts';
import { metricsOf } from '../segment/metrics.ts';
import { metricsConfig } from '../segment/metrics-config.ts';
import { readFooter } from '../segment/read-footer.ts';
import { type Segment, type SegmentOptions, segmentOf, withFieldIds } from '../segment/segment.ts';
import type { Metrics } from '../spec/manifest.ts';
import type { NameMapping } from '../spec/name-mapping.ts';
import { readAheadBytes } from './register/table-cache.ts';

export interface InspectOptions extends SegmentOptions {
  readonly maxFooterBytes: number;
  /** The table's name mapping, for files without field IDs. */
  readonly nameMapping?: NameMapping;
}

/** How a file would be registered in a table created from it, with default table properties. */
export type Inspection =
  | { readonly kind: 'registrable'; readonly segment: Segment; readonly metrics: Metrics }
  | { readonly kind: 'refused'; readonly error: RegistrarError }
  | { readonly kind: 'empty' };

/** A table that has no column beyond its name mapping. */
const NO_TABLE = { table: new Map(), dataset: { columns: new Map() } };

/**
 * Reads one file as a registration would.
 *
 * @param uri As the store spells it.
 * @throws `segment.missing`, `segment.denied`, `store.unavailable`, `auth.failed`, `config.invalid`
 */
export async function inspect(
  store: Pick<Store, 'read'>,
  uri: string,
  options: InspectOptions,
): Promise<Inspection> {
  try {
    return await judged(store, uri, options);
  } catch (error) {
    if (error instanceof RegistrarError && !unread.has(error.code)) return { kind: 'refused', error };
    throw error;
  }
}

/** Codes of failures that say nothing about the file itself. */
const unread = new Set([
  'segment.missing',
  'segment.denied',
  'store.unavailable',
  'auth.failed',
  'config.invalid',
]);

async function judged(
  store: Pick<Store, 'read'>,
  uri: string,
  options: InspectOptions,
): Promise<Exclude<Inspection, { kind: 'refused' }>> {
  const { maxFooterBytes, nameMapping } = options;
  const read = await readFooter(store, uri, { readAheadBytes: readAheadBytes(undefined), maxFooterBytes });
  if (read.kind === 'missing')
    throw new RegistrarError(
      'segment.missing',
      `Cannot inspect "${uri}": there is no such file, or it is a directory`,
    );
  if (read.kind === 'denied') {
    throw new RegistrarError(
      'segment.denied',
      `Cannot inspect "${uri}": reading it is denied ("${read.message}")`,
    );
  }
  if (read.kind !== 'footer') {
    throw new RegistrarError(
      'store.unavailable',
      `Cannot inspect "${uri}": it was replaced while being read; try again`,
    );
  }
  const found = segmentOf({ scheme: 's3', bucket: '', key: uri }, read, options);
  if (found === 'empty') return { kind: 'empty' };
  const segment =
    nameMapping && found.idsFrom === 'names'
      ? withFieldIds(found, fieldIdsByName(found.schema, nameMapping, NO_TABLE, 0))
      : found;
  return {
    kind: 'registrable',
    segment,
    metrics: metricsOf(segment, segment.schema, metricsConfig({}, segment.schema)),
  };
}
