import type { RepairAction } from '../../lib/jobs/repair/repair-plan.ts';
import type { ContentKind } from './contents.ts';
import { type Draws, drawsOf } from './draws.ts';
import type { Fault } from './faults.ts';
import { widened } from './widened.ts';

/** Everything that determines a run: the same schedule always gives the same run. */
export interface Schedule {
  readonly seed: number;
  readonly settings: Settings;
  /** Sorted by time. */
  readonly ops: readonly Op[];
  /** `drawn`: faults are drawn from the seed, call by call. A list replays exactly these faults. */
  readonly faults: 'drawn' | readonly Fault[];
}

export interface Settings {
  readonly faultRate: number;
  readonly commitFaultRate: number;
  readonly formatVersion: 2 | 3;
  /** The format version of a table that exists before the first segment; `none` if the registrar creates the table. */
  readonly precreated: 1 | 2 | 3 | 'none';
  readonly endpoints: readonly ('register' | 'commit' | 'create')[] | undefined;
  readonly timeoutMs: number;
  readonly visibilitySeconds: number;
  readonly windowMs: number;
  readonly maxReceives: number;
  /** The number of register handlers that may run at once, each on its own message groups. */
  readonly handlers: number;
  /** `commit.manifest.min-count-to-merge`. Schedules without it never have enough manifests for a merge. */
  readonly mergeFrom?: number;
  /** Clock errors. That of each handler is drawn from ± this value; the other two are exact. */
  readonly handlerSkewMs: number;
  readonly storeSkewMs: number;
  readonly othersSkewMs: number;
  /** The branch on which segments are registered. @default main */
  readonly branch?: string;
  /** Whether the table is partitioned by `truncate[100](seq)`. @default false */
  readonly partitioned?: boolean;
  /** Whether segments lack field IDs (`field_ids: by_name`). @default false */
  readonly byName?: boolean;
}

export const DATASETS = ['orders', 'events'] as const;
export type DatasetName = (typeof DATASETS)[number];

export interface Upload {
  /** Such as `orders/00001.parquet`, relative to the shipper's directory of all datasets. */
  readonly key: string;
  readonly content: ContentKind;
  readonly number: number;
  readonly copied: boolean;
}

export type Op = { readonly atMs: number } & (
  | {
      readonly kind: 'ship';
      readonly uploads: readonly Upload[];
      /** The message group in register's queue; undefined if the notification goes to the router's queue. */
      readonly group: string | undefined;
      /** Delays of the notifications after the upload. S3 may deliver one twice, or late. */
      readonly notifyMs: readonly number[];
    }
  | { readonly kind: 'delete object'; readonly key: string }
  | { readonly kind: 'foreign append'; readonly dataset: DatasetName; readonly counted: boolean }
  | { readonly kind: 'foreign add_files'; readonly key: string }
  | { readonly kind: 'add column' | 'rewrite manifests' | 'drop'; readonly dataset: DatasetName }
  /** `dies`: the job ends after it has written its files and before it commits them. */
  | { readonly kind: 'compact'; readonly dataset: DatasetName; readonly dies: boolean }
  /** A SQL delete of all rows of one file. */
  | { readonly kind: 'delete rows'; readonly dataset: DatasetName }
  /** A SQL delete in merge-on-read mode: it adds a delete file. */
  | { readonly kind: 'add deletes'; readonly dataset: DatasetName }
  | { readonly kind: 'expire'; readonly dataset: DatasetName; readonly keep: number }
  | { readonly kind: 'roll back'; readonly dataset: DatasetName; readonly steps: number }
  /** The catalog is restored from a backup: the table is as it was this many changes ago. */
  | { readonly kind: 'restore'; readonly dataset: DatasetName; readonly changes: number }
  | { readonly kind: 'set data path'; readonly dataset: DatasetName; readonly folder: string }
  /** Tags the branch's head, so that the snapshot is kept whatever happens to the branch. */
  | { readonly kind: 'tag'; readonly dataset: DatasetName }
  /** Another writer appends on a branch that starts at the head: a file of its own, or a shipped one (`key`). */
  | { readonly kind: 'append on a side branch'; readonly dataset: DatasetName; readonly key?: string }
  /** Fast-forwards the branch to the side branch, if the side branch continues it. */
  | { readonly kind: 'fast-forward'; readonly dataset: DatasetName }
  /** Cherry-picks the newest append outside the branch's history onto its head. */
  | { readonly kind: 'cherry-pick'; readonly dataset: DatasetName }
  | { readonly kind: 'repair'; readonly key: string; readonly action: RepairAction }
  /** Backfills everything below the shipper's directory while messages are still delivered. */
  | { readonly kind: 'backfill'; readonly segmentsACommit: number }
  | { readonly kind: 'redrive dead letters' }
  | { readonly kind: 'reconcile'; readonly dataset: DatasetName; readonly missing: 'enqueue' | 'register' }
  /** Repeated after these times. Within five minutes a FIFO queue drops a message that it has already accepted. */
  | { readonly kind: 'redrive quarantine'; readonly againMs: readonly number[] }
);

/** The datasets of which a schedule ships segments. */
export function datasetsOf({ ops }: Pick<Schedule, 'ops'>): readonly DatasetName[] {
  const keys = ops.flatMap((op) => (op.kind === 'ship' ? op.uploads.map(({ key }) => key) : []));
  return DATASETS.filter((dataset) => keys.some((key) => key.startsWith(`${dataset}/`)));
}

/** Draws the schedule of a seed. */
export function scheduleOf(seed: number): Schedule {
  const draws = drawsOf(`schedule/${seed}`);
  const spanMs = draws.pick([60_000, 20 * 60_000, 4 * 3_600_000, 30 * 3_600_000]);
  const datasets = draws.chance(0.7) ? DATASETS.slice(0, 1) : DATASETS;
  const settings = drawSettings(draws);
  const shipped = ships(draws, spanMs, datasets);
  const keys = shipped.flatMap((op) => (op.kind === 'ship' ? op.uploads.map(({ key }) => key) : []));
  const others = Array.from({ length: draws.pick([0, 1, 2, 3, 6]) }, () =>
    other(draws, spanMs, datasets, keys),
  );
  // A table that is dropped or restored loses its data path, and then nothing tells whose files lie there.
  const forgetful = others.some(({ kind }) => kind === 'drop' || kind === 'restore');
  // Files that expired after the backup are gone: nobody can read a table that is restored to them.
  const expired = others.some(({ kind }) => kind === 'expire');
  const possible = others.filter(
    ({ kind }) => !(forgetful && kind === 'set data path') && !(expired && kind === 'restore'),
  );
  const ops = [...shipped, ...possible].sort((a, b) => a.atMs - b.atMs);
  return widened({ seed, settings, ops, faults: 'drawn' }, { spanMs, datasets, keys });
}

function drawSettings(draws: Draws): Settings {
  const faultRate = draws.pick([0, 0.01, 0.05, 0.15]);
  const timeoutMs = draws.pick([60_000, 60_000, 300_000]);
  return {
    faultRate,
    commitFaultRate: draws.pick([0, faultRate, 0.3, 0.6]),
    formatVersion: draws.pick([2, 2, 3]),
    precreated: draws.pick(['none', 'none', 1, 2, 2, 3]),
    endpoints: draws.pick<Settings['endpoints']>([
      ['register', 'commit', 'create'],
      ['commit', 'create'],
      ['create'],
      undefined,
    ]),
    timeoutMs,
    visibilitySeconds: timeoutMs === 60_000 ? draws.pick([30, 360, 360]) : 360,
    windowMs: draws.pick([0, 1_000, 10_000]),
    maxReceives: draws.pick([2, 5, 100]),
    handlers: draws.pick([1, 2, 4]),
    mergeFrom: draws.pick([2, 2, 3, 5]),
    handlerSkewMs: draws.pick([0, 0, 5 * 60_000]),
    storeSkewMs: draws.pick([0, 0, 5, -5]) * 60_000,
    othersSkewMs: draws.pick([0, 0, 5, -5]) * 60_000,
  };
}

function ships(draws: Draws, spanMs: number, datasets: readonly DatasetName[]): readonly Op[] {
  const keys: string[] = [];
  // What goes wrong goes wrong between few uploads: as many bugs are found in the time of a long schedule by several short ones.
  const steps = draws.chance(0.05) ? draws.integer(4, 8) : draws.pick([1, 1, 2, 2, 2, 3]);
  const times = Array.from({ length: steps }, () => draws.integer(0, spanMs)).sort((a, b) => a - b);
  let version: 0 | 1 | 2 = 0;
  return times.map((atMs, index): Op => {
    // The schema of a dataset only moves forward, so every segment fits in any order of arrival.
    if (version < 2 && draws.chance(0.15)) version = version === 0 ? 1 : 2;
    const dataset = datasets[draws.integer(0, datasets.length - 1)] ?? 'orders';
    // Occasionally more segments than a snapshot summary can list.
    const count = draws.chance(0.01) ? 30 : draws.pick([1, 1, 1, 2, 3]);
    const uploads = Array.from({ length: count }, (_, part): Upload => {
      const again = keys.length > 0 && draws.chance(0.12);
      const key = again
        ? (keys[draws.integer(0, keys.length - 1)] ?? '')
        : `${dataset}/${index}-${part}.parquet`;
      keys.push(key);
      return {
        key,
        content: draws.chance(0.08) ? draws.pick(['misfit', 'empty', 'garbage']) : version,
        number: again && draws.chance(0.5) ? keys.indexOf(key) : index * 40 + part,
        copied: draws.chance(0.05),
      };
    });
    const direct = draws.chance(0.35);
    const late = draws.chance(0.3) ? draws.integer(0, spanMs) : draws.integer(50, 3_000);
    return {
      kind: 'ship',
      atMs,
      uploads,
      group: direct ? `shipper-${draws.integer(1, 3)}` : undefined,
      notifyMs: notifications(draws, late, spanMs),
    };
  });
}

/** One notification, two, or none; without one, reconcile has to find the segment. */
function notifications(draws: Draws, lateMs: number, spanMs: number): readonly number[] {
  if (draws.chance(0.04)) return [];
  return draws.chance(0.25) ? [lateMs, draws.integer(0, spanMs)] : [lateMs];
}

/** The other kinds were added later. They are drawn separately (`widened.ts`), so that the schedules of existing seeds did not change. */
type OtherKind = Exclude<
  Op['kind'],
  'ship' | 'tag' | 'append on a side branch' | 'fast-forward' | 'cherry-pick' | 'repair' | 'backfill'
>;

function other(draws: Draws, spanMs: number, datasets: readonly DatasetName[], keys: readonly string[]): Op {
  const atMs = draws.integer(0, Math.round(spanMs * 1.2));
  const dataset = datasets[draws.integer(0, datasets.length - 1)] ?? 'orders';
  const key = keys[draws.integer(0, keys.length - 1)] ?? '';
  const kind = draws.pick<OtherKind>([
    'foreign append',
    'foreign append',
    'foreign add_files',
    'add column',
    'compact',
    'compact',
    'rewrite manifests',
    'delete rows',
    'add deletes',
    'add deletes',
    'expire',
    'expire',
    'roll back',
    'restore',
    'set data path',
    'delete object',
    'redrive quarantine',
    'redrive dead letters',
    'reconcile',
    'drop',
  ]);
  switch (kind) {
    case 'foreign append':
      return { kind, atMs, dataset, counted: draws.chance(0.7) };
    case 'foreign add_files':
    case 'delete object':
      return { kind, atMs, key };
    case 'compact':
      return { kind, atMs, dataset, dies: draws.chance(0.3) };
    case 'reconcile':
      return { kind, atMs, dataset, missing: draws.pick(['enqueue', 'register']) };
    case 'expire':
      return { kind, atMs, dataset, keep: draws.integer(1, 3) };
    case 'roll back':
      return { kind, atMs, dataset, steps: draws.integer(1, 2) };
    case 'restore':
      return { kind, atMs, dataset, changes: draws.integer(1, 3) };
    case 'set data path':
      // Only one path: the registrar knows an earlier one only if it registered something while that was set.
      return { kind, atMs, dataset, folder: 'compacted' };
    case 'redrive quarantine':
      return { kind, atMs, againMs: draws.pick([[], [100_000], [100_000, 900_000]]) };
    case 'redrive dead letters':
      return { kind, atMs };
    default:
      return { kind, atMs, dataset };
  }
}
