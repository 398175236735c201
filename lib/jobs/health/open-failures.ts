import type { QuarantineRecord, Store } from '../../ports.ts';
import { parseJson } from '../../spec/json.ts';

/** Segments of which several records are read at one look; those with the newest records first. */
const MOST_READ = 200;

/**
 * How many segments of a table wait in quarantine, found by listing: a segment with one record has nothing that answers it. Of those with
 * several the newest record tells, so that a quarantine of any size costs a look a few requests; beyond {@link MOST_READ} they count as answered.
 *
 * @param table `analytics.orders`
 * @throws `store.unavailable`, `auth.failed`
 */
export async function countOpenFailures(
  store: Pick<Store, 'list' | 'read'>,
  quarantineUrl: string,
  table: string,
): Promise<number> {
  const segments = new Map<string, { records: number; newestMs: number; newest: string[] }>();
  for await (const { uri, lastModifiedMs } of store.list(`${quarantineUrl.replace(/\/+$/, '')}/${table}/`)) {
    const folder = uri.slice(0, uri.lastIndexOf('/'));
    const known = segments.get(folder) ?? { records: 0, newestMs: lastModifiedMs, newest: [] };
    known.records += 1;
    if (lastModifiedMs > known.newestMs) known.newest = [];
    if (lastModifiedMs >= known.newestMs) known.newest.push(uri);
    known.newestMs = Math.max(known.newestMs, lastModifiedMs);
    segments.set(folder, known);
  }
  const several = [...segments.values()].filter(({ records }) => records > 1);
  const looked = several.toSorted((a, b) => b.newestMs - a.newestMs).slice(0, MOST_READ);
  const open = await Promise.all(looked.map(({ newest }) => isOpen(store, newest)));
  return segments.size - several.length + open.filter(Boolean).length;
}

/** Stores date to the second: of records of one second, an answer is the last. */
async function isOpen(store: Pick<Store, 'read'>, newest: readonly string[]): Promise<boolean> {
  const kinds = await Promise.all(newest.map((uri) => kindOf(store, uri)));
  return kinds.every((kind) => kind === 'failure' || kind === 'trying');
}

async function kindOf(
  store: Pick<Store, 'read'>,
  uri: string,
): Promise<QuarantineRecord['kind'] | undefined> {
  const read = await store.read(uri);
  return read.kind === 'object'
    ? (parseJson(Buffer.from(read.bytes).toString()) as QuarantineRecord).kind
    : undefined;
}
