import { formatIdentifier, type TableIdentifier } from '../../spec/table-identifier.ts';
import type { LostCommits } from '../lost-commits.ts';

/**
 * Why an object below a dataset, or an entry of its table, is only reported. Most reasons need a decision by a person:
 *
 * - `deleted`: registered, and no longer among the live files: compacted or deleted
 * - `rolled-back`: only a snapshot outside the branch's history has it: rolled back, or of another branch
 * - `replaced`: registered with other contents than the key holds now
 * - `unprovable`: not found, and history since its upload has expired
 * - `engine-written`: in no retained snapshot, and written by an Iceberg engine: a segment of a shipper that uses one, or the table's
 *   own file below an earlier data path that nothing records
 * - `quarantined`: it waits in quarantine
 * - `discarded`: it was in quarantine and somebody settled it; its contents are still the same
 * - `gone`: a live entry without an object: reading the table fails
 * - `live-twice`: two live entries for one object: its rows are counted twice
 */
export type ReportedReason =
  | 'deleted'
  | 'rolled-back'
  | 'replaced'
  | 'unprovable'
  | 'engine-written'
  | 'quarantined'
  | 'discarded'
  | 'gone'
  | 'live-twice';

/** The comparison of one dataset's objects in the store with its table. */
export interface Reconciliation {
  readonly table: string;
  readonly directory: string;
  /** Objects below the directory, the table's own files among them. */
  readonly listed: number;
  /** Objects that are live in the table. */
  readonly registered: number;
  /** Objects that are never registered: the table's own files, markers, keys that map to no table, segments without rows. */
  readonly ignored: number;
  /** Uploaded within the grace period: probably still on their way. */
  readonly recent: number;
  /** Uploaded before `since`, and skipped. */
  readonly older: number;
  /** In the store and provably in no retained snapshot of any ref: these are enqueued or registered. */
  readonly missing: Sampled;
  readonly reported: Readonly<Record<ReportedReason, Sampled>>;
  /** What became of the missing segments: `sent`, or the outcomes of a registration. */
  readonly done: Readonly<Record<string, number>>;
  /** Commits of the table that had landed and are gone: the missing segments may be theirs. */
  readonly lost?: LostCommits;
  /** Time ran out after this object: resume there. */
  readonly resumeAfter?: string;
}

export interface Sampled {
  readonly count: number;
  /** The URIs of the first ones. */
  readonly sample: readonly string[];
}

const SAMPLE = 100;

/** Keeps the counts while a dataset is compared, in constant memory. */
export interface Tally {
  listed: number;
  registered: number;
  ignored: number;
  recent: number;
  older: number;
  resumeAfter: string | undefined;
  /** Counts what became of missing segments. */
  add(end: string, count: number): void;
  note(reason: ReportedReason | 'missing', uri: string): void;
  report(table: TableIdentifier, directory: string): Reconciliation;
}

export function newTally(): Tally {
  const done: Record<string, number> = {};
  const findings = new Map<string, { count: number; readonly sample: string[] }>();
  const finding = (reason: string): Sampled => findings.get(reason) ?? { count: 0, sample: [] };
  const tally: Tally = {
    listed: 0,
    registered: 0,
    ignored: 0,
    recent: 0,
    older: 0,
    resumeAfter: undefined,
    add(end, count) {
      if (count > 0) done[end] = (done[end] ?? 0) + count;
    },
    note(reason, uri) {
      const found = findings.get(reason) ?? { count: 0, sample: [] };
      found.count += 1;
      if (found.sample.length < SAMPLE) found.sample.push(uri);
      findings.set(reason, found);
    },
    report(table, directory) {
      const { listed, registered, ignored, recent, older, resumeAfter } = tally;
      return {
        table: formatIdentifier(table),
        directory,
        listed,
        registered,
        ignored,
        recent,
        older,
        missing: finding('missing'),
        reported: {
          deleted: finding('deleted'),
          'rolled-back': finding('rolled-back'),
          replaced: finding('replaced'),
          unprovable: finding('unprovable'),
          'engine-written': finding('engine-written'),
          quarantined: finding('quarantined'),
          discarded: finding('discarded'),
          gone: finding('gone'),
          'live-twice': finding('live-twice'),
        },
        done,
        ...(resumeAfter !== undefined && { resumeAfter }),
      };
    },
  };
  return tally;
}

/** A reconciliation's figures without the sample URIs, for logs and answers. */
export function figures({ missing, reported, ...rest }: Reconciliation) {
  const byReason = Object.entries(reported).map(([reason, { count }]) => [reason, count] as const);
  return {
    ...rest,
    missing: missing.count,
    ...(Object.fromEntries(byReason) as Record<ReportedReason, number>),
  };
}

/** The counts of several reconciliations added up, including what became of missing segments. */
export function totals(reconciliations: readonly Reconciliation[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { done, ...rest } of reconciliations.map(figures)) {
    for (const [name, count] of Object.entries({ ...rest, ...done })) {
      if (typeof count === 'number') sums[name] = (sums[name] ?? 0) + count;
    }
  }
  return sums;
}
