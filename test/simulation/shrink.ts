import type { Fault } from './faults.ts';
import type { Op, Schedule } from './schedule.ts';

/** Reduces a failing schedule by dropping operations, faults, uploads and settings for as long as it still fails. */
export async function shrink(
  schedule: Schedule,
  fired: readonly Fault[],
  fails: (candidate: Schedule) => Promise<boolean>,
): Promise<Schedule> {
  let least: Schedule = { ...schedule, faults: fired };
  if (!(await fails(least))) return schedule;
  for (let before = -1; before !== size(least); ) {
    before = size(least);
    const faults = least.faults === 'drawn' ? [] : least.faults;
    const fewerFaults = await fewest(faults, (some) => fails({ ...least, faults: some }));
    least = { ...least, faults: fewerFaults };
    const fewerOps = await fewest(least.ops, (some) => fails({ ...least, ops: some }));
    least = { ...least, ops: fewerOps };
    for (const [index, op] of least.ops.entries()) {
      for (const smaller of smallerOps(op)) {
        const candidate = { ...least, ops: least.ops.with(index, smaller) };
        if (await fails(candidate)) least = candidate;
      }
    }
    for (const [name, plain] of Object.entries(plainSettings)) {
      const candidate = { ...least, settings: { ...least.settings, [name]: plain } };
      if (await fails(candidate)) least = candidate;
    }
  }
  return least;
}

const plainSettings = {
  handlerSkewMs: 0,
  storeSkewMs: 0,
  othersSkewMs: 0,
  handlers: 1,
  windowMs: 0,
  maxReceives: 100,
  formatVersion: 2,
  branch: 'main',
  partitioned: false,
  byName: false,
} as const;

/** Drops halves, then quarters, and finally single elements. */
async function fewest<T>(
  items: readonly T[],
  fails: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = items;
  for (let part = Math.ceil(kept.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
    for (let start = 0; start < kept.length; ) {
      const rest = [...kept.slice(0, start), ...kept.slice(start + part)];
      if (await fails(rest)) kept = rest;
      else start += part;
    }
  }
  return kept;
}

function* smallerOps(op: Op): Generator<Op> {
  if (op.kind !== 'ship') return;
  for (let drop = 0; op.uploads.length > 1 && drop < op.uploads.length; drop += 1) {
    yield { ...op, uploads: op.uploads.toSpliced(drop, 1) };
  }
  if (op.notifyMs.length > 1) yield { ...op, notifyMs: op.notifyMs.slice(0, 1) };
}

function size({ ops, faults }: Schedule): number {
  const uploads = ops.reduce((sum, op) => sum + (op.kind === 'ship' ? op.uploads.length : 0), 0);
  return ops.length + uploads + faults.length;
}
