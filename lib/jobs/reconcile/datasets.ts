import type { Entry } from '../../config/entry.ts';
import { referenceTo, type SegmentReference } from '../../event/segment-reference.ts';
import type { Store } from '../../ports.ts';
import { layoutRouter, type Routing } from '../../route/layout.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';

/** A dataset in the store: its directory, and the table that it goes to. */
export type Dataset = Routing & { readonly kind: 'table' };

/**
 * The character after a slash. A directory with it appended sorts after all of the directory's keys, also in stores that
 * compare keys percent-encoded (as LocalStack does).
 */
const AFTER_SLASH = '0';

/**
 * Finds the datasets of an entry in the store: one list request per directory, in key order, or every key of a directory that
 * several datasets share. A directory without a key that maps to a table is not a dataset.
 *
 * @throws `store.unavailable`, `auth.failed`
 */
export async function* datasetsOf(
  entry: Entry,
  entries: readonly Entry[],
  store: Pick<Store, 'list'>,
): AsyncGenerator<Dataset> {
  const routeOf = layoutRouter(entries);
  const known = new Set<string>();
  const newDataset = (reference: SegmentReference) => {
    const routing = routeOf(reference);
    if (routing.kind !== 'table' || routing.entry !== entry) return undefined;
    return known.has(identityOf(routing)) ? undefined : routing;
  };
  let startAfter: string | undefined;
  for (;;) {
    const found = await firstDataset(entry, store, startAfter, newDataset);
    if (found === undefined) return;
    const { dataset, uri } = found;
    yield dataset;
    // Needed for stores that ignore `startAfter`: a known dataset is skipped, so that the loop ends.
    known.add(identityOf(dataset));
    startAfter = dataset.sharesDirectory ? uri : `${dataset.directory}${AFTER_SLASH}`;
  }
}

function identityOf({ table, directory }: Dataset): string {
  return `${formatIdentifier(table)} ${directory}`;
}

async function firstDataset(
  entry: Entry,
  store: Pick<Store, 'list'>,
  startAfter: string | undefined,
  datasetOf: (reference: SegmentReference) => Dataset | undefined,
): Promise<{ readonly dataset: Dataset; readonly uri: string } | undefined> {
  const options = startAfter === undefined ? {} : { startAfter };
  for await (const { uri } of store.list(`${entry.url}/`, options)) {
    const reference = referenceTo(uri);
    const dataset = reference && datasetOf(reference);
    if (dataset !== undefined) return { dataset, uri };
  }
  return undefined;
}
