import type { Entry } from '../../config/entry.ts';
import { referenceTo } from '../../event/segment-reference.ts';
import type { Store } from '../../ports.ts';
import { layoutRouter, type Routing } from '../../route/layout.ts';

/** A dataset as it lies in the store: its directory, and the table that it goes to. */
export type Dataset = Routing & { readonly kind: 'table' };

/** Sorts after every key of a directory. */
const AFTER_ALL = '\u{10ffff}';

/**
 * The datasets of an entry, found where they lie: one list request a directory, in key order. A directory without a key
 * that leads to a table is none.
 *
 * @throws `store.unavailable`, `auth.failed`
 */
export async function* datasetsOf(
  entry: Entry,
  entries: readonly Entry[],
  store: Pick<Store, 'list'>,
): AsyncGenerator<Dataset> {
  const routeOf = layoutRouter(entries);
  let startAfter: string | undefined;
  for (;;) {
    const found = await firstDataset(entry, routeOf, store, startAfter);
    if (found === undefined) return;
    yield found;
    startAfter = `${found.directory}/${AFTER_ALL}`;
  }
}

async function firstDataset(
  entry: Entry,
  routeOf: ReturnType<typeof layoutRouter>,
  store: Pick<Store, 'list'>,
  startAfter: string | undefined,
): Promise<Dataset | undefined> {
  const options = startAfter === undefined ? {} : { startAfter };
  for await (const { uri } of store.list(`${entry.url}/`, options)) {
    const reference = referenceTo(uri);
    const routing = reference && routeOf(reference);
    if (routing?.kind === 'table' && routing.entry === entry) return routing;
  }
  return undefined;
}
