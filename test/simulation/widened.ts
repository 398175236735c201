import { type Draws, drawsOf } from './draws.ts';
import type { DatasetName, Op, Schedule, Settings } from './schedule.ts';

/** What the schedule was drawn from. */
export interface Drawn {
  readonly spanMs: number;
  readonly datasets: readonly DatasetName[];
  /** The keys that are shipped. */
  readonly keys: readonly string[];
}

/**
 * Adds to a part of all schedules: another target branch, partitions, segments without field IDs, other refs, repairs, backfills.
 * Drawn from a separate stream, so that a seed keeps everything else that it has.
 */
export function widened(schedule: Schedule, drawn: Drawn): Schedule {
  const draws = drawsOf(`widened/${schedule.seed}`);
  const branched = draws.chance(0.08);
  const partitioned = draws.chance(0.1);
  const byName = draws.chance(0.1);
  const more = [
    ...(draws.chance(0.15) ? ofRefs(draws, drawn) : []),
    ...(draws.chance(0.1) ? repairs(draws, drawn) : []),
    ...(draws.chance(0.06) ? backfills(draws, schedule) : []),
  ];
  const settings: Settings = {
    ...schedule.settings,
    ...(branched && { branch: 'audit', precreated: existing(schedule.settings) }),
    ...(partitioned && { partitioned }),
    ...(byName && { byName }),
  };
  const ops = [...schedule.ops, ...more]
    // The registrar creates no branch: a table that has lost its branch accepts no segment.
    .filter(({ kind }) => !(branched && (kind === 'drop' || kind === 'restore')))
    .map((op) => (partitioned ? withoutMisfits(op) : op))
    .sort((a, b) => a.atMs - b.atMs);
  return { ...schedule, settings, ops };
}

function existing({ precreated }: Settings): 1 | 2 | 3 {
  return precreated === 'none' ? 2 : precreated;
}

/** A table that was created from a misfit would be partitioned by strings. */
function withoutMisfits(op: Op): Op {
  if (op.kind !== 'ship') return op;
  const uploads = op.uploads.map((upload) =>
    upload.content === 'misfit' ? { ...upload, content: 'garbage' as const } : upload,
  );
  return { ...op, uploads };
}

/** Two steps; the second follows soon after the first, or at any time. */
function ofRefs(draws: Draws, { spanMs, datasets, keys }: Drawn): readonly Op[] {
  const dataset = datasets[draws.integer(0, datasets.length - 1)] ?? 'orders';
  const firstMs = draws.integer(0, spanMs);
  const secondMs = firstMs + (draws.chance(0.5) ? draws.integer(1, 3_000) : draws.integer(0, spanMs));
  const shipped = keys.filter((one) => one.startsWith(`${dataset}/`));
  const key = shipped[draws.integer(0, shipped.length - 1)];
  const first = { atMs: firstMs, dataset };
  const second = { atMs: secondMs, dataset };
  const aside: Op = {
    kind: 'append on a side branch',
    ...first,
    ...(key !== undefined && draws.chance(0.6) && { key }),
  };
  switch (draws.pick(['picked', 'picked', 'tagged', 'forwarded', 'taken over'])) {
    case 'picked':
      return [
        { kind: 'roll back', ...first, steps: draws.integer(1, 2) },
        { kind: 'cherry-pick', ...second },
      ];
    case 'tagged':
      return [
        { kind: 'tag', ...first },
        { kind: 'roll back', ...second, steps: draws.integer(1, 2) },
      ];
    case 'forwarded':
      return [aside, { kind: 'fast-forward', ...second }];
    default:
      return [aside, { kind: 'cherry-pick', ...second }];
  }
}

function repairs(draws: Draws, { spanMs, keys }: Drawn): readonly Op[] {
  return Array.from({ length: draws.integer(1, 2) }, (): Op => {
    return {
      kind: 'repair',
      atMs: draws.integer(0, Math.round(spanMs * 1.2)),
      key: keys[draws.integer(0, keys.length - 1)] ?? '',
      action: draws.pick(['remove', 'remove', 'replace', 'replace', 'keep-one']),
    };
  });
}

/** A time close to a registration, since that is what it may interfere with. */
function backfills(draws: Draws, { ops, settings }: Schedule): readonly Op[] {
  const ships = ops.filter((op) => op.kind === 'ship');
  const ship = ships[draws.integer(0, ships.length - 1)];
  const registeredMs = (ship?.atMs ?? 0) + (ship?.notifyMs[0] ?? 0) + settings.windowMs;
  const atMs = Math.max(0, registeredMs + draws.integer(-1_000, 1_000));
  return [{ kind: 'backfill', atMs, segmentsACommit: draws.pick([1, 2, 50]) }];
}
