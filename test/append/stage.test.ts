import { describe, expect, it } from 'vitest';
import { type ManifestList, manifestFiles, readManifestList } from '../../lib/append/manifest-list.ts';
import { type PreparedAppend, prepareAppend } from '../../lib/append/prepare.ts';
import { type StagedAppend, stageAppend } from '../../lib/append/stage.ts';
import type { DataFile } from '../../lib/spec/manifest.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import type { SnapshotUpdate } from '../../lib/spec/table-update.ts';
import { javaDataFiles, javaSchema } from './java-inputs.ts';
import { afterCommit, dataFile, emptyTable } from './table.ts';

const UUID = '0f9c2f8e-5f0e-4c5e-9d8e-3a1f6f1d2c3b';
const OTHER_UUID = '5b0a8f5c-7d2a-4d0e-8a35-1c2d3e4f5a6b';

function prepare(state: TableState, dataFiles: readonly DataFile[], snapshotId = 1n): PreparedAppend {
  return prepareAppend({ state, schema: javaSchema, dataFiles, snapshotId, uuid: UUID });
}

function stage(
  state: TableState,
  prepared: PreparedAppend,
  parentList?: ManifestList,
  change: Partial<Parameters<typeof stageAppend>[0]> = {},
): StagedAppend {
  return stageAppend({
    state,
    branch: 'main',
    prepared,
    parentList,
    schemaId: 3,
    attempt: 1,
    uuid: OTHER_UUID,
    timestampMs: 1_700_000_001_000n,
    summary: {},
    ...change,
  });
}

function snapshotOf(staged: StagedAppend): SnapshotUpdate {
  const update = staged.updates.find(({ action }) => action === 'add-snapshot');
  if (update?.action !== 'add-snapshot') throw new Error('no snapshot is added');
  return update.snapshot;
}

describe('stageAppend', () => {
  it('stages the first snapshot of a table', () => {
    const state = emptyTable(2);
    const prepared = prepare(state, [dataFile('a', 10n), dataFile('b', 5n)]);
    const staged = stage(state, prepared, undefined, {
      summary: { 'iceberg-registrar.version': '1', operation: 'append' },
    });
    const listPath = `s3://bucket/table/metadata/snap-1-1-${OTHER_UUID}.avro`;
    expect(staged.listPath).toBe(listPath);
    expect(staged.updates).toEqual([
      {
        action: 'add-snapshot',
        snapshot: {
          'snapshot-id': 1n,
          'sequence-number': 1n,
          'timestamp-ms': 1_700_000_001_000n,
          'manifest-list': listPath,
          'schema-id': 3,
          summary: {
            operation: 'append',
            'added-data-files': '2',
            'added-records': '15',
            'added-files-size': '2000',
            'changed-partition-count': '1',
            'total-records': '15',
            'total-files-size': '2000',
            'total-data-files': '2',
            'total-delete-files': '0',
            'total-position-deletes': '0',
            'total-equality-deletes': '0',
            'iceberg-registrar.version': '1',
          },
        },
      },
      { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': 1n },
    ]);
    expect(manifestFiles(readManifestList(staged.listBytes, listPath))).toEqual([
      {
        ...prepared.manifests[0]?.file,
        sequenceNumber: 1n,
        minSequenceNumber: 1n,
        manifestPath: `s3://bucket/table/metadata/${UUID}-m0.avro`,
        partitions: [],
        firstRowId: undefined,
        keyMetadata: undefined,
      },
    ]);
  });

  it("continues the parent's sequence number, totals and list, using the list of the last commit without reading it", () => {
    const empty = emptyTable(2);
    const first = stage(empty, prepare(empty, [dataFile('a')], 1n));
    const state = afterCommit(empty, first.updates);
    const second = stage(state, prepare(state, [dataFile('b', 7n)], 2n), first.list);
    expect(snapshotOf(second)).toMatchObject({
      'parent-snapshot-id': 1n,
      'sequence-number': 2n,
      summary: { 'total-records': '17', 'total-data-files': '2', 'total-files-size': '2000' },
    });
    const manifests = manifestFiles(readManifestList(second.listBytes, second.listPath));
    expect(manifests.map(({ addedSnapshotId, sequenceNumber }) => [addedSnapshotId, sequenceNumber])).toEqual(
      [
        [2n, 2n],
        [1n, 1n],
      ],
    );
  });

  it('stages the prepared append again on the state of a second attempt, in a list of its own (D4, I1)', () => {
    const empty = emptyTable(3);
    const prepared = prepare(empty, [dataFile('ours', 4n)], 1n);
    const refused = stage(empty, prepared);
    const foreign = stage(empty, prepare(empty, [dataFile('theirs', 100n)], 2n));
    const state = afterCommit(empty, foreign.updates);
    const again = stage(state, prepared, foreign.list, { attempt: 2 });
    expect(again.listPath).not.toBe(refused.listPath);
    expect(snapshotOf(refused)).toMatchObject({
      'sequence-number': 1n,
      'first-row-id': 0n,
      'added-rows': 4n,
    });
    expect(snapshotOf(again)).toMatchObject({
      'parent-snapshot-id': 2n,
      'sequence-number': 2n,
      'first-row-id': 100n,
      'added-rows': 4n,
      summary: { 'total-records': '104' },
    });
    expect(manifestFiles(again.list).map(({ firstRowId }) => firstRowId)).toEqual([100n, 0n]);
  });

  it('counts the rows of inherited manifests without row IDs after an upgrade (C13)', () => {
    const v2 = emptyTable(2);
    const first = stage(v2, prepare(v2, [dataFile('old', 50n)], 1n));
    const upgraded: TableState = { ...afterCommit(v2, first.updates), formatVersion: 3, nextRowId: 0n };
    const second = stage(upgraded, prepare(upgraded, [dataFile('new', 4n)], 2n), first.list);
    expect(snapshotOf(second)).toMatchObject({ 'first-row-id': 0n, 'added-rows': 54n });
  });

  it('has sequence number 0 and no row IDs in v1 (C12)', () => {
    const state = emptyTable(1);
    const snapshot = snapshotOf(stage(state, prepare(state, [dataFile('a')])));
    expect(snapshot['sequence-number']).toBe(0n);
    expect(snapshot).not.toHaveProperty('first-row-id');
  });

  it('writes one manifest per partition spec and counts the changed partitions', () => {
    const state = emptyTable(2);
    const prepared = prepare(state, [
      ...javaDataFiles('partitioned'),
      dataFile('a'),
      ...javaDataFiles('partitioned'),
    ]);
    expect(
      prepared.manifests.map(({ path, file }) => [path, file.partitionSpecId, file.addedFilesCount]),
    ).toEqual([
      [`s3://bucket/table/metadata/${UUID}-m0.avro`, 5, 4],
      [`s3://bucket/table/metadata/${UUID}-m1.avro`, 0, 1],
    ]);
    expect(snapshotOf(stage(state, prepared)).summary['changed-partition-count']).toBe('3');
  });

  it('leaves out a total that the parent lacks, or that is not a number (C5)', () => {
    const empty = emptyTable(2);
    const first = stage(empty, prepare(empty, [dataFile('a')], 1n));
    const state = afterCommit(empty, first.updates);
    const [head] = state.snapshots.values();
    const summary = { operation: 'append', 'total-records': 'NaN', 'total-data-files': '1' };
    const snapshots = new Map(head && [[1n, { ...head, summary }]]);
    const second = stage({ ...state, snapshots }, prepare(state, [dataFile('b')], 2n), first.list);
    const totals = Object.keys(snapshotOf(second).summary).filter((key) => key.startsWith('total-'));
    expect(totals).toEqual(['total-data-files']);
  });

  it('appends to another branch and sends its retention back as loaded (C19)', () => {
    const empty = emptyTable(2);
    const first = stage(empty, prepare(empty, [dataFile('a')], 1n));
    const onMain = afterCommit(empty, first.updates);
    const retention = { 'max-ref-age-ms': 1n, 'max-snapshot-age-ms': 2n, 'min-snapshots-to-keep': 3 };
    const state: TableState = {
      ...onMain,
      refs: { ...onMain.refs, audit: { type: 'branch', snapshotId: 1n, ...retention } },
    };
    const staged = stage(state, prepare(state, [dataFile('b')], 2n), first.list, { branch: 'audit' });
    expect(staged.updates[1]).toEqual({
      action: 'set-snapshot-ref',
      'ref-name': 'audit',
      type: 'branch',
      'snapshot-id': 2n,
      ...retention,
    });
  });

  it.each([
    [{ 'write.metadata.path': 's3://other/meta//' }, 's3://other/meta/'],
    [{}, 's3://bucket/table/metadata/'],
  ])('puts manifests and lists where the table has its metadata: %j (D14)', (properties, prefix) => {
    const state = emptyTable(2, { properties });
    const prepared = prepare(state, [dataFile('a')]);
    expect(prepared.manifests[0]?.path).toBe(`${prefix}${UUID}-m0.avro`);
    expect(stage(state, prepared).listPath).toBe(`${prefix}snap-1-1-${OTHER_UUID}.avro`);
  });

  it('refuses the list of a snapshot other than the head, which would drop files (D4)', () => {
    const empty = emptyTable(2);
    const first = stage(empty, prepare(empty, [dataFile('a')], 1n));
    const state = afterCommit(empty, first.updates);
    const second = stage(state, prepare(state, [dataFile('b')], 2n), first.list);
    const later = afterCommit(state, second.updates);
    for (const list of [undefined, first.list]) {
      expect(() => stage(later, prepare(later, [dataFile('c')], 3n), list)).toThrow(TypeError);
    }
  });

  it('refuses a branch that is absent or a tag, other than the main of an empty table', () => {
    const empty = emptyTable(2);
    const first = stage(empty, prepare(empty, [dataFile('a')], 1n));
    const state = afterCommit(empty, first.updates);
    const tagged: TableState = { ...state, refs: { ...state.refs, audit: { type: 'tag', snapshotId: 1n } } };
    for (const [table, message] of [
      [state, /"audit": the table has no such branch/],
      [tagged, /"audit": it is a tag/],
    ] as const) {
      const append = () => stage(table, prepare(table, [dataFile('b')], 2n), undefined, { branch: 'audit' });
      expect(append).toThrow(message);
      expect(append).toThrow(expect.objectContaining({ code: 'table.unsupported' }));
    }
  });

  it('refuses a v1 head whose manifests are listed in the metadata', () => {
    const empty = emptyTable(1);
    const first = stage(empty, prepare(empty, [dataFile('a')], 1n));
    const state = afterCommit(empty, first.updates);
    const [head] = state.snapshots.values();
    const old = { ...state, snapshots: new Map(head && [[1n, { ...head, manifestList: undefined }]]) };
    expect(() => stage(old, prepare(old, [dataFile('b')], 2n))).toThrow(
      expect.objectContaining({ code: 'table.unsupported' }),
    );
  });
});
