import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../lib/spec/json-object.ts';
import { openTables, type Tables } from '../../../local/catalog/tables.ts';

export const namespace = ['analytics'];
export const orders = { namespace, name: 'orders' };

export const schema = {
  type: 'struct',
  'schema-id': 0,
  fields: [
    { id: 77, name: 'id', required: true, type: 'long' },
    { id: 90, name: 'note', required: false, type: 'string' },
  ],
};

export const widerSchema = {
  ...schema,
  'schema-id': 1,
  fields: [...schema.fields, { id: 91, name: 'price', required: false, type: 'decimal(9, 2)' }],
};

/** The updates of an `assert-create` commit, as Java closes a staged table with. */
export function creation(
  overrides: { formatVersion?: number; updates?: readonly JsonObject[] } = {},
): JsonObject {
  const { formatVersion = 2, updates = [] } = overrides;
  return {
    requirements: [{ type: 'assert-create' }],
    updates: [
      { action: 'assign-uuid', uuid: '11111111-2222-3333-4444-555555555555' },
      { action: 'upgrade-format-version', 'format-version': formatVersion },
      { action: 'add-schema', schema },
      { action: 'set-current-schema', 'schema-id': -1 },
      { action: 'add-spec', spec: { 'spec-id': 0, fields: [] } },
      { action: 'set-default-spec', 'spec-id': -1 },
      { action: 'add-sort-order', 'sort-order': { 'order-id': 0, fields: [] } },
      { action: 'set-default-sort-order', 'sort-order-id': -1 },
      { action: 'set-location', location: 's3://lake/orders' },
      { action: 'set-properties', updates: { owner: 'us' } },
      ...updates,
    ],
  };
}

export function snapshot(id: bigint | number, more: JsonObject = {}): JsonObject {
  return {
    'snapshot-id': id,
    'sequence-number': 1,
    'timestamp-ms': 1_700_000_000_000,
    'manifest-list': `s3://lake/orders/metadata/snap-${id}.avro`,
    summary: { operation: 'append' },
    'schema-id': 0,
    ...more,
  };
}

export function appended(id: bigint | number, more: JsonObject = {}): readonly JsonObject[] {
  return [
    { action: 'add-snapshot', snapshot: snapshot(id, more) },
    { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': id },
  ];
}

export interface TablesFixture {
  readonly tables: Tables;
  /** The metadata files, by URI. */
  readonly files: Map<string, Uint8Array>;
}

/** Tables in memory, with a namespace and nothing in it; the clock stands still. */
export function openFixture(): TablesFixture {
  const files = new Map<string, Uint8Array>();
  const tables = openTables({
    database: ':memory:',
    warehouse: 's3://lake/warehouse',
    files: {
      read: async (uri) => files.get(uri),
      write: async (uri, bytes) => {
        if (files.has(uri)) throw new Error(`Written twice: ${uri}`);
        files.set(uri, bytes);
      },
    },
    now: () => 1_700_000_000_000,
    uuid: randomUUID,
  });
  tables.createNamespace(namespace, {});
  return { tables, files };
}
