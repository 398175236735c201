import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import { referenceTo } from '../../event/segment-reference.ts';
import type { Store } from '../../ports.ts';
import { type Dataset, layoutRouter } from '../../route/layout.ts';
import { isNested } from '../../spec/object-uri.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';

/**
 * The character after a slash. A directory with it appended sorts after all of the directory's keys, also in stores that
 * compare keys percent-encoded (as LocalStack does).
 */
const AFTER_SLASH = '0';

/** How many objects to list between two looks at the clock. */
const OBJECTS_A_LOOK = 1_000;

/**
 * Finds the datasets of an entry in the store: one list request per directory, in key order, or every key of a directory that
 * several datasets share. A directory without a key that maps to a table is not a dataset.
 *
 * @param isOver whether time has run out
 * @throws `store.unavailable`, `auth.failed`, `invocation.timeout`
 */
export async function* datasetsOf(
  entry: Entry,
  entries: readonly Entry[],
  store: Pick<Store, 'list'>,
  isOver: () => boolean = () => false,
): AsyncGenerator<Dataset> {
  const routeOf = layoutRouter(entries);
  // Where one directory is within the other, a key may be of both entries.
  const isAlone = entries.every((other) => other === entry || !isNested(`${other.url}/`, `${entry.url}/`));
  const known = new Set<string>();
  let startAfter: string | undefined;
  for (;;) {
    const step = await nextStep(startAfter);
    if (step === undefined) return;
    const { dataset } = step;
    startAfter = step.startAfter;
    if (dataset === undefined) continue;
    yield dataset;
    // Needed for stores that ignore `startAfter`: a known dataset is skipped, so that the loop ends.
    known.add(identityOf(dataset));
  }

  /** The next dataset, or the next directory to pass over, and where to go on listing. */
  async function nextStep(
    after: string | undefined,
  ): Promise<{ readonly dataset?: Dataset; readonly startAfter: string } | undefined> {
    let listed = 0;
    for await (const { uri } of store.list(
      `${entry.url}/`,
      after === undefined ? {} : { startAfter: after },
    )) {
      listed += 1;
      if (listed % OBJECTS_A_LOOK === 0 && isOver()) throw outOfTime(entry, uri);
      const reference = referenceTo(uri);
      const routing = reference && routeOf(reference);
      if (routing?.kind === 'table') {
        if (routing.entry !== entry || known.has(identityOf(routing))) continue;
        const { directory, sharesDirectory } = routing;
        return { dataset: routing, startAfter: sharesDirectory ? uri : `${directory}${AFTER_SLASH}` };
      }
      // A few objects are listed in one request anyway.
      if (!isAlone || listed < OBJECTS_A_LOOK || routing?.within === undefined) continue;
      const past = `${routing.within}${AFTER_SLASH}`;
      if (after === undefined || past > after) return { startAfter: past };
    }
    return undefined;
  }
}

function outOfTime({ url }: Entry, uri: string): RegistrarError {
  return new RegistrarError(
    'invocation.timeout',
    `Cannot find every dataset below "${url}" within this invocation: at "${uri}" it is out of time, listing objects of no dataset of its entry; ` +
      'set url closer to the datasets, or move the others elsewhere',
  );
}

function identityOf({ table, directory }: Dataset): string {
  return `${formatIdentifier(table)} ${directory}`;
}
