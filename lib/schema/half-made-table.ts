import { RegistrarError } from '../errors.ts';
import { followSchema, nameMappingProperty } from '../spec/name-mapping.ts';
import { withoutEndSlashes } from '../spec/object-uri.ts';
import { FIRST_PARTITION_FIELD_ID } from '../spec/partition-spec.ts';
import { canonicalPrimitive } from '../spec/primitive-type.ts';
import { formatIdentifier } from '../spec/table-identifier.ts';
import type { TableState } from '../spec/table-state.ts';
import type { TableCommit, TableUpdate } from '../spec/table-update.ts';
import { type Columns, columnsOf, fullName, schemaOf } from './columns.ts';
import {
  type DatasetSchema,
  datasetSchemaProperty,
  readDatasetSchema,
  writeDatasetSchema,
} from './dataset-schema.ts';
import type { NewTableSettings } from './new-table.ts';
import { partitionSpec } from './partition-by.ts';
import { schemaUpdates } from './schema-updates.ts';

/**
 * Whether a registrar started to create a table and did not finish: it carries a dataset schema, never had a snapshot, and
 * either none of its schemas has the dataset's field IDs (the catalog assigned its own) or it is at another location.
 */
export function isHalfMade(state: TableState, location: string | undefined): boolean {
  return differences(state, location).length > 0;
}

/** How a table without snapshots differs from its dataset schema and `location`, in words. */
export function differences(state: TableState, location: string | undefined): readonly string[] {
  const dataset = state.snapshots.size > 0 ? undefined : readDatasetSchema(state.properties);
  if (dataset === undefined) return [];
  const byId = state.schemas.map((schema) => columnDifferences(dataset.columns, columnsOf(schema)));
  const hadItsIds = byId.some((some) => some.length === 0);
  return [
    ...(liesAt(state, location) ? [] : [locationDiffers(state, location)]),
    ...(hadItsIds ? [] : columnDifferences(dataset.columns, columnsOf(state.currentSchema))),
  ];
}

function liesAt(state: TableState, location: string | undefined): boolean {
  return location === undefined || state.location === withoutEndSlashes(location);
}

/**
 * The commit that completes a half-created table.
 *
 * @throws `catalog.refused` for a table at another location, since no commit moves it
 */
export function finishingCommit(
  state: TableState,
  { location, partition_by }: Pick<NewTableSettings, 'location' | 'partition_by'>,
): TableCommit {
  const dataset = readDatasetSchema(state.properties);
  if (dataset === undefined || !liesAt(state, location)) {
    throw new RegistrarError(
      'catalog.refused',
      `Cannot finish table "${formatIdentifier(state.identifier)}": ${locationDiffers(state, location)}; set table_location to where it is, or to "catalog" where the catalog chooses, or drop it without purging its files`,
    );
  }
  const { schema, updates } = schemaUpdates(state, schemaOf(dataset.columns, { type: 'struct', fields: [] }));
  const properties = {
    [datasetSchemaProperty]: writeDatasetSchema({ ...dataset, firstSchemaId: schema['schema-id'] ?? 0 }),
    ...(nameMappingProperty in state.properties && {
      [nameMappingProperty]: JSON.stringify(followSchema([], schema)),
    }),
  };
  return {
    requirements: [
      { type: 'assert-table-uuid', uuid: state.uuid },
      { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null },
      { type: 'assert-current-schema-id', 'current-schema-id': state.currentSchema['schema-id'] ?? 0 },
      { type: 'assert-last-assigned-field-id', 'last-assigned-field-id': state.lastColumnId },
    ],
    updates: [
      ...updates,
      ...specUpdates(state, partition_by, dataset),
      { action: 'set-properties', updates: properties },
    ],
  };
}

/** Replaces a partition spec that is bound to field IDs that no longer exist, using new partition field IDs. */
function specUpdates(
  state: TableState,
  partitionBy: readonly string[],
  dataset: DatasetSchema,
): readonly TableUpdate[] {
  if (partitionBy.length === 0) return [];
  const used = state.specs.flatMap(({ fields }) => fields.map((field) => field['field-id']));
  const spec = partitionSpec(
    partitionBy,
    dataset.columns,
    Math.max(FIRST_PARTITION_FIELD_ID - 1, ...used) + 1,
  );
  const specId = Math.max(...state.specs.map((other) => other['spec-id'])) + 1;
  return [
    { action: 'add-spec', spec: { ...spec, 'spec-id': specId } },
    { action: 'set-default-spec', 'spec-id': -1 },
  ];
}

function locationDiffers(state: TableState, location: string | undefined): string {
  return `its location is "${state.location}", not "${location}"`;
}

function columnDifferences(wanted: Columns, actual: Columns): readonly string[] {
  const described = (columns: Columns, id: number): string => {
    const column = columns.get(id);
    return column === undefined
      ? 'absent'
      : `"${fullName(columns, column)}" ${canonicalPrimitive(column.type)}`;
  };
  return [...new Set([...wanted.keys(), ...actual.keys()])]
    .filter((id) => described(wanted, id) !== described(actual, id))
    .map((id) => `field ID ${id} is ${described(actual, id)}, not ${described(wanted, id)}`);
}
