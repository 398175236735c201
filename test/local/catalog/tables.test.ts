import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../lib/spec/json.ts';
import {
  appended,
  creation,
  namespace,
  openFixture,
  orders,
  schema,
  type TablesFixture,
} from './tables-fixture.ts';

let fixture: TablesFixture;

beforeEach(() => {
  fixture = openFixture();
});

const name = 'orders';
const file = (uri: string | null) => parseJson(Buffer.from(fixture.files.get(uri ?? '') ?? '').toString());
const setOwner = (owner: string) => ({
  requirements: [],
  updates: [{ action: 'set-properties', updates: { owner } }],
});

describe('create', () => {
  test('gives field IDs anew, structs before what is in them, identifiers and partitions with them', async () => {
    const nested = {
      type: 'struct',
      'identifier-field-ids': [90],
      fields: [
        {
          id: 50,
          name: 's',
          required: false,
          type: { type: 'struct', fields: [{ id: 60, name: 'x', required: false, type: 'int' }] },
        },
        {
          id: 70,
          name: 'm',
          required: false,
          type: {
            type: 'map',
            'key-id': 71,
            key: 'string',
            'value-id': 72,
            value: 'long',
            'value-required': false,
          },
        },
        {
          id: 80,
          name: 'l',
          required: false,
          type: { type: 'list', 'element-id': 81, element: 'date', 'element-required': false },
        },
        { id: 90, name: 'id', required: true, type: 'long' },
      ],
    };
    const spec = { fields: [{ 'source-id': 90, 'field-id': 2000, name: 'b', transform: 'bucket[8]' }] };
    const { metadata } = await fixture.tables.create(namespace, {
      name,
      schema: nested,
      'partition-spec': spec,
    });
    expect(metadata.schemas).toEqual([
      {
        type: 'struct',
        'schema-id': 0,
        'identifier-field-ids': [4],
        fields: [
          {
            id: 1,
            name: 's',
            required: false,
            type: { type: 'struct', fields: [{ id: 5, name: 'x', required: false, type: 'int' }] },
          },
          {
            id: 2,
            name: 'm',
            required: false,
            type: {
              type: 'map',
              'key-id': 6,
              key: 'string',
              'value-id': 7,
              value: 'long',
              'value-required': false,
            },
          },
          {
            id: 3,
            name: 'l',
            required: false,
            type: { type: 'list', 'element-id': 8, element: 'date', 'element-required': false },
          },
          { id: 4, name: 'id', required: true, type: 'long' },
        ],
      },
    ]);
    expect(metadata['partition-specs'][0]?.fields).toMatchObject([{ 'source-id': 4, 'field-id': 1000 }]);
    expect(metadata['last-column-id']).toBe(8);
  });

  test('takes format version and location, the warehouse otherwise, and refuses a second table', async () => {
    const properties = { 'format-version': '3', owner: 'us' };
    const created = await fixture.tables.create(namespace, { name, schema, properties });
    expect(created.metadata).toMatchObject({
      'format-version': 3,
      location: 's3://lake/warehouse/analytics/orders',
      properties: { owner: 'us' },
      'current-snapshot-id': null,
    });
    expect(created.metadataLocation).toMatch(
      /^s3:\/\/lake\/warehouse\/analytics\/orders\/metadata\/00000-[^/]*\.metadata\.json$/,
    );
    await expect(fixture.tables.create(namespace, { name, schema })).rejects.toMatchObject({
      type: 'AlreadyExistsException',
    });
    const elsewhere = await fixture.tables.create(namespace, { name: 'b', schema, location: 's3://lake/b/' });
    expect(elsewhere.metadata.location).toBe('s3://lake/b');
  });

  test('staged keeps nothing', async () => {
    const staged = await fixture.tables.create(namespace, { name, schema, 'stage-create': true });
    expect(staged.metadataLocation).toBeNull();
    expect(fixture.files.size).toBe(0);
    expect(() => fixture.tables.load(orders)).toThrow(expect.objectContaining({ status: 404 }));
  });

  test('in a namespace that is not there is NoSuchNamespace', async () => {
    await expect(fixture.tables.create(['absent'], { name, schema })).rejects.toMatchObject({
      type: 'NoSuchNamespaceException',
    });
  });
});

describe('register', () => {
  const location = 's3://lake/orders/metadata/00000-own.metadata.json';

  async function register(change: (json: Record<string, unknown>) => object, uri = location) {
    const { metadata } = await openFixture().tables.commit(orders, creation());
    const bytes = Buffer.from(stringifyJson(change({ ...metadata })));
    fixture.files.set(uri, uri.endsWith('.gz.metadata.json') ? gzipSync(bytes) : bytes);
    return await fixture.tables.register(orders, uri);
  }

  test('keeps field IDs, UUID and the file as it is', async () => {
    const registered = await register((json) => json);
    expect(registered.metadataLocation).toBe(location);
    expect(registered.metadata.schemas).toEqual([schema]);
    expect(fixture.tables.load(orders)).toMatchObject({
      metadataLocation: location,
      metadata: { 'last-column-id': 90 },
    });
    expect(fixture.files.size).toBe(1);
    const next = await fixture.tables.commit(orders, setOwner('them'));
    expect(next.metadataLocation).toMatch(/\/00001-[^/]+$/);
  });

  test('reads gzip by its name, and counts from zero after a name without a number', async () => {
    await register((json) => json, 's3://lake/orders/metadata/v1.gz.metadata.json');
    const next = await fixture.tables.commit(orders, setOwner('them'));
    expect(next.metadataLocation).toMatch(/\/00000-[^/]+$/);
  });

  test('reads format 1 as old writers left it', async () => {
    const registered = await register(({ 'table-uuid': uuid, location: at }) => ({
      'format-version': 1,
      'table-uuid': uuid,
      location: at,
      'last-updated-ms': 1_700_000_000_000,
      'last-column-id': 90,
      schema: { type: 'struct', fields: schema.fields },
      'partition-spec': [{ 'source-id': 77, name: 'id', transform: 'identity' }],
      'current-snapshot-id': 5,
      snapshots: [{ 'snapshot-id': 5, 'timestamp-ms': 1_700_000_000_000, manifests: [] }],
    }));
    expect(registered.metadata).toMatchObject({
      schemas: [{ 'schema-id': 0 }],
      'partition-specs': [{ 'spec-id': 0, fields: [{ 'field-id': 1000 }] }],
      'last-partition-id': 1000,
      refs: { main: { type: 'branch', 'snapshot-id': 5 } },
    });
    const next = await fixture.tables.commit(orders, setOwner('them'));
    expect(file(next.metadataLocation)).toMatchObject({
      schema: { fields: schema.fields },
      'partition-spec': [{ name: 'id' }],
    });
  });

  test('refuses a file that is absent, incomplete, or of format 5, and a table that exists', async () => {
    const refused = { status: 400 };
    await expect(fixture.tables.register(orders, 's3://lake/absent')).rejects.toMatchObject(refused);
    await expect(register(({ location: _, ...json }) => json)).rejects.toMatchObject(refused);
    await expect(register((json) => ({ ...json, 'format-version': 5 }))).rejects.toMatchObject(refused);
    await register((json) => json);
    await expect(fixture.tables.register(orders, location)).rejects.toMatchObject({
      type: 'AlreadyExistsException',
    });
  });
});

describe('commit', () => {
  test('with assert-create makes the table with its own IDs and first snapshot, once', async () => {
    const request = creation({ updates: appended(5) });
    const { metadata } = await fixture.tables.commit(orders, request);
    expect(metadata).toMatchObject({
      'table-uuid': '11111111-2222-3333-4444-555555555555',
      schemas: [schema],
      location: 's3://lake/orders',
      properties: { owner: 'us' },
      'current-snapshot-id': 5,
    });
    await expect(fixture.tables.commit(orders, request)).rejects.toMatchObject({
      type: 'CommitFailedException',
    });
  });

  test('with assert-create and another requirement is a 400', async () => {
    const request = creation();
    const requirements = [
      { type: 'assert-create' },
      { type: 'assert-current-schema-id', 'current-schema-id': 0 },
    ];
    await expect(fixture.tables.commit(orders, { ...request, requirements })).rejects.toMatchObject({
      status: 400,
    });
  });

  test('on a table that is not there is NoSuchTable', async () => {
    await expect(fixture.tables.commit(orders, setOwner('x'))).rejects.toMatchObject({
      type: 'NoSuchTableException',
    });
  });

  test('writes a new file each time, names the earlier one in the log, and keeps it', async () => {
    const first = await fixture.tables.commit(orders, creation());
    const second = await fixture.tables.commit(orders, setOwner('a'));
    const third = await fixture.tables.commit(orders, setOwner('b'));
    expect(new Set([first, second, third].map((table) => table.metadataLocation)).size).toBe(3);
    expect(third.metadataLocation).toMatch(/\/00002-[^/]+$/);
    expect(file(third.metadataLocation)).toMatchObject({
      properties: { owner: 'b' },
      'metadata-log': [
        { 'metadata-file': first.metadataLocation },
        { 'metadata-file': second.metadataLocation },
      ],
    });
    expect(file(first.metadataLocation)).toMatchObject({ properties: { owner: 'us' } });
  });

  test('that changes nothing writes nothing', async () => {
    const created = await fixture.tables.commit(orders, creation());
    const same = await fixture.tables.commit(orders, { requirements: [], updates: [] });
    expect(same.metadataLocation).toBe(created.metadataLocation);
    expect(fixture.files.size).toBe(1);
  });

  test('goes to write.metadata.path when the table has one', async () => {
    const path = { 'write.metadata.path': 's3://lake/elsewhere/' };
    const updates = [{ action: 'set-properties', updates: path }];
    const { metadataLocation } = await fixture.tables.commit(orders, creation({ updates }));
    expect(metadataLocation).toMatch(/^s3:\/\/lake\/elsewhere\/00000-[^/]+$/);
  });

  test.each([
    ['that assert the head', [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null }]],
    ['that assert nothing', []],
  ])('of twenty racers %s lands once, and what landed is whole', async (_title, requirements) => {
    await fixture.tables.commit(orders, creation());
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        fixture.tables.commit(orders, { requirements, updates: appended(i + 1) }),
      ),
    );
    const landed = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
    expect(landed).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 409 });
    }
    expect(fixture.tables.load(orders).metadataLocation).toBe(landed[0]?.metadataLocation);
    expect(fixture.tables.load(orders).metadata.snapshots).toHaveLength(1);
  });

  test('of twenty creators, one lands', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => fixture.tables.commit(orders, creation())),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('keeps 63-bit snapshot IDs in the file and in the table (C14)', async () => {
    const id = 8_656_952_484_400_131_532n;
    const { metadataLocation } = await fixture.tables.commit(orders, creation({ updates: appended(id) }));
    expect(file(metadataLocation)).toMatchObject({
      'current-snapshot-id': id,
      refs: { main: { 'snapshot-id': id } },
    });
    expect(fixture.tables.load(orders).metadata['current-snapshot-id']).toBe(id);
  });
});

describe('namespaces and names', () => {
  test('have levels, and names with dots stay apart from them', () => {
    const { tables } = fixture;
    tables.createNamespace(['a'], {});
    tables.createNamespace(['a', 'b'], { k: 'v' });
    tables.createNamespace(['a.b'], {});
    expect(tables.namespaces([])).toEqual([['a'], ['a.b'], ['analytics']]);
    expect(tables.namespaces(['a'])).toEqual([['a', 'b']]);
    expect(tables.namespaceProperties(['a', 'b'])).toEqual({ k: 'v' });
    expect(() => tables.createNamespace(['a'], {})).toThrow(expect.objectContaining({ status: 409 }));
    expect(() => tables.dropNamespace(['a'])).toThrow(
      expect.objectContaining({ type: 'NamespaceNotEmptyException' }),
    );
    tables.dropNamespace(['a', 'b']);
    tables.dropNamespace(['a']);
    expect(tables.namespaces([])).toEqual([['a.b'], ['analytics']]);
  });

  test('drop forgets the table and keeps its files', async () => {
    await fixture.tables.commit(orders, creation());
    expect(() => fixture.tables.dropNamespace(namespace)).toThrow(expect.objectContaining({ status: 409 }));
    fixture.tables.drop(orders);
    expect(fixture.files.size).toBe(1);
    expect(() => fixture.tables.drop(orders)).toThrow(expect.objectContaining({ status: 404 }));
  });

  test('rename moves a table, and never over another', async () => {
    const { tables } = fixture;
    await tables.commit(orders, creation());
    await tables.commit({ namespace, name: 'taken' }, creation());
    expect(() => tables.rename(orders, { namespace, name: 'taken' })).toThrow(
      expect.objectContaining({ status: 409 }),
    );
    expect(() => tables.rename(orders, { namespace: ['absent'], name })).toThrow(
      expect.objectContaining({ status: 404 }),
    );
    tables.rename(orders, { namespace, name: 'renamed' });
    expect(tables.list(namespace)).toEqual(['renamed', 'taken']);
  });
});
