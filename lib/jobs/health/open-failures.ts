import type { QuarantineRecord, Store } from '../../ports.ts';
import { parseJson } from '../../spec/json.ts';

/** Segments of which several records are read at one look; those with the newest records first. */
const MOST_READ = 200;

/** What waits in quarantine. */
export interface OpenFailures {
  readonly count: number;
  /** When the one that waits longest was last set aside; undefined without any. */
  readonly oldestAtMs: number | undefined;
}

/** Events that could not be decoded lie where the tables' segments do. */
export const EVENTS = '_events';

/**
 * How many segments of a table wait in quarantine, found by listing: a segment with one record has nothing that answers it. Of those with
 * several the newest record tells, so that a quarantine of any size costs a look a few requests; beyond {@link MOST_READ} they count as answered.
 *
 * @param table `analytics.orders`, or {@link EVENTS}
 * @throws `store.unavailable`, `auth.failed`
 */
export async function openFailuresOf(
  store: Pick<Store, 'list' | 'read'>,
  quarantineUrl: string,
  table: string,
): Promise<OpenFailures> {
  const folder = `${quarantineUrl.replace(/\/+$/, '')}/${table}/`;
  const segments = new Map<string, { records: number; newestMs: number; newest: string[] }>();
  for await (const { uri, lastModifiedMs } of store.list(folder)) {
    // The first record of an event lies beside the folder of its later ones.
    const subject = /^[^/.]+/.exec(uri.slice(folder.length))?.[0] ?? uri;
    const known = segments.get(subject) ?? { records: 0, newestMs: lastModifiedMs, newest: [] };
    known.records += 1;
    if (lastModifiedMs > known.newestMs) known.newest = [];
    if (lastModifiedMs >= known.newestMs) known.newest.push(uri);
    known.newestMs = Math.max(known.newestMs, lastModifiedMs);
    segments.set(subject, known);
  }
  const single = [...segments.values()].filter(({ records }) => records === 1);
  const several = [...segments.values()].filter(({ records }) => records > 1);
  const looked = several.toSorted((a, b) => b.newestMs - a.newestMs).slice(0, MOST_READ);
  const isStillOpen = await Promise.all(looked.map(({ newest }) => isOpen(store, newest)));
  const open = [...single, ...looked.filter((_, at) => isStillOpen[at])];
  return {
    count: open.length,
    oldestAtMs: open.reduce<number | undefined>(
      (oldest, { newestMs }) => Math.min(oldest ?? newestMs, newestMs),
      undefined,
    ),
  };
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
