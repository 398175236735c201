import { assertions } from '../../lib/commit/assertions.ts';
import { type MergeOptions, mergeSchemas, type SchemaMerge } from '../../lib/schema/merge.ts';
import { creationCommit, newTable } from '../../lib/schema/new-table.ts';
import { schemaUpdates } from '../../lib/schema/schema-updates.ts';
import type { SegmentSchema } from '../../lib/schema/segment-schema.ts';
import { parseJson, stringifyJson } from '../../lib/spec/json.ts';
import type { JsonObject } from '../../lib/spec/json-object.ts';
import type { NestedField, Schema, Type } from '../../lib/spec/schema.ts';
import { readTableMetadata } from '../../lib/spec/table-metadata.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import type { TableCommit, TableUpdate } from '../../lib/spec/table-update.ts';
import { applyCommit, applyCreation } from '../../local/catalog/commit.ts';
import type { TableMetadata } from '../../local/catalog/table-metadata.ts';

export const identifier = { namespace: ['lake'], name: 'orders' };

/** An optional column. */
export function column(id: number, name: string, type: Type, more: Partial<NestedField> = {}): NestedField {
  return { id, name, required: false, type, ...more };
}

export function required(id: number, name: string, type: Type): NestedField {
  return column(id, name, type, { required: true });
}

export function struct(...fields: readonly NestedField[]): Schema {
  return { type: 'struct', fields };
}

export function list(elementId: number, element: Type): Type {
  return { type: 'list', 'element-id': elementId, element, 'element-required': false };
}

export function map(keyId: number, key: Type, valueId: number, value: Type): Type {
  return { type: 'map', 'key-id': keyId, key, 'value-id': valueId, value, 'value-required': false };
}

let uploads = 0;

/** A segment with these columns, uploaded after every earlier one unless said otherwise. */
export function segment(fields: readonly NestedField[], more: Partial<SegmentSchema> = {}): SegmentSchema {
  uploads += 1;
  return {
    uri: `s3://lake/orders/${uploads}.parquet`,
    schema: struct(...fields),
    idsFrom: 'file',
    provenNonNull: new Set(),
    lastModifiedMs: uploads * 1000,
    ...more,
  };
}

/** A table as a catalog keeps it: what registrars and others commit to it obeys the rules of Iceberg. */
export interface EvolvingTable {
  readonly state: () => TableState;
  /** Merges and commits, a snapshot with it. */
  readonly register: (segments: readonly SegmentSchema[], options?: Partial<MergeOptions>) => SchemaMerge;
  /** What somebody else does. */
  readonly commit: (...updates: readonly TableUpdate[]) => void;
  /** Another engine's ALTER TABLE: the columns as they are afterwards. */
  readonly alter: (fields: readonly NestedField[], more?: Partial<Schema>) => void;
}

export interface TableOptions {
  readonly properties?: Readonly<Record<string, string>>;
  readonly identifierIds?: readonly number[];
  readonly partitionFields?: readonly JsonObject[];
  readonly formatVersion?: 2 | 3;
  /** The table never had a snapshot. */
  readonly empty?: boolean;
}

/** A table that no registrar has touched. */
export function evolvingTable(
  fields: readonly NestedField[],
  {
    properties = {},
    identifierIds,
    partitionFields = [],
    formatVersion = 2,
    empty = false,
  }: TableOptions = {},
): EvolvingTable {
  const schema = {
    ...struct(...fields),
    'schema-id': 0,
    ...(identifierIds && { 'identifier-field-ids': identifierIds }),
  };
  const table = onMetadata(
    creation([
      { action: 'upgrade-format-version', 'format-version': formatVersion },
      { action: 'add-schema', schema },
      { action: 'set-current-schema', 'schema-id': -1 },
      { action: 'add-spec', spec: { 'spec-id': 0, fields: partitionFields } },
      { action: 'set-default-spec', 'spec-id': -1 },
      { action: 'add-sort-order', 'sort-order': { 'order-id': 0, fields: [] } },
      { action: 'set-default-sort-order', 'sort-order-id': -1 },
      { action: 'set-location', location: 's3://lake/orders' },
      { action: 'set-properties', updates: properties },
    ]),
  );
  if (!empty) table.append(0);
  return table;
}

/** A table that a registrar made from this segment. */
export function createdTable(first: SegmentSchema): EvolvingTable {
  const settings = {
    location: 's3://lake/orders',
    format_version: 2,
    partition_by: [],
    table_properties: {},
    case_sensitive_names: false,
  } as const;
  const table = { ...newTable(identifier, first, settings, 'uuid'), location: settings.location };
  return onMetadata(creation(creationCommit(table).updates));
}

function creation(updates: readonly object[]): TableMetadata {
  return applyCreation(throughJson({ requirements: [], updates }), {
    nowMs: 0,
    uuid: 'f1b34a5e-0000-4000-8000-000000000001',
  });
}

function onMetadata(created: TableMetadata): EvolvingTable & { readonly append: (schemaId: number) => void } {
  let metadata = created;
  let snapshotId = 0n;

  const state = () =>
    readTableMetadata(identifier, {
      metadataLocation: undefined,
      metadata: metadata as JsonObject,
    });
  const apply = (commit: TableCommit): void => {
    metadata = applyCommit(metadata, throughJson(commit), { nowMs: 0, previousLocation: undefined });
  };
  const appending = (schemaId: number): readonly TableUpdate[] => {
    const parent = state().refs['main']?.snapshotId;
    snapshotId += 1n;
    return [
      {
        action: 'add-snapshot',
        snapshot: {
          'snapshot-id': snapshotId,
          ...(parent !== undefined && { 'parent-snapshot-id': parent }),
          'sequence-number': state().lastSequenceNumber + 1n,
          'timestamp-ms': 0n,
          'manifest-list': `s3://lake/orders/metadata/snap-${snapshotId}.avro`,
          summary: { operation: 'append' },
          'schema-id': schemaId,
          ...(state().formatVersion === 3 && { 'first-row-id': state().nextRowId ?? 0n, 'added-rows': 1n }),
        },
      },
      { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': snapshotId },
    ];
  };
  return {
    state,
    append: (schemaId) => apply({ requirements: [], updates: appending(schemaId) }),
    commit: (...updates) => apply({ requirements: [], updates }),
    alter(columns, more) {
      const changed = { ...state().currentSchema, ...struct(...columns), ...more };
      apply({ requirements: [], updates: schemaUpdates(state(), changed).updates });
    },
    register(segments, options) {
      const before = state();
      const merge = mergeSchemas(before, segments, {
        fieldIds: 'checked',
        caseSensitiveNames: false,
        ...options,
      });
      if (merge.refused.size < segments.length) {
        const updates = [...merge.updates, ...appending(merge.schema['schema-id'] ?? 0)];
        apply({ requirements: assertions(before, 'main', updates), updates });
      }
      return merge;
    },
  };
}

function throughJson(value: object): JsonObject {
  return parseJson(stringifyJson(value)) as JsonObject;
}

/** The messages of refused segments, without the lines that say which segment and table. */
export function complaints(merge: SchemaMerge): readonly string[] {
  return [...merge.refused.values()].flatMap(({ message }) => message.split('\n').slice(1));
}
