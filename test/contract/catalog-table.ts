import { randomUUID } from 'node:crypto';
import type { Catalog, LoadedTable } from '../../lib/ports.ts';
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

export function identifier({ namespace }: CatalogSubject, name: string): TableIdentifier {
  return { namespace, name };
}

/** A table of that name, made by one commit and without a snapshot. */
export async function newTable(subject: CatalogSubject, name: string): Promise<LoadedTable> {
  const result = await subject.catalog.commit(
    identifier(subject, name),
    creation(`${subject.location}/${name}`),
  );
  if (result.outcome !== 'landed') throw new Error(`Expected table "${name}" to be made: ${result.message}`);
  return result.table;
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
