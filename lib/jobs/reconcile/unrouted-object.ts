import type { Entry } from '../../config/entry.ts';
import { ignoredKey } from '../../event/noted-object.ts';
import { referenceTo } from '../../event/segment-reference.ts';
import type { Store } from '../../ports.ts';
import { layoutRouter } from '../../route/layout.ts';

/** How many objects are looked at for one that leads to no table. */
const LOOKED_AT = 10_000;

/**
 * Finds out, where an entry has no dataset, whether its lake is empty or its settings do not fit: answers an object below `url` that might
 * be a segment and leads to no table. Undefined if there is none, quarantine and other files that are never segments left out.
 *
 * @throws `store.unavailable`, `auth.failed`
 */
export async function unroutedObject(
  { url }: Entry,
  entries: readonly Entry[],
  store: Pick<Store, 'list'>,
): Promise<string | undefined> {
  const routeOf = layoutRouter(entries);
  let looked = 0;
  for await (const { uri, sizeBytes } of store.list(`${url}/`)) {
    if (looked === LOOKED_AT) return undefined;
    looked += 1;
    const reference = referenceTo(uri);
    if (reference === undefined || ignoredKey(reference.key, sizeBytes) !== undefined) continue;
    if (routeOf(reference).kind === 'unroutable') return uri;
  }
  return undefined;
}
