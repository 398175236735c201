import type { QuarantineRecord, Store } from '../../ports.ts';
import { parseJson } from '../../spec/json.ts';
import { withoutEndSlashes } from '../../spec/object-uri.ts';

/** How many segments with several records are examined at most, those with the newest records first. */
const MOST_READ = 200;

/** What is open in quarantine. */
export interface OpenFailures {
  readonly count: number;
  /** When the longest-waiting segment was last quarantined; undefined if there is none. */
  readonly oldestAtMs: number | undefined;
}

/** The quarantine's directory for events that could not be decoded, beside those of the tables. */
export const EVENTS = '_events';

/**
 * Counts the segments of a table that wait in quarantine, by listing. A segment with a single record has no answer, so it is
 * open. For segments with several records the newest one decides, so even a huge quarantine takes only a few requests; segments
 * beyond {@link MOST_READ} count as answered.
 *
 * @param table `analytics.orders`, or {@link EVENTS}
 * @throws `store.unavailable`, `auth.failed`
 */
export async function openFailuresOf(
  store: Pick<Store, 'list' | 'read'>,
  quarantineUrl: string,
  table: string,
): Promise<OpenFailures> {
  const folder = `${withoutEndSlashes(quarantineUrl)}/${table}/`;
  const segments = new Map<string, { records: number; newestMs: number; newest: string[] }>();
  for await (const { uri, lastModifiedMs } of store.list(folder)) {
    // Consoles leave empty objects as folders.
    if (!uri.endsWith('.json')) continue;
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

/**
 * Whether a segment is open, by its newest records. Stores date objects to the second, so the newest is found by the time within the
 * records; an answer counts as newer than what it answers. A record that cannot be read answers nothing.
 */
async function isOpen(store: Pick<Store, 'read'>, newest: readonly string[]): Promise<boolean> {
  const found = await Promise.all(newest.map((uri) => readRecord(store, uri)));
  const records = found.filter((one) => one !== undefined);
  const lastMs = records.reduce((last, { atMs }) => Math.max(last, atMs), 0);
  return records.every(({ kind, atMs }) => atMs < lastMs || kind === 'failure' || kind === 'trying');
}

async function readRecord(store: Pick<Store, 'read'>, uri: string) {
  const read = await store.read(uri);
  if (read.kind !== 'object') return undefined;
  try {
    const { kind, at } = parseJson(Buffer.from(read.bytes).toString()) as Partial<QuarantineRecord>;
    return kind === undefined || at === undefined ? undefined : { kind, atMs: Date.parse(at) || 0 };
  } catch {
    return undefined;
  }
}
