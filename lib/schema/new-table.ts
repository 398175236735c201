import { metadataDirectory } from '../spec/metadata-directory.ts';
import { followSchema, nameMappingProperty } from '../spec/name-mapping.ts';
import { FIRST_PARTITION_FIELD_ID, type PartitionSpec } from '../spec/partition-spec.ts';
import { highestFieldId, type Schema } from '../spec/schema.ts';
import { formatIdentifier, type TableIdentifier } from '../spec/table-identifier.ts';
import type { TableCommit } from '../spec/table-update.ts';
import { columnsOf, schemaOf } from './columns.ts';
import { datasetSchemaProperty, newDataset, writeDatasetSchema } from './dataset-schema.ts';
import { nameViolations } from './names.ts';
import { partitionSpec } from './partition-by.ts';
import type { SegmentSchema } from './segment-schema.ts';
import { schemaMismatch } from './violation.ts';

export interface NewTableSettings {
  /**
   * Location of the table without a trailing slash: the shipper's directory, or `table_location`; undefined if the catalog
   * chooses it.
   */
  readonly location: string | undefined;
  readonly format_version: 2 | 3;
  readonly partition_by: readonly string[];
  readonly table_properties: Readonly<Record<string, string>>;
  readonly case_sensitive_names: boolean;
}

/** A table to be created with the field IDs of its first segment. */
export interface NewTable {
  readonly uuid: string;
  readonly location: string | undefined;
  readonly formatVersion: 2 | 3;
  readonly schema: Schema;
  readonly spec: PartitionSpec;
  readonly properties: Readonly<Record<string, string>>;
  readonly lastColumnId: number;
}

/**
 * Defaults for a table with many commits: old metadata files are cleaned up, and history is kept for as long as redrives may
 * need it.
 */
const defaultProperties = {
  'write.metadata.delete-after-commit.enabled': 'true',
  'write.metadata.previous-versions-max': '100',
  'history.expire.max-snapshot-age-ms': String(15 * 24 * 60 * 60 * 1000),
};

/** Columns that SQL adds get IDs from here on, far from those that the dataset takes next. */
const LAST_COLUMN_ID = 1_000_000;

/** @throws `sink.iceberg_schema_mismatch`, `sink.iceberg_partition_undetermined` for a segment that cannot begin a table */
export function newTable(
  identifier: TableIdentifier,
  segment: SegmentSchema,
  settings: NewTableSettings,
  uuid: string,
): NewTable {
  const columns = columnsOf(segment.schema);
  const schema = schemaOf(columns, { type: 'struct', 'schema-id': 0, fields: [] });
  const spec = partitionSpec(settings.partition_by, columns);
  const violations = nameViolations(
    columns,
    { table: new Map(), dataset: new Map() },
    {
      caseSensitiveNames: settings.case_sensitive_names,
      namesMayMove: true,
      partitionFields: spec.fields,
      mapping: undefined,
    },
  );
  if (violations.length > 0) throw schemaMismatch(segment.uri, formatIdentifier(identifier), violations);
  const byName = segment.idsFrom === 'names';
  return {
    uuid,
    location: settings.location,
    formatVersion: settings.format_version,
    schema,
    spec,
    properties: {
      ...defaultProperties,
      ...settings.table_properties,
      ...(byName && { [nameMappingProperty]: JSON.stringify(followSchema([], schema)) }),
      [datasetSchemaProperty]: writeDatasetSchema(newDataset(schema, segment.lastModifiedMs)),
    },
    lastColumnId: byName ? highestFieldId(schema) : Math.max(LAST_COLUMN_ID, highestFieldId(schema)),
  };
}

/** A new table whose location is known. */
export type LocatedTable = NewTable & { readonly location: string };

/** The metadata file of a new table (table spec, "Table Metadata Fields"): its URI and its contents. */
export function metadataFile(
  { uuid, location, formatVersion, schema, spec, properties, lastColumnId }: LocatedTable,
  nowMs: number,
): { readonly uri: string; readonly metadata: Readonly<Record<string, unknown>> } {
  return {
    uri: `${metadataDirectory({ location, properties })}/00000-${uuid}.metadata.json`,
    metadata: {
      'format-version': formatVersion,
      'table-uuid': uuid,
      location,
      'last-sequence-number': 0,
      'last-updated-ms': nowMs,
      'last-column-id': lastColumnId,
      'current-schema-id': 0,
      schemas: [schema],
      'default-spec-id': 0,
      'partition-specs': [spec],
      'last-partition-id': FIRST_PARTITION_FIELD_ID - 1 + spec.fields.length,
      'default-sort-order-id': 0,
      'sort-orders': [{ 'order-id': 0, fields: [] }],
      properties,
      // Java writes -1 up to v2 and null since, and takes all of them as none (C15).
      ...(formatVersion < 3 && { 'current-snapshot-id': -1 }),
      ...(formatVersion >= 3 && { 'next-row-id': 0 }),
      refs: {},
      snapshots: [],
      statistics: [],
      'partition-statistics': [],
      'snapshot-log': [],
      'metadata-log': [],
    },
  };
}

/** The commit that creates a table, as Java's client sends it to complete a staged creation. */
export function creationCommit(table: LocatedTable): TableCommit {
  const { uuid, location, formatVersion, schema, spec, properties, lastColumnId } = table;
  return {
    requirements: [{ type: 'assert-create' }],
    updates: [
      { action: 'assign-uuid', uuid },
      { action: 'upgrade-format-version', 'format-version': formatVersion },
      { action: 'add-schema', schema, 'last-column-id': lastColumnId },
      { action: 'set-current-schema', 'schema-id': -1 },
      { action: 'add-spec', spec },
      { action: 'set-default-spec', 'spec-id': -1 },
      { action: 'add-sort-order', 'sort-order': { 'order-id': 0, fields: [] } },
      { action: 'set-default-sort-order', 'sort-order-id': -1 },
      { action: 'set-location', location },
      { action: 'set-properties', updates: properties },
    ],
  };
}
