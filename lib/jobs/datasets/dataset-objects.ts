import { ignoredKey } from '../../event/noted-object.ts';
import { referenceTo } from '../../event/segment-reference.ts';
import type { ListedObject } from '../../ports.ts';
import type { Dataset, layoutRouter, Routing } from '../../route/layout.ts';
import { ownFileTest } from '../../route/table-paths.ts';
import { formatIdentifier, type TableIdentifier } from '../../spec/table-identifier.ts';
import type { TableState } from '../../spec/table-state.ts';
import { listFailures, type QuarantinesPorts } from '../quarantine/quarantine-list.ts';

/** Where a listed object is routed; undefined for what is no segment by its key and size alone. */
export function routingOf(
  { uri, sizeBytes }: Pick<ListedObject, 'uri' | 'sizeBytes'>,
  routeOf: ReturnType<typeof layoutRouter>,
): Routing | undefined {
  const reference = referenceTo(uri);
  if (reference === undefined || ignoredKey(reference.key, sizeBytes) !== undefined) return undefined;
  return routeOf(reference);
}

/**
 * Tests whether an object is a segment that a shipper uploaded to this dataset (I11).
 *
 * @param state undefined before the table's first registration
 */
export function segmentTest(
  { table, directory }: Pick<Dataset, 'table' | 'directory'>,
  state: TableState | undefined,
  routeOf: ReturnType<typeof layoutRouter>,
): (object: Pick<ListedObject, 'uri' | 'sizeBytes'>) => boolean {
  const isOwnFile = state && ownFileTest(state, directory);
  return (object) => {
    const routing = routingOf(object, routeOf);
    if (routing?.kind !== 'table' || formatIdentifier(routing.table) !== formatIdentifier(table))
      return false;
    return isOwnFile?.(object.uri) !== true;
  };
}

/**
 * Whether an object waits in quarantine, or was discarded from it with the contents that it still has; undefined for neither.
 */
export type QuarantineStateOf = (
  object: Pick<ListedObject, 'uri'> & { readonly version?: string | undefined },
) => 'waiting' | 'discarded' | undefined;

/** Reads what the quarantine says of a table's segments. @throws `store.unavailable`, `auth.failed` */
export async function quarantineStates(
  table: TableIdentifier,
  ports: QuarantinesPorts,
): Promise<QuarantineStateOf> {
  const failures = await listFailures(ports, { table: formatIdentifier(table), all: true });
  const waiting = new Set<string>();
  const discarded = new Map<string, string | undefined>();
  for (const { state, record } of failures) {
    const { uri, etag } = record.segment ?? {};
    if (uri === undefined) continue;
    if (state === 'waiting') waiting.add(uri);
    // The failures are listed oldest first, and the state of the newest one counts.
    if (state === 'discarded') discarded.set(uri, etag);
    else discarded.delete(uri);
  }
  return ({ uri, version }) => {
    if (waiting.has(uri)) return 'waiting';
    if (!discarded.has(uri)) return undefined;
    return (discarded.get(uri) ?? version) === version ? 'discarded' : undefined;
  };
}
