import { describe, expect, it } from 'vitest';
import { readManifestEntries } from '../../lib/append/manifest.ts';
import { isPreparedFor, newSnapshotId, prepareAppend } from '../../lib/append/prepare.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import { javaSchema, javaSpecs } from './java-inputs.ts';
import { dataFile, emptyTable } from './table.ts';

const uuid = '0f9c2f8e-5f0e-4c5e-9d8e-3a1f6f1d2c3b';

describe('newSnapshotId', () => {
  it.each([
    ['00000000-0000-0001-0000-000000000002', 3n],
    ['80000000-0000-0000-0000-000000000000', 0n],
    ['ffffffff-ffff-ffff-7fff-ffffffffffff', 0n],
    ['7fffffff-ffff-ffff-0000-000000000000', 9223372036854775807n],
  ])('folds %s into 63 bits', (text, id) => {
    expect(newSnapshotId({ uuid: () => text })).toBe(id);
  });
});

describe('prepareAppend', () => {
  it.each([
    ['a transform that is not known', { transform: 'zorder' }, '"zorder"'],
    ['a source that the schema lacks', { 'source-id': 99 }, 'column ID 99: the schema has no such column'],
    ['a source that is a struct', { 'source-id': 18 }, 'the schema has no such column of a primitive type'],
    ['a fixed partition value', { 'source-id': 20 }, 'Iceberg Java writes fixed'],
    [
      'several source columns',
      { 'source-ids': [1, 2], transform: 'bucket[4]' },
      'more than one source column',
    ],
  ])('refuses %s', (_what, change, message) => {
    const fields = [{ name: 'p', 'source-id': 1, 'field-id': 1000, transform: 'identity', ...change }];
    const state = emptyTable(2, { specs: [{ 'spec-id': 9, fields }] });
    const dataFiles = [{ ...dataFile('a'), specId: 9, partition: [null] }];
    const fixed = { id: 20, name: 'fx', required: false, type: 'fixed[3]' };
    const schema = { ...javaSchema, fields: [...javaSchema.fields, fixed] };
    expect(() => prepareAppend({ state, schema, dataFiles, snapshotId: 1n, uuid })).toThrow(
      expect.objectContaining({ code: 'table.unsupported', message: expect.stringContaining(message) }),
    );
  });

  it('writes nulls for a void field whose column was dropped', () => {
    const fields = [{ name: 'p', 'source-id': 99, 'field-id': 1000, transform: 'void' }];
    const state = emptyTable(2, { specs: [{ 'spec-id': 9, fields }] });
    const dataFiles = [{ ...dataFile('a'), specId: 9, partition: [null] }];
    const { manifests } = prepareAppend({ state, schema: javaSchema, dataFiles, snapshotId: 1n, uuid });
    const [manifest] = manifests;
    expect(manifest?.file.partitions).toMatchObject([{ containsNull: true, lowerBound: undefined }]);
    expect([...readManifestEntries(manifest?.bytes ?? Buffer.alloc(0), 'm.avro')]).toHaveLength(1);
  });

  it('writes nulls for a void field of a fixed column, which a v1 table keeps after its partition field was dropped', () => {
    const fields = [{ name: 'p', 'source-id': 20, 'field-id': 1000, transform: 'void' }];
    const fixed = { id: 20, name: 'fx', required: false, type: 'fixed[3]' };
    const schema = { ...javaSchema, fields: [...javaSchema.fields, fixed] };
    const state = emptyTable(1, { specs: [{ 'spec-id': 9, fields }] });
    const dataFiles = [{ ...dataFile('a'), specId: 9, partition: [null] }];
    const { manifests } = prepareAppend({ state, schema, dataFiles, snapshotId: 1n, uuid });
    const bytes = manifests[0]?.bytes ?? Buffer.alloc(0);
    expect([...readManifestEntries(bytes, 'm.avro')]).toHaveLength(1);
  });

  it('refuses a tuple of another spec instead of writing nulls', () => {
    const dataFiles = [{ ...dataFile('a'), specId: 5 }];
    expect(() =>
      prepareAppend({ state: emptyTable(2), schema: javaSchema, dataFiles, snapshotId: 1n, uuid }),
    ).toThrow(/21 values/);
  });

  it('writes no manifest with more files than asked for, each file once, each manifest under its own name', () => {
    const dataFiles = ['a', 'b', 'c', 'd', 'e'].map((name) => dataFile(name));
    const { manifests, ...prepared } = prepareAppend({
      state: emptyTable(2),
      schema: javaSchema,
      dataFiles,
      snapshotId: 1n,
      uuid,
      maxFilesPerManifest: 2,
    });
    expect(manifests.map(({ file }) => file.addedFilesCount)).toEqual([2, 2, 1]);
    expect(new Set(manifests.map(({ path }) => path)).size).toBe(3);
    const entries = manifests.flatMap(({ bytes, path }) => [...readManifestEntries(bytes, path)]);
    expect(entries.map(({ filePath }) => filePath)).toEqual(dataFiles.map(({ filePath }) => filePath));
    expect(prepared.addedFiles).toBe(5);
  });

  it('refuses numbers that do not fit in 64 bits (C23)', () => {
    const dataFiles = [dataFile('a', 2n ** 63n)];
    expect(() =>
      prepareAppend({ state: emptyTable(2), schema: javaSchema, dataFiles, snapshotId: 1n, uuid }),
    ).toThrow(RangeError);
  });
});

describe('isPreparedFor', () => {
  const state = emptyTable(2);
  const prepared = prepareAppend({
    state,
    schema: javaSchema,
    dataFiles: [dataFile('a')],
    snapshotId: 1n,
    uuid,
  });

  it.each<[string, boolean, Partial<TableState>]>([
    ['nothing that matters', true, { lastSequenceNumber: 9n, lastUpdatedMs: 5n, refs: {} }],
    ['another default spec', true, { defaultSpec: javaSpecs.partitioned }],
    ['the UUID', false, { uuid }],
    ['the location', false, { location: 's3://bucket/moved' }],
    ['the metadata path', false, { properties: { 'write.metadata.path': 's3://bucket/meta' } }],
    ['the format version', false, { formatVersion: 3 }],
    ['the spec', false, { specs: [javaSpecs.partitioned] }],
  ])('when %s changed: %s', (_what, expected, change) => {
    expect(isPreparedFor(prepared, { ...state, ...change }, javaSchema)).toBe(expected);
  });

  it('not for another schema', () => {
    expect(isPreparedFor(prepared, state, { ...javaSchema, 'schema-id': 4 })).toBe(false);
  });
});
