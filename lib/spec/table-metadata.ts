import { RegistrarError } from '../errors.ts';
import { onceFor } from '../memo.ts';
import { array, int, type JsonObject, long, object, optional, text, texts } from './json-object.ts';
import { FIRST_PARTITION_FIELD_ID, type PartitionField, type PartitionSpec } from './partition-spec.ts';
import { type NumberedSchema, readSchema } from './schema-json.ts';
import type { Snapshot, SnapshotRef } from './snapshot.ts';
import { readSnapshot, readSnapshotId } from './snapshot-json.ts';
import { formatIdentifier, type TableIdentifier } from './table-identifier.ts';
import { type MetadataText, type ReadMetadata, readMetadataText } from './table-metadata-text.ts';
import type { TableState } from './table-state.ts';

/** The location and contents of a table's metadata as the catalog answers them, also as text if available. */
interface MetadataAnswer {
  readonly metadataLocation: string | undefined;
  readonly metadata: JsonObject;
  readonly metadataText?: MetadataText;
}

/**
 * Reads a table's metadata of format version 1, 2 or 3 as a catalog answers it (spec, "Table Metadata Fields"). Fields that old v1
 * tables lack are filled in (cases.md C22), unknown attributes are ignored, and everything that the code relies on is checked.
 *
 * @param before an earlier state of the same table: parts that the text repeats byte by byte are not parsed again
 * @throws `table.unsupported` for a newer format, an encrypted table, or a v1 table without UUID; `catalog.refused` for malformed
 * metadata
 */
export function readTableMetadata(
  identifier: TableIdentifier,
  loaded: MetadataAnswer,
  before?: TableState,
): TableState {
  const table = formatIdentifier(identifier);
  const { metadataLocation, metadataText } = loaded;
  const read = metadataText && readMetadataText(metadataText, before);
  const { metadata } = read ?? loaded;
  const unsupported = whyUnsupported(metadata);
  if (unsupported !== undefined) {
    throw new RegistrarError('table.unsupported', `Cannot register in table "${table}": ${unsupported}`, {
      context: { table },
    });
  }
  try {
    return {
      identifier,
      metadataLocation,
      ...(metadataText && { metadataBytes: metadataText.span.end - metadataText.span.start }),
      ...readState(metadata, read),
    };
  } catch (cause) {
    // A RangeError is thrown for metadata that is nested too deeply.
    if (!(cause instanceof TypeError || cause instanceof RangeError)) throw cause;
    throw new RegistrarError(
      'catalog.refused',
      `Cannot understand the metadata of table "${table}" that the catalog answers: ${cause.message}`,
      { context: { table }, cause },
    );
  }
}

function whyUnsupported(metadata: JsonObject): string | undefined {
  const version = metadata['format-version'];
  if (typeof version === 'number' && version > 3) {
    return `its format version is ${version}, and 3 is the newest that this version knows`;
  }
  const { 'encryption-keys': keys, properties } = metadata;
  if ((Array.isArray(keys) && keys.length > 0) || Object.hasOwn(properties ?? {}, 'encryption.key-id')) {
    return 'it is encrypted, and the segments are not';
  }
  if (version === 1 && typeof metadata['table-uuid'] !== 'string') {
    return 'it has no "table-uuid" for commits to assert; the next commit of a current Iceberg writer gives it one';
  }
  return undefined;
}

function readState(
  metadata: JsonObject,
  read: ReadMetadata | undefined,
): Omit<TableState, 'identifier' | 'metadataLocation'> {
  const formatVersion = readFormatVersion(metadata);
  const schemas = readSchemas(metadata, formatVersion);
  const specs = readSpecs(metadata, formatVersion);
  const snapshots =
    read?.snapshots ??
    new Map(
      (optional(array, metadata, 'snapshots') ?? [])
        .map(readSnapshot)
        .map((snapshot) => [snapshot.snapshotId, snapshot]),
    );
  return {
    formatVersion,
    uuid: text(metadata, 'table-uuid'),
    location: text(metadata, 'location').replace(/(?<![:/])\/+$/, ''),
    lastSequenceNumber: formatVersion === 1 ? 0n : long(metadata, 'last-sequence-number'),
    lastUpdatedMs: long(metadata, 'last-updated-ms'),
    lastColumnId: int(metadata, 'last-column-id'),
    schemas,
    currentSchema: current(metadata, 'current-schema-id', schemas, 'schema-id'),
    specs,
    defaultSpec: current(metadata, 'default-spec-id', specs, 'spec-id'),
    sortColumnIds: readSortColumns(metadata),
    properties: optional(texts, metadata, 'properties') ?? {},
    snapshots,
    ...(read !== undefined && { historyText: read.historyText }),
    refs: readRefs(metadata, snapshots),
    ...(formatVersion === 3 && { nextRowId: long(metadata, 'next-row-id') }),
  };
}

/** The source columns of the default sort order. Old v1 tables have no sort orders. */
function readSortColumns(metadata: JsonObject): readonly number[] {
  const orders = optional(array, metadata, 'sort-orders') ?? [];
  const defaultId = optional(int, metadata, 'default-sort-order-id') ?? 0;
  const order = orders
    .map((one) => object(one, 'a sort order'))
    .find((one) => int(one, 'order-id') === defaultId);
  const fields = order === undefined ? [] : array(order, 'fields');
  return fields.flatMap((field) => optional(int, object(field, 'a sort field'), 'source-id') ?? []);
}

function readFormatVersion(metadata: JsonObject): 1 | 2 | 3 {
  const version = int(metadata, 'format-version');
  if (version === 1 || version === 2 || version === 3) return version;
  throw new TypeError(`"format-version" is "${version}"`);
}

/** v1 tables may have a single `schema` instead, whose ID is 0. */
function readSchemas(metadata: JsonObject, formatVersion: number): readonly NumberedSchema[] {
  const several = optional(array, metadata, 'schemas');
  if (several === undefined && formatVersion > 1) throw new TypeError('"schemas" is absent');
  return several === undefined ? [readSchema(metadata['schema'])] : schemasOf(several);
}

/** Remembered, because the array is the same object as before if no commit changed it. */
const schemasOf = onceFor((several: readonly unknown[]) => several.map(readSchema));

/** v1 tables may have a single `partition-spec` instead, a list of fields, whose ID is 0. */
function readSpecs(metadata: JsonObject, formatVersion: number): readonly PartitionSpec[] {
  const several = optional(array, metadata, 'partition-specs');
  if (several !== undefined) return specsOf(several);
  if (formatVersion > 1) throw new TypeError('"partition-specs" is absent');
  return [{ 'spec-id': 0, fields: array(metadata, 'partition-spec').map(readPartitionField) }];
}

const specsOf = onceFor((several: readonly unknown[]) =>
  several.map((json): PartitionSpec => {
    const spec = object(json, 'a partition spec');
    return { 'spec-id': int(spec, 'spec-id'), fields: array(spec, 'fields').map(readPartitionField) };
  }),
);

function readPartitionField(json: unknown, index: number): PartitionField {
  const field = object(json, 'a partition field');
  const [firstSource] = optional(array, field, 'source-ids') ?? [];
  return {
    ...(field as unknown as PartitionField),
    'source-id': int({ 'source-id': firstSource, ...field }, 'source-id'),
    'field-id': optional(int, field, 'field-id') ?? FIRST_PARTITION_FIELD_ID + index,
    name: text(field, 'name'),
    transform: text(field, 'transform'),
  };
}

/** In metadata without refs, `current-snapshot-id` is `main`. A ref to a missing snapshot is an error, since it would look like an empty branch. */
function readRefs(
  metadata: JsonObject,
  snapshots: ReadonlyMap<bigint, Snapshot>,
): Readonly<Record<string, SnapshotRef>> {
  const refs: Record<string, SnapshotRef> = {};
  for (const [name, json] of Object.entries(object(metadata['refs'] ?? {}, '"refs"'))) {
    refs[name] = readRef(object(json, `ref "${name}"`));
  }
  const currentId = readSnapshotId(metadata, 'current-snapshot-id');
  if (currentId !== undefined) refs['main'] ??= { type: 'branch', snapshotId: currentId };
  for (const [name, ref] of Object.entries(refs)) {
    if (!snapshots.has(ref.snapshotId)) {
      throw new TypeError(`ref "${name}" is snapshot ${ref.snapshotId}, which is absent`);
    }
  }
  if (currentId !== undefined && refs['main']?.snapshotId !== currentId) {
    throw new TypeError(`"current-snapshot-id" is ${currentId}, but "main" is ${refs['main']?.snapshotId}`);
  }
  return refs;
}

function readRef(ref: JsonObject): SnapshotRef {
  const type = text(ref, 'type');
  if (type !== 'branch' && type !== 'tag') throw new TypeError(`a ref is of type "${type}"`);
  const maxRefAgeMs = optional(long, ref, 'max-ref-age-ms');
  const maxSnapshotAgeMs = optional(long, ref, 'max-snapshot-age-ms');
  const minSnapshotsToKeep = optional(int, ref, 'min-snapshots-to-keep');
  return {
    type,
    snapshotId: long(ref, 'snapshot-id'),
    ...(maxRefAgeMs !== undefined && { 'max-ref-age-ms': maxRefAgeMs }),
    ...(maxSnapshotAgeMs !== undefined && { 'max-snapshot-age-ms': maxSnapshotAgeMs }),
    ...(minSnapshotsToKeep !== undefined && { 'min-snapshots-to-keep': minSnapshotsToKeep }),
  };
}

/** The schema or spec with the current ID. Old v1 tables have only one, and no ID. */
function current<K extends string, T extends Readonly<Record<K, number>>>(
  metadata: JsonObject,
  key: string,
  all: readonly T[],
  idKey: K,
): T {
  const id = optional(int, metadata, key) ?? (all.length === 1 ? all[0]?.[idKey] : undefined);
  const found = all.find((one) => one[idKey] === id);
  if (found === undefined) throw new TypeError(`"${key}" is ${id}, which is absent`);
  return found;
}
