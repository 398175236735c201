import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../lib/spec/snapshot.ts';
import { extendSnapshots, isContinued, type Snapshots } from '../../lib/spec/snapshot-log.ts';

const snapshot = (snapshotId: bigint): Snapshot => ({
  snapshotId,
  parentSnapshotId: undefined,
  sequenceNumber: snapshotId,
  timestampMs: 0n,
  manifestList: undefined,
  summary: {},
  schemaId: undefined,
});

function mapOf(...ids: readonly bigint[]): Map<bigint, Snapshot> {
  return new Map(ids.map((id) => [id, snapshot(id)]));
}

function extended(snapshots: Snapshots, ...ids: readonly bigint[]): Snapshots {
  const next = extendSnapshots(snapshots, ids.map(snapshot));
  if (next === undefined) throw new Error('not extended');
  return next;
}

test('extendSnapshots gives a map with the added snapshots last, whatever maps are extended in whatever order', () => {
  const steps = fc.array(fc.record({ of: fc.nat(), count: fc.integer({ min: 0, max: 3 }) }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const made: [Snapshots, Map<bigint, Snapshot>][] = [[mapOf(1n, 2n), mapOf(1n, 2n)]];
      let nextId = 3n;
      for (const { of, count } of all) {
        const [snapshots, expected] = made[of % made.length] ?? [mapOf(), mapOf()];
        const ids = Array.from({ length: count }, () => nextId++);
        made.push([extended(snapshots, ...ids), new Map([...expected, ...mapOf(...ids)])]);
      }
      for (const [snapshots, expected] of made) {
        expect([...snapshots]).toStrictEqual([...expected]);
        expect([...snapshots.keys()]).toStrictEqual([...expected.keys()]);
        expect([...snapshots.values()]).toStrictEqual([...expected.values()]);
        expect(snapshots.size).toBe(expected.size);
        for (let id = 1n; id < nextId; id += 1n) {
          expect(snapshots.has(id)).toBe(expected.has(id));
          expect(snapshots.get(id)).toStrictEqual(expected.get(id));
        }
        const visited: bigint[] = [];
        snapshots.forEach((_, id) => {
          visited.push(id);
        });
        expect(visited).toStrictEqual([...expected.keys()]);
      }
    }),
  );
});

test('extendSnapshots refuses an ID that the map has, and an ID that is added twice', () => {
  expect(extendSnapshots(mapOf(1n), [snapshot(1n)])).toBeUndefined();
  expect(extendSnapshots(mapOf(1n), [snapshot(2n), snapshot(2n)])).toBeUndefined();
});

test('isContinued is true for an extended map, never for a fork or another map', () => {
  const first = extended(mapOf(1n), 2n);
  const second = extended(first, 3n);
  const fork = extended(first, 4n);
  expect([isContinued(first, first), isContinued(first, second)]).toStrictEqual([true, true]);
  expect([isContinued(second, first), isContinued(second, fork), isContinued(first, fork)]).toStrictEqual([
    false,
    false,
    false,
  ]);
  expect(isContinued(mapOf(1n), mapOf(1n))).toBe(false);
});
