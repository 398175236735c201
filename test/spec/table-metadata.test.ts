import { describe, expect, it } from 'vitest';
import { parseJson } from '../../lib/spec/json.ts';
import { readTableMetadata } from '../../lib/spec/table-metadata.ts';
import { branchHead, type TableState } from '../../lib/spec/table-state.ts';

const identifier = { namespace: ['analytics'], name: 'orders' };

const schema = {
  type: 'struct',
  'schema-id': 1,
  fields: [
    { id: 1, name: 'id', required: true, type: 'long', doc: 'key' },
    {
      id: 2,
      name: 'tags',
      required: false,
      type: { type: 'list', 'element-id': 3, element: 'string', 'element-required': false },
    },
  ],
};

const v2 = {
  'format-version': 2,
  'table-uuid': '9c12d441-03fe-4693-9a96-a0705ddf69c1',
  location: 's3://bucket/table',
  'last-sequence-number': 34,
  'last-updated-ms': 1602638573590,
  'last-column-id': 3,
  'current-schema-id': 1,
  schemas: [{ type: 'struct', 'schema-id': 0, fields: [] }, schema],
  'default-spec-id': 0,
  'partition-specs': [
    { 'spec-id': 0, fields: [{ name: 'id', transform: 'identity', 'source-id': 1, 'field-id': 1000 }] },
  ],
  'last-partition-id': 1000,
  'sort-orders': [{ 'order-id': 0, fields: [] }],
  'default-sort-order-id': 0,
  properties: { 'read.split.target.size': '134217728' },
  snapshots: [snapshot(1, undefined, 33), snapshot(2, 1, 34)],
  'current-snapshot-id': 2,
  refs: { main: { 'snapshot-id': 2, type: 'branch' } },
  'something-new': { a: [1] },
};

function snapshot(id: number, parent: number | undefined, sequenceNumber: number): Record<string, unknown> {
  return {
    'snapshot-id': id,
    ...(parent !== undefined && { 'parent-snapshot-id': parent }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': 1515100955770 + id,
    'manifest-list': `s3://bucket/table/metadata/snap-${id}.avro`,
    summary: { operation: 'append', 'total-records': '1' },
    'schema-id': 1,
  };
}

function read(metadata: object): TableState {
  return readTableMetadata(identifier, {
    metadataLocation: 's3://bucket/table/metadata/1.json',
    metadata: metadata as Record<string, unknown>,
  });
}

const withField = (field: object) => ({ ...schema, fields: [field] });
const ofType = (type: object) => ({ id: 1, name: 'a', required: false, type });

/** `{a: undefined}` removes `a`. */
const without = (key: string) => ({ ...v2, [key]: undefined });

describe('readTableMetadata', () => {
  it('reads format version 2', () => {
    const state = read(v2);
    expect(state).toMatchObject({
      identifier,
      metadataLocation: 's3://bucket/table/metadata/1.json',
      formatVersion: 2,
      uuid: '9c12d441-03fe-4693-9a96-a0705ddf69c1',
      lastSequenceNumber: 34n,
      lastUpdatedMs: 1602638573590n,
      lastColumnId: 3,
      currentSchema: schema,
      defaultSpec: v2['partition-specs'][0],
      properties: { 'read.split.target.size': '134217728' },
      refs: { main: { type: 'branch', snapshotId: 2n } },
    });
    expect(state).not.toHaveProperty('nextRowId');
    expect(branchHead(state, 'main')).toEqual({
      snapshotId: 2n,
      parentSnapshotId: 1n,
      sequenceNumber: 34n,
      timestampMs: 1515100955772n,
      manifestList: 's3://bucket/table/metadata/snap-2.avro',
      summary: { operation: 'append', 'total-records': '1' },
      schemaId: 1,
    });
  });

  it('reads format version 3 with its row IDs', () => {
    const first = { ...snapshot(1, undefined, 1), 'first-row-id': 0, 'added-rows': 7 };
    const state = read({
      ...v2,
      'format-version': 3,
      'next-row-id': 7,
      snapshots: [first],
      'current-snapshot-id': 1,
      refs: {},
    });
    expect(state.nextRowId).toBe(7n);
    expect(branchHead(state, 'main')).toMatchObject({ firstRowId: 0n, addedRows: 7n });
  });

  it('reads an old v1 table: one schema, one spec, no refs, no snapshot log (C22)', () => {
    const state = read({
      'format-version': 1,
      'table-uuid': v2['table-uuid'],
      location: 's3://bucket/table/',
      'last-updated-ms': 1,
      'last-column-id': 1,
      schema: { type: 'struct', fields: [{ id: 1, name: 'id', required: true, type: 'long' }] },
      'partition-spec': [
        { name: 'id', transform: 'identity', 'source-id': 1 },
        { name: 'b', transform: 'bucket[4]', 'source-id': 1 },
      ],
      'current-snapshot-id': 5,
      snapshots: [{ 'snapshot-id': 5, 'timestamp-ms': 1, manifests: ['s3://bucket/m.avro'] }],
    });
    expect(state).toMatchObject({
      formatVersion: 1,
      location: 's3://bucket/table',
      lastSequenceNumber: 0n,
      properties: {},
      refs: { main: { type: 'branch', snapshotId: 5n } },
    });
    expect(state.currentSchema['schema-id']).toBe(0);
    expect(state.defaultSpec).toMatchObject({
      'spec-id': 0,
      fields: [{ 'field-id': 1000 }, { 'field-id': 1001 }],
    });
    expect(branchHead(state, 'main')).toEqual({
      snapshotId: 5n,
      parentSnapshotId: undefined,
      sequenceNumber: 0n,
      timestampMs: 1n,
      manifestList: undefined,
      summary: {},
      schemaId: undefined,
    });
  });

  it.each([-1, null, undefined])('takes current-snapshot-id %s as no snapshot (C15)', (id) => {
    expect(read({ ...v2, snapshots: [], refs: undefined, 'current-snapshot-id': id }).refs).toEqual({});
  });

  it('keeps IDs above 2^53 (C14)', () => {
    const id = '8103159149723679872';
    const text = JSON.stringify({
      ...v2,
      snapshots: [snapshot(4711, undefined, 1)],
      'current-snapshot-id': 4711,
      refs: { main: { 'snapshot-id': 4711, type: 'branch' } },
    }).replaceAll('4711', id);
    expect(branchHead(read(parseJson(text) as object), 'main')?.snapshotId).toBe(BigInt(id));
  });

  it('takes numbers in a summary as text (C23)', () => {
    const odd = { ...snapshot(2, 1, 34), summary: { operation: 'append', 'total-records': 5, note: null } };
    const state = read({ ...v2, snapshots: [odd] });
    expect(branchHead(state, 'main')?.summary).toEqual({ operation: 'append', 'total-records': '5' });
  });

  it('keeps the retention settings of refs and ignores unknown ones (C19)', () => {
    const retention = {
      'max-ref-age-ms': 9_000_000_000_000_000,
      'max-snapshot-age-ms': 5,
      'min-snapshots-to-keep': 3,
    };
    const state = read({
      ...v2,
      refs: { ...v2.refs, audit: { 'snapshot-id': 1, type: 'tag', ...retention, extra: null } },
    });
    expect(state.refs['audit']).toEqual({
      type: 'tag',
      snapshotId: 1n,
      'max-ref-age-ms': 9_000_000_000_000_000n,
      'max-snapshot-age-ms': 5n,
      'min-snapshots-to-keep': 3,
    });
  });

  it.each([
    ['s3://b/w/t/', 's3://b/w/t'],
    ['s3://b/w/t//', 's3://b/w/t'],
    ['s3://b', 's3://b'],
    ['s3://b/', 's3://b'],
  ])('reads the location %s as %s (D14)', (location, expected) => {
    expect(read({ ...v2, location }).location).toBe(expected);
  });

  it.each([
    ['format version 4', { 'format-version': 4 }, /its format version is 4/],
    ['an encryption key', { properties: { 'encryption.key-id': 'k' } }, /encrypted/],
    ['encryption keys', { 'encryption-keys': [{ 'key-id': 'k' }] }, /encrypted/],
    ['a v1 table without UUID', { 'format-version': 1, 'table-uuid': undefined }, /table-uuid/],
  ])('does not support %s', (_what, change, message) => {
    expect(() => read({ ...v2, ...change })).toThrow(message);
    expect(() => read({ ...v2, ...change })).toThrow(expect.objectContaining({ code: 'table.unsupported' }));
  });

  it.each([
    ['no format version', without('format-version'), /"format-version" is absent/],
    ['format version 0', { ...v2, 'format-version': 0 }, /"format-version" is "0"/],
    ['no UUID', without('table-uuid'), /"table-uuid" is absent/],
    ['no location', without('location'), /"location" is absent/],
    ['no sequence number', without('last-sequence-number'), /"last-sequence-number" is absent/],
    ['a time as text', { ...v2, 'last-updated-ms': '1' }, /"last-updated-ms" is "1", not a long/],
    ['no schemas', without('schemas'), /"schemas" is absent/],
    [
      'a current schema that is absent',
      { ...v2, 'current-schema-id': 7 },
      /"current-schema-id" is 7, which is absent/,
    ],
    ['no current schema of several', without('current-schema-id'), /"current-schema-id" is undefined/],
    ['no specs', without('partition-specs'), /"partition-specs" is absent/],
    ['a default spec that is absent', { ...v2, 'default-spec-id': 3 }, /"default-spec-id" is 3/],
    ['a field without ID', { ...v2, schemas: [{ ...schema, fields: [{ name: 'a' }] }] }, /"id" is absent/],
    [
      'a field that is neither required nor not',
      { ...v2, schemas: [withField({ id: 1, name: 'a', type: 'int' })] },
      /"required"/,
    ],
    [
      'a list without element ID',
      { ...v2, schemas: [withField(ofType({ type: 'list', element: 'int' }))] },
      /"element-id" is absent/,
    ],
    [
      'a map without value ID',
      { ...v2, schemas: [withField(ofType({ type: 'map', 'key-id': 4 }))] },
      /"value-id" is absent/,
    ],
    ['an unknown nested type', { ...v2, schemas: [{ ...schema, type: 'tuple' }] }, /schema 1 is "tuple"/],
    ['v3 without next-row-id', { ...v2, 'format-version': 3 }, /"next-row-id" is absent/],
    ['a ref to no snapshot', { ...v2, snapshots: [] }, /ref "main" is snapshot 2, which is absent/],
    [
      'two answers about main',
      { ...v2, 'current-snapshot-id': 1 },
      /"current-snapshot-id" is 1, but "main" is 2/,
    ],
    ['a type of ten thousand levels', { ...v2, schemas: [deepSchema(10_000)] }, /call stack/],
    ['a snapshot without time', { ...v2, snapshots: [{ 'snapshot-id': 2 }] }, /"timestamp-ms" is absent/],
  ])('refuses metadata with %s, naming it', (_what, metadata, message) => {
    expect(() => read(metadata)).toThrow(message);
    expect(() => read(metadata)).toThrow(expect.objectContaining({ code: 'catalog.refused' }));
  });
});

/** Structs nested this many times. */
function deepSchema(levels: number): unknown {
  let type: unknown = 'int';
  for (let level = 0; level < levels; level += 1) {
    type = { type: 'struct', 'schema-id': 1, fields: [{ id: 1, name: 'a', required: false, type }] };
  }
  return type;
}
