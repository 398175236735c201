import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareSnapshots } from '../../certify/manifests/differences.ts';
import { fastAppendCell } from '../../certify/manifests/fast-append.ts';
import type { WrittenSnapshot } from '../../certify/manifests/java.ts';
import { knownDifferences, knownRefusals } from '../../certify/manifests/known-differences.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/manifests.md'), 'utf8');

test.each([...knownDifferences, ...knownRefusals].map(({ name }) => name))(
  'docs/manifests.md tells of: %s',
  (name) => {
    expect(page).toContain(`\n| ${name} |`);
  },
);

/** What a writer with this snapshot ID writes of one file. */
function snapshot(snapshotId: string, file: object, more: object = {}): WrittenSnapshot {
  const avro = { schema: { type: 'record' }, metadata: {} };
  return {
    snapshotId,
    summary: { 'total-records': '3' },
    list: {
      ...avro,
      metadata: { 'snapshot-id': snapshotId },
      records: [
        { manifest_path: `${snapshotId}.avro`, manifest_length: snapshotId, added_snapshot_id: snapshotId },
      ],
    },
    manifests: [{ ...avro, records: [{ snapshot_id: snapshotId, data_file: { file_path: 'a', ...file } }] }],
    ...more,
  };
}

const file = { record_count: '3', upper_bounds: { 1: '09000000', 2: '7a' }, nan_value_counts: 'null' };

describe('compareSnapshots', () => {
  test('puts aside what two writers cannot have in common, and nothing else', () => {
    const { fields, differences } = compareSnapshots(snapshot('1', file), snapshot('2', file));
    expect(differences).toEqual([]);
    expect(fields).toBeGreaterThan(8);
  });

  test.each<[string, object]>([
    ['another count', { ...file, record_count: '4' }],
    ['another bound', { ...file, upper_bounds: { 1: '08000000', 2: '7a' } }],
    ['a bound that is missing', { ...file, upper_bounds: { 1: '09000000' } }],
    ['a field more', { ...file, sort_order_id: '0' }],
  ])('finds %s, which nothing explains', (_, other) => {
    const [ours, java] = [snapshot('1', other), snapshot('2', file)];
    expect(compareSnapshots(ours, java).differences).toHaveLength(1);
    const cell = fastAppendCell('feature', 'Java', [{ name: 'a.parquet', appends: [{ ours, java }] }]);
    expect(cell.outcome).toBe('red');
  });
});

describe('fastAppendCell', () => {
  const cellOf = (mine: object, theirs: object, name = 'a.parquet') =>
    fastAppendCell('feature', 'Java', [
      { name, appends: [{ ours: snapshot('1', mine), java: snapshot('2', theirs) }] },
    ]);

  test('a bound of a promoted column is the same number, not any number', () => {
    const bound = (hex: string) => ({ upper_bounds: { 1: hex } });
    expect(cellOf(bound('feffffffffffffff'), bound('feffffff')).outcome).toBe('green');
    expect(cellOf(bound('fdffffffffffffff'), bound('feffffff')).outcome).toBe('red');
  });

  test('what is known of one file excuses no other', () => {
    const [mine, theirs] = [{ value_counts: { 1: '2' } }, { value_counts: [] }];
    expect(cellOf(mine, theirs, 'B17-no-statistics.parquet').outcome).toBe('green');
    expect(cellOf(mine, theirs, 'a.parquet').outcome).toBe('red');
  });

  test('a file that Java refuses, and no commit at all', () => {
    const refused = (name: string, refusal: string) =>
      fastAppendCell('feature', 'Java', [{ name, appends: [{ ours: snapshot('1', file), refusal }] }])
        .outcome;
    expect(refused('B14-short.parquet', 'java.lang.ArrayIndexOutOfBoundsException')).toBe('green');
    expect(refused('other.parquet', 'java.lang.ArrayIndexOutOfBoundsException')).toBe('red');
    expect(fastAppendCell('feature', 'Java', [{ name: 'a', appends: [] }]).outcome).toBe('red');
  });
});
