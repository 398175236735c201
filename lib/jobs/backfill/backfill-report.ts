import type { ErrorCode, RegistrarError } from '../../errors.ts';
import { type SegmentOutcome, segmentEnd } from '../../report/outcome.ts';
import type { Requests } from './requests.ts';

/** A segment that was not registered, and why. */
export interface Refusal {
  readonly uri: string;
  readonly code: ErrorCode;
  readonly message: string;
  /** Its quarantine record; absent if `on_segment_error` is `stop`, or if nothing is done about the segment. */
  readonly quarantineUri?: string;
}

export interface TableBackfill {
  readonly table: string;
  readonly committed: number;
  readonly rows: bigint;
  readonly bytes: bigint;
  readonly snapshots: number;
  /** `add column x (5)`, … */
  readonly schemaChanges: readonly string[];
  /** Why the rest of its segments was not registered. */
  readonly error?: RegistrarError;
}

/** What a backfill has done so far, or in total at its end. */
export interface BackfillReport {
  /** Objects looked at. */
  readonly listed: number;
  /** Segments that were in their tables before. */
  readonly registered: number;
  /** Objects that are not segments: keys of no table, the tables' own files, markers. */
  readonly ignored: number;
  /** Number of segments by outcome: `committed`, `quarantined`, `failed`, `already-registered`, `missing`, `sent`, … */
  readonly done: Readonly<Record<string, number>>;
  readonly tables: readonly TableBackfill[];
  /** Number of refused segments by error code. */
  readonly refusedBy: Readonly<Partial<Record<ErrorCode, number>>>;
  /** The first refused segments. */
  readonly refused: readonly Refusal[];
  readonly requests: Requests;
  readonly durationMs: number;
  /** Whether it was asked to stop before the end. */
  readonly interrupted: boolean;
}

const MAX_REFUSALS = 200;

type Table = { -readonly [K in keyof TableBackfill]: TableBackfill[K] };

/** Keeps the counts while a backfill runs, in constant memory except for one line per table. */
export interface BackfillTally {
  listed: number;
  registered: number;
  ignored: number;
  interrupted: boolean;
  add(end: string, count: number): void;
  note(outcome: SegmentOutcome): void;
  refuse(refusal: Refusal): void;
  table(name: string): Table;
  report(requests: Requests, durationMs: number): BackfillReport;
}

export function newTally(): BackfillTally {
  const done: Record<string, number> = {};
  const refusedBy: Partial<Record<ErrorCode, number>> = {};
  const refused: Refusal[] = [];
  const tables = new Map<string, Table>();
  const tally: BackfillTally = {
    listed: 0,
    registered: 0,
    ignored: 0,
    interrupted: false,
    add(end, count) {
      if (count > 0) done[end] = (done[end] ?? 0) + count;
    },
    note(outcome) {
      tally.add(segmentEnd(outcome), 1);
    },
    refuse(refusal) {
      refusedBy[refusal.code] = (refusedBy[refusal.code] ?? 0) + 1;
      if (refused.length < MAX_REFUSALS) refused.push(refusal);
    },
    table(name) {
      const known = tables.get(name);
      if (known !== undefined) return known;
      const table = { table: name, committed: 0, rows: 0n, bytes: 0n, snapshots: 0, schemaChanges: [] };
      tables.set(name, table);
      return table;
    },
    report: (requests, durationMs) => ({
      listed: tally.listed,
      registered: tally.registered,
      ignored: tally.ignored,
      done: { ...done },
      tables: [...tables.values()].toSorted(byName).map((table) => ({ ...table })),
      refusedBy: { ...refusedBy },
      refused: [...refused],
      requests: { ...requests },
      durationMs,
      interrupted: tally.interrupted,
    }),
  };
  return tally;
}

function byName(a: Table, b: Table): number {
  return a.table < b.table ? -1 : 1;
}
