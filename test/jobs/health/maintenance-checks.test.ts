import { describe, expect, test } from 'vitest';
import { maintenanceChecks, type TableFiles } from '../../../lib/jobs/health/maintenance-checks.ts';
import { trendOf } from '../../../lib/jobs/health/table-trend.ts';
import { snapshot, tableWithHistory } from '../../fakes/table-state.ts';

const FILES: TableFiles = {
  metadataBytes: 1000,
  manifests: 3,
  smallFiles: undefined,
  openFailures: 0,
  oldestFailureMs: undefined,
  historyMs: undefined,
};

function table(summary: Record<string, string> = {}, snapshots = 1) {
  return tableWithHistory(
    Array.from({ length: snapshots }, (_, at) =>
      snapshot(BigInt(at + 1), { timestampMs: BigInt(at), summary: { operation: 'append', ...summary } }),
    ),
  );
}

function failed(state = table(), found: Partial<TableFiles> = {}): readonly string[] {
  return maintenanceChecks(state, 'main', { ...FILES, ...found })
    .filter(({ ok }) => !ok)
    .map(({ measure }) => measure);
}

describe('maintenanceChecks', () => {
  test('find nothing to do in a small table, nor in an empty one', () => {
    expect(failed(table({ 'total-data-files': '10', 'total-files-size': '1000' }))).toEqual([]);
    expect(failed(tableWithHistory([]))).toEqual([]);
  });

  test.each([
    ['snapshots', table({}, 5001), {}],
    ['metadata file', table(), { metadataBytes: 16 * 1024 * 1024 + 1 }],
    ['manifests', table(), { manifests: 501 }],
    ['mean data file', table({ 'total-data-files': '1001', 'total-files-size': '1001000' }), {}],
    [
      'small data files to all that are planned',
      table(),
      { smallFiles: { looked: 1001, small: 501, belowBytes: 64 * 1024 * 1024 } },
    ],
    ['delete files to data files', table({ 'total-data-files': '10', 'total-delete-files': '2' }), {}],
    ['open quarantine records', table(), { openFailures: 1 }],
    ['provable history', table(), { historyMs: 3_600_000 }],
    [
      'oldest quarantined segment against provable history',
      table(),
      { historyMs: 100 * 3_600_000, oldestFailureMs: 51 * 3_600_000 },
    ],
  ])('name %s beyond its threshold, alone', (measure, state, found) => {
    expect(failed(state, found)).toEqual([measure]);
  });
});

describe('trendOf', () => {
  test('has the schema timeline with what each schema changed', () => {
    const field = (id: number, name: string) => ({ id, name, required: false, type: 'long' });
    const schemas = [
      { type: 'struct' as const, 'schema-id': 0, fields: [field(1, 'a')] },
      { type: 'struct' as const, 'schema-id': 1, fields: [field(1, 'b'), field(2, 'c')] },
    ];
    const line = [0, 0, 1].map((schemaId, at) =>
      snapshot(BigInt(at + 1), { schemaId, timestampMs: BigInt(at * 10) }),
    );
    expect(trendOf(tableWithHistory(line, { schemas }), 'main').schemas).toEqual([
      { atMs: 0, schemaId: 0, changes: [] },
      { atMs: 20, schemaId: 1, changes: ['~ b (1): renamed from a', '+ c (2): long'] },
    ]);
  });

  test('leaves out what a writer left out', () => {
    expect(trendOf(tableWithHistory([snapshot(1n)]), 'main').moments).toEqual([
      expect.objectContaining({ operation: 'append', totalFiles: undefined, addedRows: undefined }),
    ]);
  });
});
