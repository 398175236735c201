import { isObject, type JsonObject } from '../../lib/spec/json-object.ts';
import type { PartitionSpec } from '../../lib/spec/partition-spec.ts';
import type { Schema } from '../../lib/spec/schema.ts';
import { badRequest } from './catalog-error.ts';
import { type Long, readInt, readLong, readObject, readObjects, readText } from './request-fields.ts';

export type IdentifiedSchema = Schema & { readonly 'schema-id': number };

export interface SnapshotJson extends JsonObject {
  readonly 'snapshot-id': Long;
  readonly 'parent-snapshot-id'?: Long;
  readonly 'sequence-number'?: Long;
  readonly 'timestamp-ms': Long;
}

export interface RefJson extends JsonObject {
  readonly type: 'branch' | 'tag';
  readonly 'snapshot-id': Long;
}

export interface SortOrderJson extends JsonObject {
  readonly 'order-id': number;
  readonly fields: readonly JsonObject[];
}

/**
 * Table metadata as in its file (table spec, "Table Metadata Fields"), for every version in the form of format 2 and later. Unknown
 * attributes are kept.
 */
export interface TableMetadata extends JsonObject {
  readonly 'format-version': number;
  readonly 'table-uuid': string;
  readonly location: string;
  readonly 'last-sequence-number': Long;
  readonly 'last-updated-ms': Long;
  readonly 'last-column-id': number;
  readonly schemas: readonly IdentifiedSchema[];
  readonly 'current-schema-id': number;
  readonly 'partition-specs': readonly PartitionSpec[];
  readonly 'default-spec-id': number;
  readonly 'last-partition-id': number;
  readonly 'sort-orders': readonly SortOrderJson[];
  readonly 'default-sort-order-id': number;
  readonly properties: Readonly<Record<string, string>>;
  /** Without a current snapshot: -1 before format 3, null since. */
  readonly 'current-snapshot-id': Long | null;
  readonly snapshots: readonly SnapshotJson[];
  readonly 'snapshot-log': readonly { readonly 'timestamp-ms': Long; readonly 'snapshot-id': Long }[];
  readonly 'metadata-log': readonly { readonly 'timestamp-ms': Long; readonly 'metadata-file': string }[];
  readonly refs: Readonly<Record<string, RefJson>>;
  /** Format 3. */
  readonly 'next-row-id'?: Long;
}

/** The initial metadata of a table, before the updates that create it. */
export function emptyMetadata(formatVersion: number): TableMetadata {
  return {
    'format-version': formatVersion,
    'table-uuid': '',
    location: '',
    'last-sequence-number': 0,
    'last-updated-ms': 0,
    'last-column-id': 0,
    schemas: [],
    'current-schema-id': -1,
    'partition-specs': [],
    'default-spec-id': -1,
    'last-partition-id': 999,
    'sort-orders': [],
    'default-sort-order-id': -1,
    properties: {},
    'current-snapshot-id': noSnapshot(formatVersion),
    snapshots: [],
    'snapshot-log': [],
    'metadata-log': [],
    refs: {},
    ...(formatVersion >= 3 && { 'next-row-id': 0 }),
  };
}

/** Java's value for a table without a current snapshot. */
export function noSnapshot(formatVersion: number): Long | null {
  return formatVersion >= 3 ? null : -1;
}

/** Reads a metadata file of any format version. @throws CatalogError 400 for a missing attribute that the spec requires */
export function readMetadata(json: unknown): TableMetadata {
  if (!isObject(json)) throw badRequest('Cannot parse table metadata: not a JSON object');
  const formatVersion = readInt(json, 'format-version');
  if (formatVersion < 1 || formatVersion > 4) {
    throw badRequest(`Cannot read unsupported version ${formatVersion}: the local catalog reads 1 to 4`);
  }
  const complete = formatVersion === 1 ? fromVersion1(json) : json;
  for (const name of ['table-uuid', 'location']) readText(complete, name);
  for (const name of [
    'last-column-id',
    'current-schema-id',
    'default-spec-id',
    'last-partition-id',
    'default-sort-order-id',
  ]) {
    readInt(complete, name);
  }
  for (const name of ['last-sequence-number', 'last-updated-ms']) readLong(complete, name);
  for (const name of ['schemas', 'partition-specs', 'sort-orders']) readObjects(complete, name);
  if (formatVersion >= 3) readLong(complete, 'next-row-id');
  const current = complete['current-snapshot-id'] ?? -1;
  const main = current === -1 ? {} : { main: { 'snapshot-id': current, type: 'branch' } };
  return {
    properties: {},
    snapshots: [],
    'snapshot-log': [],
    'metadata-log': [],
    ...complete,
    refs: { ...main, ...(isObject(complete['refs']) ? complete['refs'] : {}) },
    'current-snapshot-id': current === -1 ? noSnapshot(formatVersion) : current,
  } as unknown as TableMetadata;
}

/** Format 1 has one schema and one spec outside of the lists, and old writers omit the lists. */
function fromVersion1(json: JsonObject): JsonObject {
  const spec = json['partition-spec'] as readonly JsonObject[] | undefined;
  const fields = (spec ?? []).map((field, i) => ({ 'field-id': 1000 + i, ...field }));
  const schemas = json['schemas'] ?? [{ 'schema-id': 0, ...readObject(json, 'schema') }];
  return {
    'current-schema-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields }],
    'default-spec-id': 0,
    'last-partition-id': 999 + fields.length,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
    'last-sequence-number': 0,
    ...json,
    schemas,
  };
}

/** Metadata as in its file. In format 1, the current schema and spec are also outside of the lists. */
export function writableMetadata(metadata: TableMetadata): JsonObject {
  if (metadata['format-version'] > 1) return metadata;
  const spec = metadata['partition-specs'].find((one) => one['spec-id'] === metadata['default-spec-id']);
  return { ...metadata, schema: currentSchema(metadata), 'partition-spec': spec?.fields ?? [] };
}

export function currentSchema(metadata: TableMetadata): IdentifiedSchema | undefined {
  return metadata.schemas.find((schema) => schema['schema-id'] === metadata['current-schema-id']);
}
