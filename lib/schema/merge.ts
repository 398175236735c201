import { RegistrarError } from '../errors.ts';
import {
  followSchema,
  type NameMapping,
  nameMappingProperty,
  parseNameMapping,
} from '../spec/name-mapping.ts';
import type { PartitionField } from '../spec/partition-spec.ts';
import type { Schema } from '../spec/schema.ts';
import { formatIdentifier } from '../spec/table-identifier.ts';
import type { TableState } from '../spec/table-state.ts';
import type { TableUpdate } from '../spec/table-update.ts';
import { fieldIdsByName, withIds } from './column-ids.ts';
import { followRenames } from './column-properties.ts';
import { type Columns, columnsOf, fullName, pathOf, schemaOf } from './columns.ts';
import {
  type DatasetSchema,
  datasetSchemaProperty,
  fingerprint,
  readDatasetSchema,
  unknownDataset,
  withFollowed,
  writeDatasetSchema,
} from './dataset-schema.ts';
import { fit } from './fit.ts';
import { type Followed, follow, type Merged } from './follow.ts';
import { nameViolations } from './names.ts';
import { type SchemaChange, schemaChanges } from './schema-change.ts';
import { schemaUpdates } from './schema-updates.ts';
import { inUploadOrder, type Upload } from './upload-order.ts';
import { schemaMismatch, type Violation } from './violation.ts';

/** What the merge asks of a segment. */
export interface SegmentSchema extends Upload {
  readonly schema: Schema;
  /** `names`: the file has no field IDs, those of `schema` are provisional. */
  readonly idsFrom: 'file' | 'names';
  /** IDs of columns without a null in any row group, where the column around them is there (cases.md A30). */
  readonly provenNonNull: ReadonlySet<number>;
}

export interface MergeOptions {
  readonly fieldIds: 'checked' | 'stable' | 'by_name';
  readonly caseSensitiveNames: boolean;
}

export interface SchemaMerge {
  /** The table's schema after the merge; its `schema-id` is the one that the server will assign. */
  readonly schema: Schema;
  /** What makes it so, dataset schema, name mapping and column properties included; empty when nothing changes. */
  readonly updates: readonly TableUpdate[];
  readonly changes: readonly SchemaChange[];
  /** By segment URI, all violations in one error: `sink.iceberg_schema_mismatch`. Refused segments contribute nothing. */
  readonly refused: ReadonlyMap<string, RegistrarError>;
  /** Of accepted segments whose IDs come from names: final IDs by provisional ones. */
  readonly fieldIdsOf: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/**
 * Merges the schemas of a batch into the table's, by field ID, in the order of their upload: docs/schema-evolution.md has
 * the rules. The dataset's own schema, kept in a table property, tells its changes from those made by SQL.
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

/** What of a table and its configuration bears on every segment of a merge. */
interface TableRules {
  readonly lastColumnId: number;
  readonly pastColumns: () => Columns;
  readonly identifierIds: readonly number[];
  readonly partitionFields: readonly PartitionField[];
  readonly partitionSourceIds: ReadonlySet<number>;
  readonly mapping: NameMapping | undefined;
  readonly caseSensitiveNames: boolean;
  readonly namesMayMove: boolean;
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

/** Columns of any schema that data may have been written with: none before the first snapshot. */
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
      `Cannot read the table property ${nameMappingProperty} "${text.slice(0, 80)}": it is no name mapping; correct or remove it`,
      { cause },
    );
  }
}

interface SegmentMerge {
  readonly merged: Merged;
  readonly violations: readonly Violation[];
  readonly absent: readonly SchemaChange[];
  readonly fieldIds: ReadonlyMap<number, number> | undefined;
}

function mergeSegment(segment: SegmentSchema, before: Merged, table: TableRules): SegmentMerge {
  const { columns, provenNonNull, fieldIds, twice } = underFinalIds(segment, before, table);
  const schema = fingerprint(columns);
  const isFollowed = before.dataset.followed.includes(schema);
  const followed: Followed = isFollowed
    ? { ...before, violations: [], refused: new Set() }
    : follow(columns, before, {
        firstContact: before.dataset.followed.length === 0,
        byName: fieldIds !== undefined,
        pastColumns: table.pastColumns,
        uploadedMs: segment.lastModifiedMs,
      });
  const fitted = fit(columns, followed.table, {
    identifierIds: table.identifierIds,
    partitionSourceIds: table.partitionSourceIds,
    provenNonNull,
    refused: followed.refused,
  });
  const names = isFollowed
    ? []
    : nameViolations(fitted.table, { table: before.table, dataset: before.dataset.columns }, table);

  const newlyAbsent = absentColumns(columns, fitted.table).filter(
    (id) => !before.dataset.dropped.includes(id),
  );
  let dataset = followed.dataset;
  if (!isFollowed) dataset = withFollowed(dataset, schema);
  if (newlyAbsent.length > 0) dataset = { ...dataset, dropped: [...dataset.dropped, ...newlyAbsent] };
  return {
    merged: { table: fitted.table, dataset },
    violations: [...twice, ...followed.violations, ...fitted.violations, ...names],
    absent: newlyAbsent.map((fieldId) => ({ kind: 'absent', fieldId, path: nameOf(columns, fieldId) })),
    fieldIds,
  };
}

interface IdentifiedSegment {
  readonly columns: Columns;
  readonly provenNonNull: ReadonlySet<number>;
  /** Final IDs by provisional ones, when they come from names. */
  readonly fieldIds: ReadonlyMap<number, number> | undefined;
  /** Columns whose names are aliases of one column. */
  readonly twice: readonly Violation[];
}

function underFinalIds(segment: SegmentSchema, before: Merged, table: TableRules): IdentifiedSegment {
  const columns = columnsOf(segment.schema);
  const { provenNonNull } = segment;
  if (segment.idsFrom === 'file') return { columns, provenNonNull, fieldIds: undefined, twice: [] };
  const fieldIds = fieldIdsByName(segment.schema, table.mapping ?? [], before, table.lastColumnId);
  const sharing = Map.groupBy(columns.values(), ({ id }) => fieldIds.get(id) ?? id);
  return {
    columns: withIds(columns, fieldIds),
    provenNonNull: new Set(provenNonNull.values().map((id) => fieldIds.get(id) ?? id)),
    fieldIds,
    twice: [...sharing].flatMap(([fieldId, [column, other]]) => {
      if (column === undefined || other === undefined) return [];
      const path = pathOf(columns, column);
      return {
        path,
        fieldId,
        problem: `the name mapping takes it and "${fullName(columns, other)}" for one column; write one of them`,
      };
    }),
  };
}

/** The outermost columns of a segment that the table does not have. */
function absentColumns(columns: Columns, table: Columns): readonly number[] {
  return [...columns.values()]
    .filter(({ id, parentId }) => !table.has(id) && (parentId === undefined || table.has(parentId)))
    .map(({ id }) => id);
}

function nameOf(columns: Columns, id: number): string {
  const column = columns.get(id);
  return column === undefined ? '' : fullName(columns, column);
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
