import type { Entry } from '../../config/entry.ts';
import type { Quarantine, QuarantineRecord } from '../../ports.ts';

/** One failure in quarantine, and what became of it. */
export interface Failure {
  readonly uri: string;
  readonly record: QuarantineRecord;
  /** `waiting` until somebody redrives or discards it. */
  readonly state: 'waiting' | 'redriven' | 'discarded';
  /** The quarantine that it is in, where its answer is written too. */
  readonly quarantine: Quarantine;
}

export interface FailureFilter {
  /** `analytics.orders` */
  readonly table?: string;
  readonly code?: string;
  /** URIs of records or of segments. */
  readonly uris?: readonly string[];
  /** Include failures that were redriven or discarded. */
  readonly all?: boolean;
}

export interface QuarantinesPorts {
  readonly entries: readonly Entry[];
  readonly portsOf: (entry: Entry) => { readonly quarantine: Quarantine };
}

/** The failures of every entry's quarantine, oldest first. @throws `store.unavailable`, `auth.failed` */
export async function listFailures(
  ports: QuarantinesPorts,
  filter: FailureFilter = {},
): Promise<readonly Failure[]> {
  const failures: (Omit<Failure, 'state'> & { state: Failure['state'] })[] = [];
  for (const quarantine of quarantines(ports)) {
    const answers = new Map<string, QuarantineRecord>();
    const found: typeof failures = [];
    for await (const { uri, record } of quarantine.list(
      filter.table === undefined ? {} : { table: filter.table },
    )) {
      const { kind, answers: answered } = record;
      if (kind === 'failure') found.push({ uri, record, state: 'waiting', quarantine });
      else if (answered !== undefined && isAnswer(kind)) {
        // The newest one counts: what was discarded may have been redriven later.
        const known = answers.get(answered);
        if (known === undefined || known.at < record.at) answers.set(answered, record);
      }
    }
    for (const failure of found) {
      const kind = answers.get(failure.uri)?.kind;
      if (isAnswer(kind)) failure.state = kind;
    }
    failures.push(...found);
  }
  return failures
    .filter((failure) => isWanted(failure, filter))
    .toSorted((a, b) => a.record.at.localeCompare(b.record.at));
}

function isAnswer(kind: QuarantineRecord['kind'] | undefined): kind is 'redriven' | 'discarded' {
  return kind === 'redriven' || kind === 'discarded';
}

/** Every record of one segment or event (failures, tries and answers), oldest first; empty if there is none. */
export async function recordsOf(
  ports: QuarantinesPorts,
  uri: string,
): Promise<readonly { readonly uri: string; readonly record: QuarantineRecord }[]> {
  const failures = await listFailures(ports, { uris: [uri], all: true });
  // A segment that was overwritten has a subject for each of its contents.
  const subjects = new Map(failures.map((failure) => [failure.uri.replace(/\.json$|\/[^/]*$/, ''), failure]));
  const records: { readonly uri: string; readonly record: QuarantineRecord }[] = [];
  for (const [subject, { quarantine, record }] of subjects) {
    const { table, segment } = record;
    const about = table === undefined || segment === undefined ? {} : { table, segment };
    for await (const found of quarantine.list(about)) if (found.uri.startsWith(subject)) records.push(found);
  }
  return records.toSorted((a, b) => a.record.at.localeCompare(b.record.at));
}

/** Every quarantine once: entries may share one. */
export function quarantines({ entries, portsOf }: QuarantinesPorts): readonly Quarantine[] {
  const byUrl = new Map(entries.map((entry) => [entry.quarantine_url, portsOf(entry).quarantine]));
  return [...byUrl.values()];
}

function isWanted({ uri, record, state }: Failure, { code, uris, all = false }: FailureFilter): boolean {
  if (!all && state !== 'waiting') return false;
  if (code !== undefined && record.code !== code) return false;
  if (uris === undefined) return true;
  return uris.includes(uri) || (record.segment !== undefined && uris.includes(record.segment.uri));
}
