import type { SegmentReference } from '../../event/segment-reference.ts';
import { isWrittenByIceberg } from '../../segment/iceberg-writer.ts';
import { readFooters } from '../register/read-footers.ts';
import type { RegisterPorts } from '../register/register-ports.ts';
import { readAheadBytes } from '../register/table-cache.ts';
import type { Dataset } from './datasets.ts';

/**
 * Finds the objects that an Iceberg engine wrote: they may be the table's own files, below a path that nothing remembers (I11).
 * Costs one request per object.
 *
 * @returns their URIs; none where `on_unprovable` is `register`
 * @throws `store.unavailable`, `auth.failed`
 */
export async function engineWritten(
  references: readonly SegmentReference[],
  { entry }: Pick<Dataset, 'entry'>,
  { portsOf, footerLimit }: Pick<RegisterPorts, 'portsOf' | 'footerLimit'>,
): Promise<ReadonlySet<string>> {
  if (entry.on_unprovable === 'register') return new Set();
  const { store } = portsOf(entry);
  // One by one, so that no footer is kept.
  const written = await Promise.all(
    references.map(async (reference) => {
      const { segments } = await readFooters(store, [reference], {
        readAheadBytes: readAheadBytes(undefined),
        maxFooterBytes: entry.max_footer_bytes,
        concurrently: footerLimit,
        hasRoom: () => true,
        isOver: () => false,
      });
      return segments.filter(({ read }) => isWrittenByIceberg(read)).map(({ uri }) => uri);
    }),
  );
  return new Set(written.flat());
}
