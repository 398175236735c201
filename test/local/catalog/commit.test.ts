import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../lib/spec/json.ts';
import type { JsonObject } from '../../../lib/spec/json-object.ts';
import { applyCommit, applyCreation } from '../../../local/catalog/commit.ts';
import type { TableMetadata } from '../../../local/catalog/table-metadata.ts';
import { appended, creation, schema, snapshot, widerSchema } from './tables-fixture.ts';

const nowMs = 1_700_000_000_000;

function table(formatVersion = 2, updates: readonly JsonObject[] = []): TableMetadata {
  return applyCreation(creation({ formatVersion, updates }), { nowMs, uuid: 'unused' });
}

function commit(
  base: TableMetadata,
  updates: readonly JsonObject[],
  requirements: readonly JsonObject[] = [],
) {
  return applyCommit(
    base,
    { requirements, updates },
    { nowMs: nowMs + 1000, previousLocation: 's3://lake/orders/v0' },
  );
}

/** The status and message of a refusal. */
function refusal(run: () => unknown): { status: number; message: string } {
  try {
    run();
  } catch (error) {
    return error as { status: number; message: string };
  }
  throw new Error('Expected a refusal');
}

describe('requirements', () => {
  const withHead = table(2, appended(5));
  test.each<[string, JsonObject, JsonObject]>([
    [
      'uuid',
      { uuid: '11111111-2222-3333-4444-555555555555' },
      { uuid: '99999999-2222-3333-4444-555555555555' },
    ],
    ['ref-snapshot-id', { ref: 'main', 'snapshot-id': 5 }, { ref: 'main', 'snapshot-id': 6 }],
    ['ref-snapshot-id', { ref: 'absent', 'snapshot-id': null }, { ref: 'main', 'snapshot-id': null }],
    ['ref-snapshot-id', { ref: 'main', 'snapshot-id': 5 }, { ref: 'absent', 'snapshot-id': 5 }],
    ['last-assigned-field-id', { 'last-assigned-field-id': 90 }, { 'last-assigned-field-id': 91 }],
    ['current-schema-id', { 'current-schema-id': 0 }, { 'current-schema-id': 1 }],
    [
      'last-assigned-partition-id',
      { 'last-assigned-partition-id': 999 },
      { 'last-assigned-partition-id': 1000 },
    ],
    ['default-spec-id', { 'default-spec-id': 0 }, { 'default-spec-id': 1 }],
    ['default-sort-order-id', { 'default-sort-order-id': 0 }, { 'default-sort-order-id': 1 }],
  ])('assert-%s passes when fresh and is a 409 when stale', (name, fresh, stale) => {
    const type = name === 'uuid' ? 'assert-table-uuid' : `assert-${name}`;
    const properties = [{ action: 'set-properties', updates: { a: 'b' } }];
    expect(commit(withHead, properties, [{ type, ...fresh }]).properties).toEqual({ owner: 'us', a: 'b' });
    const refused = refusal(() => commit(withHead, properties, [{ type, ...stale }]));
    expect(refused).toMatchObject({ status: 409, type: 'CommitFailedException' });
    expect(refused.message).toMatch(/^Requirement failed: /);
  });

  test('snapshot IDs are compared with all of their 63 bits (C14)', () => {
    const head = 3_055_729_675_574_597_004n;
    const base = table(2, appended(head));
    const requirement = (id: string) =>
      parseJson(`{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":${id}}`) as JsonObject;
    expect(commit(base, [], [requirement(`${head}`)])).toBe(base);
    expect(refusal(() => commit(base, [], [requirement(`${head + 1n}`)]))).toMatchObject({ status: 409 });
  });

  test('unknown requirements and updates are a 400', () => {
    expect(refusal(() => commit(withHead, [], [{ type: 'assert-nothing' }]))).toMatchObject({ status: 400 });
    expect(refusal(() => commit(withHead, [{ action: 'do-nothing' }]))).toMatchObject({ status: 400 });
  });
});

describe('schema updates', () => {
  const addWider = { action: 'add-schema', schema: widerSchema };
  const setLast = { action: 'set-current-schema', 'schema-id': -1 };

  test('add-schema keeps field IDs and raises last-column-id', () => {
    const changed = commit(table(), [addWider, setLast]);
    expect(changed.schemas).toHaveLength(2);
    expect(changed.schemas[1]).toEqual(widerSchema);
    expect(changed).toMatchObject({ 'current-schema-id': 1, 'last-column-id': 91 });
  });

  test('last-column-id stays when a schema has lower IDs', () => {
    const narrow = { ...schema, fields: schema.fields.slice(0, 1) };
    expect(commit(table(), [{ action: 'add-schema', schema: narrow }, setLast])['last-column-id']).toBe(90);
  });

  test('add-schema gives the next ID, whatever was sent', () => {
    const changed = commit(table(), [
      { action: 'add-schema', schema: { ...widerSchema, 'schema-id': 40 } },
      setLast,
    ]);
    expect(changed['current-schema-id']).toBe(1);
  });

  test('add-schema of an equal older schema adds nothing, and then -1 is a 400', () => {
    const base = commit(table(), [addWider, setLast]);
    const reordered = {
      fields: schema.fields.map((field) => ({ ...field })),
      type: 'struct',
      'schema-id': 9,
    };
    const same = commit(base, [
      { action: 'add-schema', schema: reordered },
      { action: 'set-current-schema', 'schema-id': 0 },
    ]);
    expect(same.schemas).toHaveLength(2);
    expect(same['current-schema-id']).toBe(0);
    const refused = refusal(() => commit(base, [{ action: 'add-schema', schema: reordered }, setLast]));
    expect(refused).toMatchObject({
      status: 400,
      message: expect.stringContaining('no schema has been added'),
    });
  });

  test.each<[string, object]>([
    ['doc', { fields: [{ ...schema.fields[0], doc: 'the key' }, schema.fields[1]] }],
    ['required', { fields: [{ ...schema.fields[0], required: false }, schema.fields[1]] }],
    ['identifier fields', { 'identifier-field-ids': [77] }],
  ])('a schema that differs in %s is another one', (_title, change) => {
    const changed = commit(table(), [{ action: 'add-schema', schema: { ...schema, ...change } }, setLast]);
    expect(changed['current-schema-id']).toBe(1);
  });

  test('set-current-schema to an unknown ID is a 400', () => {
    expect(refusal(() => commit(table(), [{ action: 'set-current-schema', 'schema-id': 7 }]))).toMatchObject({
      status: 400,
    });
  });

  test.each<[string, object, number]>([
    ['a name twice', { fields: [schema.fields[0], { ...schema.fields[1], name: 'id' }] }, 2],
    ['an ID twice', { fields: [schema.fields[0], { ...schema.fields[1], id: 77 }] }, 2],
    ['an unknown type', { fields: [{ id: 1, name: 'x', required: false, type: 'uint64' }] }, 2],
    ['a type of format 3', { fields: [{ id: 1, name: 'x', required: false, type: 'timestamp_ns' }] }, 2],
    ['an initial default before format 3', { fields: [{ ...schema.fields[1], 'initial-default': 'x' }] }, 2],
    ['an optional identifier field', { 'identifier-field-ids': [90] }, 2],
  ])('add-schema with %s is a 400', (_title, change, formatVersion) => {
    const add = [{ action: 'add-schema', schema: { ...schema, ...change } }];
    expect(refusal(() => commit(table(formatVersion), add))).toMatchObject({ status: 400 });
  });

  test('format 3 takes its types and defaults', () => {
    const field = {
      id: 91,
      name: 'at',
      required: false,
      type: 'timestamp_ns',
      'initial-default': '2024-01-01',
    };
    const changed = commit(table(3), [
      { action: 'add-schema', schema: { ...schema, fields: [...schema.fields, field] } },
      setLast,
    ]);
    expect(changed.schemas[1]?.fields[2]).toEqual(field);
  });
});

describe('snapshot updates', () => {
  const next = { 'parent-snapshot-id': 5, 'sequence-number': 2 };

  test('a schema and the snapshot that needs it are one commit (I4)', () => {
    const changed = commit(table(2, appended(5)), [
      { action: 'add-schema', schema: widerSchema },
      { action: 'set-current-schema', 'schema-id': -1 },
      ...appended(6, { ...next, 'schema-id': 1, 'timestamp-ms': nowMs + 1 }),
    ]);
    expect(changed).toMatchObject({
      'current-schema-id': 1,
      'current-snapshot-id': 6,
      'last-sequence-number': 2,
      'last-updated-ms': BigInt(nowMs + 1),
      refs: { main: { type: 'branch', 'snapshot-id': 6 } },
      'metadata-log': [{ 'timestamp-ms': BigInt(nowMs), 'metadata-file': 's3://lake/orders/v0' }],
    });
    expect(changed['snapshot-log'].map((entry) => entry['snapshot-id'])).toEqual([5, 6]);
  });

  test('a stale sequence number is a 409, but not without a parent', () => {
    const base = table(2, appended(5));
    expect(refusal(() => commit(base, appended(6, { ...next, 'sequence-number': 1 })))).toMatchObject({
      status: 409,
    });
    expect(commit(base, appended(6))['current-snapshot-id']).toBe(6);
    const later = commit(base, appended(6, next));
    expect(refusal(() => commit(later, appended(7)))).toMatchObject({ status: 400 });
  });

  test('a snapshot ID twice, an unknown one in a ref, and a tag as main are a 400', () => {
    const base = table(2, appended(5));
    const ref = { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': 5 };
    expect(refusal(() => commit(base, appended(5, next)))).toMatchObject({ status: 400 });
    expect(refusal(() => commit(base, [{ ...ref, 'snapshot-id': 6 }]))).toMatchObject({ status: 400 });
    expect(refusal(() => commit(base, [{ ...ref, type: 'tag' }]))).toMatchObject({ status: 400 });
  });

  test('a parent that is null and not left out is a 400, as Java’s parser has it', () => {
    expect(refusal(() => commit(table(), appended(5, { 'parent-snapshot-id': null })))).toMatchObject({
      status: 400,
    });
  });

  test('a timestamp over a minute behind is a 400', () => {
    const base = table(2, appended(5));
    const at = (ms: number) => () => commit(base, appended(6, { ...next, 'timestamp-ms': ms }));
    expect(at(nowMs - 59_000)).not.toThrow();
    expect(refusal(at(nowMs - 61_000))).toMatchObject({ status: 400 });
  });

  test('a ref keeps what is sent and nothing else: retention left out is wiped', () => {
    const ref = { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': 5 };
    const kept = commit(table(2, appended(5)), [{ ...ref, 'max-ref-age-ms': 86_400_000 }]);
    expect(kept.refs['main']).toEqual({ type: 'branch', 'snapshot-id': 5, 'max-ref-age-ms': 86_400_000 });
    expect(commit(kept, [{ ...ref, 'max-ref-age-ms': 86_400_000 }])).toBe(kept);
    const wiped = commit(kept, [ref]);
    expect(wiped.refs['main']).toEqual({ type: 'branch', 'snapshot-id': 5 });
  });

  test('a snapshot that came and went in one commit is not in the log', () => {
    const changed = commit(table(2, appended(5)), [
      ...appended(6, next),
      ...appended(7, { 'parent-snapshot-id': 6, 'sequence-number': 3 }),
    ]);
    expect(changed['snapshot-log'].map((entry) => entry['snapshot-id'])).toEqual([5, 7]);
    expect(changed.snapshots).toHaveLength(3);
  });

  test('removing snapshots takes their refs, and the log up to them', () => {
    const base = commit(commit(table(2, appended(5)), appended(6, next)), [
      { action: 'set-snapshot-ref', 'ref-name': 'old', type: 'tag', 'snapshot-id': 5 },
    ]);
    const expired = commit(base, [{ action: 'remove-snapshots', 'snapshot-ids': [5] }]);
    expect(Object.keys(expired.refs)).toEqual(['main']);
    expect(expired['snapshot-log'].map((entry) => entry['snapshot-id'])).toEqual([6]);
  });

  test('removing main leaves no current snapshot: -1, and null from format 3 on', () => {
    const remove = [{ action: 'remove-snapshot-ref', 'ref-name': 'main' }];
    expect(commit(table(2, appended(5)), remove)).toMatchObject({
      'current-snapshot-id': -1,
      refs: {},
    });
    const rows = { 'first-row-id': 0, 'added-rows': 10 };
    expect(commit(table(3, appended(5, rows)), remove)['current-snapshot-id']).toBeNull();
  });

  test('format 3 counts rows, and a first-row-id behind is a 409', () => {
    const base = table(3, appended(5, { 'first-row-id': 0, 'added-rows': 10 }));
    expect(base['next-row-id']).toBe(10n);
    const more = (rows: object) => () => commit(base, appended(6, { ...next, ...rows }));
    expect(more({ 'first-row-id': 10, 'added-rows': 5 })()).toMatchObject({ 'next-row-id': 15n });
    expect(refusal(more({ 'first-row-id': 9, 'added-rows': 5 }))).toMatchObject({ status: 409 });
    expect(refusal(more({ 'added-rows': 5 }))).toMatchObject({ status: 400 });
    expect(refusal(more({ 'first-row-id': 10 }))).toMatchObject({ status: 400 });
  });
});

describe('other updates', () => {
  test('add-spec gives partition fields the next IDs and finds an equal spec again', () => {
    const spec = { fields: [{ 'source-id': 77, name: 'id_bucket', transform: 'bucket[4]' }] };
    const add = [
      { action: 'add-spec', spec },
      { action: 'set-default-spec', 'spec-id': -1 },
    ];
    const partitioned = commit(table(), add);
    expect(partitioned).toMatchObject({ 'default-spec-id': 1, 'last-partition-id': 1000 });
    expect(partitioned['partition-specs'][1]?.fields).toEqual([{ ...spec.fields[0], 'field-id': 1000 }]);
    const unpartitioned = { action: 'add-spec', spec: { fields: [] } };
    const back = commit(partitioned, [unpartitioned, { action: 'set-default-spec', 'spec-id': 0 }]);
    expect(back).toMatchObject({ 'default-spec-id': 0, 'last-partition-id': 1000 });
    expect(back['partition-specs']).toHaveLength(2);
    const last = () => commit(partitioned, [unpartitioned, { action: 'set-default-spec', 'spec-id': -1 }]);
    expect(refusal(last)).toMatchObject({ status: 400 });
  });

  test('add-spec on a column that is not there is a 400', () => {
    const spec = { fields: [{ 'source-id': 5, name: 'x', transform: 'identity' }] };
    expect(refusal(() => commit(table(), [{ action: 'add-spec', spec }]))).toMatchObject({ status: 400 });
  });

  test('sort orders count from 1, unsorted is 0', () => {
    const field = { 'source-id': 77, transform: 'identity', direction: 'asc', 'null-order': 'nulls-first' };
    const sorted = commit(table(), [
      { action: 'add-sort-order', 'sort-order': { 'order-id': -1, fields: [field] } },
      { action: 'set-default-sort-order', 'sort-order-id': -1 },
    ]);
    expect(sorted['default-sort-order-id']).toBe(1);
  });

  test('format versions only go up, and a UUID stays', () => {
    const upgrade = (base: TableMetadata, to: number) => () =>
      commit(base, [{ action: 'upgrade-format-version', 'format-version': to }]);
    expect(upgrade(table(2), 3)()).toMatchObject({ 'format-version': 3, 'next-row-id': 0 });
    expect(refusal(upgrade(table(3), 2))).toMatchObject({ status: 400 });
    expect(refusal(upgrade(table(3), 5))).toMatchObject({ status: 400 });
    const uuid = '99999999-2222-3333-4444-555555555555';
    expect(refusal(() => commit(table(), [{ action: 'assign-uuid', uuid }]))).toMatchObject({ status: 400 });
  });

  test('properties are set and removed', () => {
    const changed = commit(table(), [
      { action: 'set-properties', updates: { a: '1', b: '2' } },
      { action: 'remove-properties', removals: ['a', 'owner'] },
    ]);
    expect(changed.properties).toEqual({ b: '2' });
  });

  test('statistics are one a snapshot, set anew and removed', () => {
    const set = (file: string) => ({ action: 'set-statistics', statistics: { 'snapshot-id': 5, file } });
    const twice = commit(table(2, appended(5)), [set('a'), set('b')]);
    expect(twice['statistics']).toEqual([{ 'snapshot-id': 5, file: 'b' }]);
    const removed = commit(twice, [{ action: 'remove-statistics', 'snapshot-id': 5 }]);
    expect(removed['statistics']).toEqual([]);
  });

  test('the metadata log keeps as many files as the table says', () => {
    let metadata = table(2, [
      { action: 'set-properties', updates: { 'write.metadata.previous-versions-max': '2' } },
    ]);
    for (let i = 0; i < 4; i++)
      metadata = commit(metadata, [{ action: 'set-properties', updates: { i: `${i}` } }]);
    expect(metadata['metadata-log']).toHaveLength(2);
  });

  test('attributes unknown to the catalog travel through', () => {
    const base = { ...table(), 'x-vendor': { kept: true } } as TableMetadata;
    const unknown = { ...snapshot(5), 'x-snapshot': 1 };
    const changed = commit(base, [{ action: 'add-snapshot', snapshot: unknown }]);
    expect(changed).toMatchObject({ 'x-vendor': { kept: true }, snapshots: [{ 'x-snapshot': 1 }] });
  });

  test('an assert-create commit without location or schema is a 400', () => {
    for (const missing of ['set-location', 'set-current-schema', 'set-default-spec']) {
      const request = creation();
      const updates = (request['updates'] as JsonObject[]).filter(({ action }) => action !== missing);
      expect(refusal(() => applyCreation({ ...request, updates }, { nowMs, uuid: 'u' }))).toMatchObject({
        status: 400,
      });
    }
  });
});
