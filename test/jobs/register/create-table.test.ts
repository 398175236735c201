import { describe, expect, test } from 'vitest';
import type { RegistrarError } from '../../../lib/errors.ts';
import { type CreateTableSettings, createTable } from '../../../lib/jobs/register/create-table.ts';
import type { CommitResult, LoadedTable } from '../../../lib/ports.ts';
import { datasetSchemaProperty } from '../../../lib/schema/dataset-schema.ts';
import { isHalfMade } from '../../../lib/schema/half-made-table.ts';
import { mergeSchemas } from '../../../lib/schema/merge.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { readTableMetadata } from '../../../lib/spec/table-metadata.ts';
import { type FakeCatalog, fakeCatalog } from '../../fakes/catalog.ts';
import { seededRandom } from '../../fakes/random.ts';
import { fakeStore } from '../../fakes/store.ts';
import { virtualTime } from '../../fakes/time.ts';
import { column, identifier, list, required, segment, struct } from '../../schema/evolving-table.ts';

const location = 's3://lake/edge/orders';
const fields = [
  required(30, 'id', 'long'),
  column(10, 'tags', list(40, 'string')),
  column(20, 'at', struct(column(5, 'lat', 'double'))),
  column(50, 'ts', 'timestamptz'),
];
const settings: CreateTableSettings = {
  create_via: 'auto',
  location,
  format_version: 2,
  partition_by: [],
  table_properties: {},
  case_sensitive_names: false,
};

function world() {
  const { clock } = virtualTime();
  const store = fakeStore(clock);
  const random = seededRandom();
  const catalog = fakeCatalog(store, clock, random);
  const create = async (more: Partial<CreateTableSettings> = {}, one = segment(fields)) =>
    stateOf(await createTable({ catalog, store, clock, random }, { ...settings, ...more }, identifier, one));
  return { store, catalog, create, operations: () => catalog.calls.map(({ operation }) => operation) };
}

function stateOf(loaded: LoadedTable) {
  return readTableMetadata(identifier, loaded);
}

function withoutId({ 'schema-id': _, ...schema }: Schema): Schema {
  return schema;
}

/** Answers of the catalog to one call are what `change` makes of them. */
function answering(
  catalog: FakeCatalog,
  operation: 'register' | 'create',
  change: (loaded: LoadedTable) => LoadedTable,
): void {
  const real = catalog[operation].bind(catalog) as (
    ...input: readonly unknown[]
  ) => Promise<LoadedTable | 'exists'>;
  Object.assign(catalog, {
    [operation]: async (...input: readonly unknown[]) => {
      const answer = await real(...input);
      return answer === 'exists' ? answer : change(answer);
    },
  });
}

describe('createTable where the catalog chooses the location', () => {
  test('asks for a table without one, and gives it the segment’s own IDs', async () => {
    const { create, operations } = world();
    const state = await create({ location: undefined });
    expect(state.location).not.toBe(location);
    expect(withoutId(state.currentSchema)).toMatchObject({ fields: fields.map(({ id }) => ({ id })) });
    expect(operations()).not.toContain('register');
    expect(operations()).toContain('create');
    expect(isHalfMade(state, undefined)).toBe(false);
  });

  test.each(['register', 'commit'] as const)('says that %s cannot make one', async (create_via) => {
    const { create } = world();
    await expect(create({ location: undefined, create_via })).rejects.toMatchObject({
      code: 'catalog.refused',
      message: expect.stringContaining('is made by a create request'),
    });
  });
});

describe('createTable', () => {
  test.each(['auto', 'register', 'commit', 'create'] as const)(
    'via %s: the segment’s own IDs, location, defaults; the first merge changes nothing',
    async (create_via) => {
      const { create } = world();
      const one = segment(fields);
      const state = await create(
        { create_via, table_properties: { 'write.metadata.previous-versions-max': '7' } },
        one,
      );
      expect(withoutId(state.currentSchema)).toEqual(struct(...fields));
      expect(state.location).toBe(location);
      expect(state.formatVersion).toBe(2);
      expect(state.snapshots.size).toBe(0);
      expect(state.properties).toMatchObject({
        'write.metadata.delete-after-commit.enabled': 'true',
        'write.metadata.previous-versions-max': '7',
        'history.expire.max-snapshot-age-ms': '1296000000',
        [datasetSchemaProperty]: expect.any(String),
      });
      const merge = mergeSchemas(state, [one], { fieldIds: 'checked', caseSensitiveNames: false });
      expect(merge).toMatchObject({ updates: [], changes: [] });
      expect(merge.refused.size).toBe(0);
    },
  );

  test('via register: columns that SQL adds get IDs far from the dataset’s', async () => {
    const { create, store } = world();
    const state = await create({ create_via: 'register' });
    expect(state.lastColumnId).toBe(1_000_000);
    expect(state.metadataLocation).toMatch(
      /^s3:\/\/lake\/edge\/orders\/metadata\/00000-[0-9a-f-]{36}\.metadata\.json$/,
    );
    expect(store.objects.has(state.metadataLocation ?? '')).toBe(true);
  });

  test('write.metadata.path is where the metadata file goes', async () => {
    const { create } = world();
    const path = 's3://lake/meta/orders/';
    const state = await create({ create_via: 'register', table_properties: { 'write.metadata.path': path } });
    expect(state.metadataLocation).toMatch(/^s3:\/\/lake\/meta\/orders\/00000-/);
  });

  test.each(['register', 'commit', 'create'] as const)('format version 3 via %s', async (create_via) => {
    const { create } = world();
    const state = await create({ create_via, format_version: 3 });
    expect(state).toMatchObject({ formatVersion: 3, nextRowId: 0n });
  });

  test.each(['register', 'commit', 'create'] as const)('partition_by via %s', async (create_via) => {
    const { create } = world();
    const state = await create({ create_via, partition_by: ['day(ts)', 'bucket[16](id)', 'at.lat'] });
    expect(state.defaultSpec.fields.map(({ 'field-id': _, ...field }) => field)).toEqual([
      { 'source-id': 50, name: 'ts_day', transform: 'day' },
      { 'source-id': 30, name: 'id_bucket', transform: 'bucket[16]' },
      { 'source-id': 5, name: 'at.lat', transform: 'identity' },
    ]);
  });

  test.each([
    ['ts_date', /no such column/],
    ['day(id)', /the column is long/],
    ['truncate[4](at)', /the column is a struct/],
    ['tags.element', /in a list or map/],
  ])(
    'partition_by "%s" that the segment cannot serve: refused before anything is made',
    async (term, message) => {
      const { create, operations } = world();
      await expect(create({ partition_by: [term] })).rejects.toMatchObject({
        code: 'sink.iceberg_partition_undetermined',
        message: expect.stringMatching(message),
      });
      expect(operations()).toEqual(['load']);
    },
  );

  test('a segment whose names no engine could tell apart begins no table', async () => {
    const { create } = world();
    await expect(create({}, segment([column(1, 'a', 'int'), column(2, 'A', 'int')]))).rejects.toMatchObject({
      code: 'sink.iceberg_schema_mismatch',
    });
  });

  test('a segment without field IDs: its order numbers them, and the name mapping is there from the start', async () => {
    const { create } = world();
    const one = segment([column(1, 'a', 'int'), column(2, 'l', list(3, 'int'))], { idsFrom: 'names' });
    const state = await create({ create_via: 'register' }, one);
    expect(state.lastColumnId).toBe(3);
    expect(JSON.parse(state.properties['schema.name-mapping.default'] ?? '')).toEqual([
      { 'field-id': 1, names: ['a'] },
      { 'field-id': 2, names: ['l'], fields: [{ 'field-id': 3, names: ['element'] }] },
    ]);
    expect(mergeSchemas(state, [one], { fieldIds: 'by_name', caseSensitiveNames: false }).updates).toEqual(
      [],
    );
  });

  test('a table made elsewhere in the meantime is answered as it is', async () => {
    const { create, catalog } = world();
    const foreign = struct(column(1, 'x', 'int'));
    catalog.onCall = async ({ operation }) => {
      if (operation !== 'register') return;
      catalog.onCall = () => undefined;
      await catalog.create(identifier, {
        schema: foreign,
        spec: { 'spec-id': 0, fields: [] },
        location: 's3://lake/foreign',
        formatVersion: 2,
        properties: {},
      });
    };
    const state = await create();
    expect(withoutId(state.currentSchema)).toEqual(foreign);
    expect(isHalfMade(state, location)).toBe(false);
  });

  test('two creators at once end with one table', async () => {
    for (const create_via of ['register', 'commit', 'create'] as const) {
      const { create } = world();
      const states = await Promise.all([
        create({ create_via }),
        create({ create_via }),
        create({ create_via }),
      ]);
      expect(new Set(states.map(({ uuid }) => uuid)).size).toBe(1);
      for (const state of states) expect(withoutId(state.currentSchema)).toEqual(struct(...fields));
    }
  });

  test('via create: a crash before the IDs are set leaves a half-made table, which the next attempt finishes', async () => {
    const { create, catalog } = world();
    catalog.onCall = ({ operation }) => {
      if (operation === 'commit') throw new Error('crash');
    };
    await expect(create({ create_via: 'create', partition_by: ['day(ts)'] })).rejects.toThrow('crash');
    catalog.onCall = () => undefined;
    const begun = stateOf((await catalog.load(identifier)) as LoadedTable);
    expect(isHalfMade(begun, location)).toBe(true);
    const state = await create({ create_via: 'create', partition_by: ['day(ts)'] });
    expect(isHalfMade(state, location)).toBe(false);
    expect(state.properties, 'of files with field IDs').not.toHaveProperty('schema.name-mapping.default');
    expect(state.defaultSpec.fields).toMatchObject([{ 'source-id': 50, transform: 'day', name: 'ts_day' }]);
  });

  test('a table whose columns SQL changed before its first snapshot is not half-made', async () => {
    const { create, catalog } = world();
    const { currentSchema } = await create();
    const altered = { ...currentSchema, fields: [...currentSchema.fields, column(1_000_001, 'mine', 'int')] };
    await catalog.commit(identifier, {
      requirements: [],
      updates: [
        { action: 'add-schema', schema: altered, 'last-column-id': 1_000_001 },
        { action: 'set-current-schema', 'schema-id': -1 },
      ],
    });
    expect((await create()).currentSchema.fields).toHaveLength(fields.length + 1);
  });

  test('IDs that only the catalog’s own first schema had are free for the dataset', async () => {
    const { create, catalog } = world();
    const state = await create({ create_via: 'create' });
    const first = segment(fields);
    await catalog.commit(identifier, {
      requirements: [],
      updates: [
        {
          action: 'add-snapshot',
          snapshot: {
            'snapshot-id': 1n,
            'sequence-number': 1n,
            'timestamp-ms': state.lastUpdatedMs,
            'manifest-list': `${location}/metadata/snap-1.avro`,
            summary: { operation: 'append' },
            'schema-id': state.currentSchema['schema-id'] ?? 0,
          },
        },
        { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': 1n },
      ],
    });
    const used = stateOf((await catalog.load(identifier)) as LoadedTable);
    const merge = mergeSchemas(used, [first, segment([...fields, column(1, 'next', 'int')])], {
      fieldIds: 'checked',
      caseSensitiveNames: false,
    });
    expect([...merge.refused.values()]).toEqual([]);
  });

  test('an answer lost on its way: the table is looked for', async () => {
    const { create, catalog } = world();
    catalog.fates.push('answer lost');
    expect(withoutId((await create({ create_via: 'commit' })).currentSchema)).toEqual(struct(...fields));
  });

  test('a request lost on its way: catalog.commit_unknown, and the next attempt makes the table', async () => {
    const { create, catalog } = world();
    catalog.fates.push('lost');
    await expect(create({ create_via: 'commit' })).rejects.toMatchObject({ code: 'catalog.commit_unknown' });
    expect(withoutId((await create({ create_via: 'commit' })).currentSchema)).toEqual(struct(...fields));
  });

  test('auto goes by what the catalog takes, and the error lists what it refused', async () => {
    const { create, catalog, operations } = world();
    catalog.supports = async () => undefined;
    catalog.fates.push('invalid');
    await create();
    expect(operations().filter((operation) => operation !== 'load')).toEqual([
      'createNamespace',
      'commit',
      'create',
      'commit',
    ]);

    const closed = world();
    closed.catalog.fates.push('invalid');
    const error: RegistrarError = await closed.create({ create_via: 'commit' }).catch((thrown) => thrown);
    expect(error.code).toBe('catalog.refused');
    expect(error.message).toMatch(
      /Cannot create table "lake.orders".*create_via "commit".*400 BadRequestException/,
    );
  });

  test('a catalog that answers another table to register (SeaweedFS): an error that says so', async () => {
    const { create, catalog } = world();
    answering(catalog, 'register', (loaded) => ({
      ...loaded,
      metadata: { ...loaded.metadata, 'table-uuid': '00000000-0000-4000-8000-000000000000' },
    }));
    await expect(create({ create_via: 'register' })).rejects.toMatchObject({
      code: 'catalog.refused',
      message: expect.stringMatching(/answered register with another table, UUID "00000000.*set create_via/),
    });
  });

  test('a catalog that puts the table elsewhere: an error that says so, at every attempt', async () => {
    const { create, catalog } = world();
    const real = catalog.create.bind(catalog);
    catalog.create = (table, request) => real(table, { ...request, location: 's3://assigned/by/catalog' });
    for (let attempt = 1; attempt <= 2; attempt++) {
      await expect(create({ create_via: 'create' })).rejects.toMatchObject({
        code: 'catalog.refused',
        message: expect.stringContaining('"s3://assigned/by/catalog", not "s3://lake/edge/orders"'),
      });
    }
    const state = await create({ create_via: 'create', location: 's3://assigned/by/catalog' });
    expect(withoutId(state.currentSchema)).toEqual(struct(...fields));
  });

  test('a catalog that throttles is catalog.unavailable: no other way is tried', async () => {
    const { create, catalog } = world();
    let commits = 0;
    catalog.commit = async (): Promise<CommitResult> => {
      commits += 1;
      return { outcome: 'refused', reason: 'throttled', message: '429' };
    };
    const made = create({ create_via: 'commit' });
    await expect(made).rejects.toMatchObject({ code: 'catalog.unavailable', retryable: true });
    expect(commits).toBe(1);
  });

  test('a catalog that renumbers every schema: an error that says which IDs', async () => {
    const { create, catalog } = world();
    const real = catalog.commit.bind(catalog);
    catalog.commit = async (table, commit): Promise<CommitResult> => {
      const result = await real(table, commit);
      if (result.outcome !== 'landed') return result;
      const renumbered = { ...struct(column(1, 'id', 'long')), 'schema-id': 0 };
      return {
        outcome: 'landed',
        table: {
          ...result.table,
          metadata: { ...result.table.metadata, schemas: [renumbered], 'current-schema-id': 0 },
        },
      };
    };
    await expect(create({ create_via: 'create' })).rejects.toMatchObject({
      code: 'catalog.refused',
      message: expect.stringMatching(/does not keep the field IDs.*field ID 30 is absent, not "id" long/),
    });
  });
});
