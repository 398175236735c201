import { randomUUID } from 'node:crypto';
import type { Catalog, LoadedTable } from '../../lib/ports.ts';
import { stringifyJson } from '../../lib/spec/json.ts';
import type { Schema } from '../../lib/spec/schema.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { RefRetention, TableCommit, TableUpdate } from '../../lib/spec/table-update.ts';

export interface CatalogSubject {
  readonly catalog: Catalog;
  /** Exists, and nothing is in it. */
  readonly namespace: readonly string[];
  /** Below it tables may lie: `s3://bucket/run-7`. */
  readonly location: string;
  /** Writes a metadata file where the catalog finds it. */
  writeFile(uri: string, bytes: Uint8Array): Promise<void>;
  /** How this catalog lets a table with IDs of its own be made. @default 'commit' */
  readonly tablesBy?: 'commit' | 'register';
}

/** IDs that no catalog would assign itself: what keeps them keeps a segment's own (I5). */
export const ownIds: Schema = {
  type: 'struct',
  'schema-id': 0,
  fields: [
    { id: 10, name: 'id', required: true, type: 'long' },
    {
      id: 20,
      name: 'place',
      required: false,
      type: { type: 'struct', fields: [{ id: 77, name: 'city', required: false, type: 'string' }] },
    },
  ],
};

export const ownIdsHighest = 77;

/** `ownIds` and one column more. */
export const evolvedSchema: Schema = {
  ...ownIds,
  'schema-id': 1,
  fields: [...ownIds.fields, { id: 78, name: 'added', required: false, type: 'double', doc: 'later' }],
};

/** One commit that makes a table (`RESTSessionCatalog.createChanges`), its IDs kept. */
export function creation(location: string, uuid: string = randomUUID()): TableCommit {
  return {
    requirements: [{ type: 'assert-create' }],
    updates: [
      { action: 'assign-uuid', uuid },
      { action: 'upgrade-format-version', 'format-version': 2 },
      { action: 'add-schema', schema: ownIds, 'last-column-id': ownIdsHighest },
      { action: 'set-current-schema', 'schema-id': -1 },
      { action: 'add-spec', spec: { 'spec-id': 0, fields: [] } },
      { action: 'set-default-spec', 'spec-id': -1 },
      { action: 'add-sort-order', 'sort-order': { 'order-id': 0, fields: [] } },
      { action: 'set-default-sort-order', 'sort-order-id': -1 },
      { action: 'set-location', location },
      { action: 'set-properties', updates: { made: 'here' } },
    ],
  };
}

/** A metadata file as a creator writes it to register it (table spec, "Table Metadata Fields"). */
export function metadataFile(
  location: string,
  uuid: string,
  { lastColumnId = ownIdsHighest, made = 'here' } = {},
): Uint8Array {
  return Buffer.from(
    stringifyJson({
      'format-version': 2,
      'table-uuid': uuid,
      location,
      'last-sequence-number': 0,
      'last-updated-ms': Date.UTC(2026, 0, 1),
      'last-column-id': lastColumnId,
      schemas: [ownIds],
      'current-schema-id': 0,
      'partition-specs': [{ 'spec-id': 0, fields: [] }],
      'default-spec-id': 0,
      'last-partition-id': 999,
      'sort-orders': [{ 'order-id': 0, fields: [] }],
      'default-sort-order-id': 0,
      properties: { made },
    }),
  );
}

export function identifier({ namespace }: CatalogSubject, name: string): TableIdentifier {
  return { namespace, name };
}

/** Makes a table with its own IDs and without a snapshot; `exists` where one of that name is there. */
export async function makeTable(
  { catalog, writeFile, tablesBy }: CatalogSubject,
  table: TableIdentifier,
  location: string,
): Promise<LoadedTable | 'exists'> {
  if (tablesBy === 'register') {
    const uuid = randomUUID();
    const file = `${location}/metadata/00000-${uuid}.metadata.json`;
    await writeFile(file, metadataFile(location, uuid));
    return catalog.register(table, file);
  }
  const result = await catalog.commit(table, creation(location));
  if (result.outcome === 'landed') return result.table;
  if (result.outcome === 'refused' && result.reason === 'conflict') return 'exists';
  throw new Error(`Expected table "${table.name}" to be made: ${result.message}`);
}

/** The same, of a name that no table has. */
export async function newTable(subject: CatalogSubject, name: string): Promise<LoadedTable> {
  const made = await makeTable(subject, identifier(subject, name), `${subject.location}/${name}`);
  if (made === 'exists') throw new Error(`Expected table "${name}" to be made: there is one`);
  return made;
}

export async function loadTable(subject: CatalogSubject, name: string): Promise<LoadedTable> {
  const table = await subject.catalog.load(identifier(subject, name));
  if (table === undefined) throw new Error(`Expected table "${name}" to exist`);
  return table;
}

/** The updates that append a snapshot to a branch as it is in `table`. */
export function appendTo(
  { metadata }: LoadedTable,
  snapshotId: bigint,
  { branch = 'main', schemaId = 0, ...retention }: { branch?: string; schemaId?: number } & RefRetention = {},
): readonly TableUpdate[] {
  const parent = refs(metadata)[branch]?.['snapshot-id'];
  return [
    {
      action: 'add-snapshot',
      snapshot: {
        'snapshot-id': snapshotId,
        ...(parent !== undefined && { 'parent-snapshot-id': BigInt(parent) }),
        'sequence-number': BigInt(metadata['last-sequence-number'] as number) + 1n,
        'timestamp-ms': BigInt(metadata['last-updated-ms'] as number) + 1n,
        'manifest-list': `${metadata['location']}/metadata/snap-${snapshotId}.avro`,
        summary: { operation: 'append', 'added-data-files': '1' },
        'schema-id': schemaId,
      },
    },
    {
      action: 'set-snapshot-ref',
      'ref-name': branch,
      type: 'branch',
      'snapshot-id': snapshotId,
      ...retention,
    },
  ];
}

export function refs(
  metadata: LoadedTable['metadata'],
): Readonly<Record<string, Readonly<Record<string, number | bigint>>>> {
  return (metadata['refs'] ?? {}) as Readonly<Record<string, Readonly<Record<string, number | bigint>>>>;
}
