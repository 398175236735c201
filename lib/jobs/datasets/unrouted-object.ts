import type { Entry } from '../../config/entry.ts';
import { layoutRouter } from '../../route/layout.ts';
import type { RegisterPorts } from '../register/register-ports.ts';
import { routingOf } from './dataset-objects.ts';

/** How many objects of an entry are looked at for one that leads to no table. */
const LOOKED_AT = 10_000;

/**
 * Finds out, where no entry has a dataset, whether the lake is empty or the settings do not fit: answers an object below a `url` that
 * might be a segment and leads to no table. Undefined if there is none, quarantine and other files that are never segments left out.
 *
 * @param looked the entries below whose `url` is looked
 * @throws `store.unavailable`, `auth.failed`
 */
export async function unroutedObject(
  looked: readonly Entry[],
  { entries, portsOf }: Pick<RegisterPorts, 'entries' | 'portsOf'>,
): Promise<string | undefined> {
  const routeOf = layoutRouter(entries);
  for (const entry of looked) {
    let left = LOOKED_AT;
    for await (const object of portsOf(entry).store.list(`${entry.url}/`)) {
      if (left === 0) break;
      left -= 1;
      if (routingOf(object, routeOf)?.kind === 'unroutable') return object.uri;
    }
  }
  return undefined;
}
