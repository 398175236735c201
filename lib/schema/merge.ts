import { RegistrarError } from '../errors.ts';
import {
  followSchema,
  type NameMapping,
  nameMappingProperty,
  parseNameMapping,
} from '../spec/name-mapping.ts';
import type { Schema } from '../spec/schema.ts';
import { formatIdentifier } from '../spec/table-identifier.ts';
import type { TableState } from '../spec/table-state.ts';
import type { TableUpdate } from '../spec/table-update.ts';
import { followRenames } from './column-properties.ts';
import { type Columns, columnsOf, schemaOf } from './columns.ts';
import {
  type DatasetSchema,
  datasetSchemaProperty,
  readDatasetSchema,
  unknownDataset,
  writeDatasetSchema,
} from './dataset-schema.ts';
import type { Merged } from './follow.ts';
import { mergeSegment, type TableRules } from './merge-segment.ts';
import { type SchemaChange, schemaChanges } from './schema-change.ts';
import { schemaUpdates } from './schema-updates.ts';
import type { SegmentSchema } from './segment-schema.ts';
import { inUploadOrder } from './upload-order.ts';
import { schemaMismatch } from './violation.ts';

export interface MergeOptions {
  readonly fieldIds: 'checked' | 'stable' | 'by_name';
  readonly caseSensitiveNames: boolean;
}

export interface SchemaMerge {
  /** The table's schema after the merge; its `schema-id` is the one that the server will assign. */
  readonly schema: Schema;
  /** The updates that lead to it, including dataset schema, name mapping and column properties; empty when nothing changes. */
  readonly updates: readonly TableUpdate[];
  readonly changes: readonly SchemaChange[];
  /** Refused segments by URI, all violations of each in one error (`sink.iceberg_schema_mismatch`). They contribute nothing. */
  readonly refused: ReadonlyMap<string, RegistrarError>;
  /** For accepted segments whose IDs come from names: final IDs by provisional ones. */
  readonly fieldIdsOf: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/**
 * Merges the schemas of a batch into the table's, by field ID, in the order of upload; docs/schema-evolution.md has the rules.
 * The dataset's own schema, kept in a table property, distinguishes its changes from those made by SQL.
 *
 * @throws `table.unsupported` when the dataset schema or the name mapping of the table cannot be read
 */
export function mergeSchemas(
  state: TableState,
  segments: readonly SegmentSchema[],
  options: MergeOptions,
): SchemaMerge {
  const stored = readDatasetSchema(state.properties) ?? unknownDataset;
  const table = tableRules(state, stored, options);
  const before = columnsOf(state.currentSchema);
  let merged: Merged = { table: before, dataset: stored };
  const absent: SchemaChange[] = [];
  const refused = new Map<string, RegistrarError>();
  const fieldIdsOf = new Map<string, ReadonlyMap<number, number>>();

  for (const segment of inUploadOrder(segments)) {
    const outcome = mergeSegment(segment, merged, table);
    if (outcome.violations.length > 0) {
      refused.set(
        segment.uri,
        schemaMismatch(segment.uri, formatIdentifier(state.identifier), outcome.violations),
      );
      continue;
    }
    merged = outcome.merged;
    absent.push(...outcome.absent);
    if (outcome.fieldIds !== undefined) fieldIdsOf.set(segment.uri, outcome.fieldIds);
  }

  const changed = schemaChanges(before, merged.table);
  const evolved =
    changed.length === 0
      ? { schema: state.currentSchema, updates: [] }
      : schemaUpdates(state, schemaOf(merged.table, state.currentSchema));
  const renames = followRenames(state.properties, before, merged.table);
  const mapping =
    fieldIdsOf.size > 0 || (changed.length > 0 && table.mapping !== undefined)
      ? followSchema(table.mapping ?? [], evolved.schema)
      : table.mapping;
  const properties = {
    ...renames.set,
    ...(mapping !== table.mapping && { [nameMappingProperty]: JSON.stringify(mapping) }),
    ...(merged.dataset !== stored && { [datasetSchemaProperty]: writeDatasetSchema(merged.dataset) }),
  };
  return {
    schema: evolved.schema,
    updates: [...evolved.updates, ...propertyUpdates(properties, renames.removed)],
    changes: [...changed, ...absent],
    refused,
    fieldIdsOf,
  };
}

function tableRules(
  state: TableState,
  { firstSchemaId }: DatasetSchema,
  { fieldIds, caseSensitiveNames }: MergeOptions,
): TableRules {
  const mapping = state.properties[nameMappingProperty];
  let pastColumns: Columns | undefined;
  return {
    lastColumnId: state.lastColumnId,
    pastColumns: () => (pastColumns ??= everyColumn(state, firstSchemaId)),
    identifierIds: state.currentSchema['identifier-field-ids'] ?? [],
    partitionFields: state.specs.flatMap((spec) => spec.fields),
    partitionSourceIds: new Set(
      state.defaultSpec.fields
        .filter(({ transform }) => transform === 'identity')
        .map((field) => field['source-id']),
    ),
    mapping: mapping === undefined ? undefined : readMapping(mapping),
    caseSensitiveNames,
    namesMayMove: fieldIds === 'stable',
  };
}

/** Columns of every schema that data may have been written with; none before the first snapshot. */
function everyColumn({ schemas, snapshots }: TableState, firstSchemaId: number): Columns {
  const written = snapshots.size === 0 ? [] : schemas;
  return new Map(
    written
      .filter((schema) => (schema['schema-id'] ?? 0) >= firstSchemaId)
      .flatMap((schema) => [...columnsOf(schema)]),
  );
}

function readMapping(text: string): NameMapping {
  try {
    return parseNameMapping(text);
  } catch (cause) {
    throw new RegistrarError(
      'table.unsupported',
      `Cannot read the table property ${nameMappingProperty} "${text.slice(0, 80)}": it is not a name mapping; correct or remove it`,
      { cause },
    );
  }
}

function propertyUpdates(
  updates: Readonly<Record<string, string>>,
  removals: readonly string[],
): readonly TableUpdate[] {
  return [
    ...(removals.length > 0 ? [{ action: 'remove-properties', removals } as const] : []),
    ...(Object.keys(updates).length > 0 ? [{ action: 'set-properties', updates } as const] : []),
  ];
}
