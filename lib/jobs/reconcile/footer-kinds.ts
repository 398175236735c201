import type { SegmentReference } from '../../event/segment-reference.ts';
import type { Dataset } from '../../route/layout.ts';
import { isWrittenByIceberg } from '../../segment/iceberg-writer.ts';
import type { TableState } from '../../spec/table-state.ts';
import { readSegment } from '../register/decoded-segment.ts';
import { readFooters } from '../register/read-footers.ts';
import type { RegisterPorts } from '../register/register-ports.ts';
import { readAheadBytes } from '../register/table-cache.ts';

/**
 * Why an unregistered object is not a missing segment:
 *
 * - `engine-written`: it may be the table's own file, below an earlier data path that nothing records (I11)
 * - `empty`: it has no rows, and is never registered
 * - `missing`: it was deleted since it was listed
 */
export type FooterKind = 'engine-written' | 'empty' | 'missing';

/**
 * Reads the footers of unregistered objects, one request per object.
 *
 * @returns by URI, the objects that are not missing. With `on_unprovable: register`, objects that engines wrote are missing
 * @throws `store.unavailable`, `auth.failed`
 */
export async function footerKinds(
  references: readonly SegmentReference[],
  { entry }: Pick<Dataset, 'entry'>,
  state: TableState,
  { portsOf, footerLimit }: Pick<RegisterPorts, 'portsOf' | 'footerLimit'>,
): Promise<ReadonlyMap<string, FooterKind>> {
  const { store } = portsOf(entry);
  const kinds = new Map<string, FooterKind>();
  // One call per object, so that no footer is kept in memory.
  await Promise.all(
    references.map(async (reference) => {
      const { segments, ignored } = await readFooters(store, [reference], {
        readAheadBytes: readAheadBytes(undefined),
        maxFooterBytes: entry.max_footer_bytes,
        concurrently: footerLimit,
      });
      for (const uri of ignored.keys()) kinds.set(uri, 'missing');
      for (const segment of segments) {
        if (readSegment(segment, state, entry) === 'empty') kinds.set(segment.uri, 'empty');
        else if (entry.on_unprovable !== 'register' && isWrittenByIceberg(segment.read))
          kinds.set(segment.uri, 'engine-written');
      }
    }),
  );
  return kinds;
}
