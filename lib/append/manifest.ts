import { messageOf, RegistrarError } from '../errors.ts';
import { onceFor } from '../memo.ts';
import { stringifyJson } from '../spec/json.ts';
import type { DataFile, ManifestEntry, Metrics } from '../spec/manifest.ts';
import type { PartitionSpec } from '../spec/partition-spec.ts';
import type { Schema } from '../spec/schema.ts';
import { CODEC, encodeBlocks, readContainer, records, writeContainer } from './avro/object-container.ts';
import { type Columns, type Row, rowReader } from './avro/row-reader.ts';
import { vectorOf } from './explicit-entries.ts';
import { manifestEntryType } from './manifest-entry-type.ts';
import type { ResolvedPartitionField } from './transform.ts';

/** Encodes a manifest of added data files, all of one partition spec (spec, "Manifests"). */
export function encodeManifest(options: {
  readonly formatVersion: 1 | 2 | 3;
  readonly snapshotId: bigint;
  readonly schema: Schema;
  readonly spec: PartitionSpec;
  readonly partitionFields: readonly ResolvedPartitionField[];
  readonly dataFiles: readonly DataFile[];
  readonly sync: Uint8Array;
}): Buffer {
  const { formatVersion, schema, spec } = options;
  const type = manifestEntryType(formatVersion, options.snapshotId, options.partitionFields);
  return writeContainer(
    { schema: JSON.stringify(type.schema), codec: CODEC, blocks: encodeBlocks(type, options.dataFiles) },
    manifestHeader(formatVersion, schema, spec),
    options.sync,
  );
}

/** The header of a manifest of data files (spec, "Manifests"). */
export function manifestHeader(
  formatVersion: 1 | 2 | 3,
  schema: Schema,
  spec: PartitionSpec,
): Readonly<Record<string, string>> {
  return {
    schema: jsonOf(schema),
    'schema-id': String(schema['schema-id'] ?? 0),
    'partition-spec': jsonOf(spec.fields),
    'partition-spec-id': String(spec['spec-id']),
    'format-version': String(formatVersion),
    ...(formatVersion > 1 && { content: 'data' }),
  };
}

/** Remembered, because schema and spec are the same objects from commit to commit. */
const jsonOf = onceFor((value: object) => stringifyJson(value));

/**
 * Reads the entries of a manifest of any writer, block by block.
 *
 * @throws `table.unsupported`, also while iterating, if the bytes are not a complete manifest
 */
export function* readManifestEntries(bytes: Uint8Array, path: string): Generator<ManifestEntry> {
  for (const row of rowsOf(bytes, path, ENTRY_COLUMNS)) yield manifestEntry(row, path);
}

/** The metrics of one data file; undefined if the manifest does not have the file. @throws `table.unsupported` as above */
export function readEntryMetrics(bytes: Uint8Array, path: string, filePath: string): Metrics | undefined {
  for (const row of rowsOf(bytes, path, METRICS_COLUMNS)) if (row.filePath === filePath) return metrics(row);
  return undefined;
}

/** The data files of which a manifest has live deletion vectors. @throws `table.unsupported` as above */
export function* readVectors(bytes: Uint8Array, path: string): Generator<string> {
  for (const row of rowsOf(bytes, path, VECTOR_COLUMNS)) {
    const dataFile = STATUSES[row.status ?? -1] === 'deleted' ? undefined : vectorOf(row);
    if (dataFile !== undefined) yield dataFile;
  }
}

const VECTOR_COLUMNS = {
  status: { id: 0, as: 'int' },
  fileFormat: { id: 101, as: 'string' },
  referencedDataFile: { id: 143, as: 'string' },
} as const satisfies Columns;

function* rowsOf<C extends Columns>(bytes: Uint8Array, path: string, columns: C): Generator<Row<C>> {
  try {
    yield* records(readContainer(bytes), (shape) => rowReader(shape, columns));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

const ENTRY_COLUMNS = {
  status: { id: 0, as: 'int' },
  snapshotId: { id: 1, as: 'long' },
  filePath: { id: 100, as: 'string' },
  recordCount: { id: 103, as: 'long' },
  fileSizeInBytes: { id: 104, as: 'long' },
} as const satisfies Columns;

/** Iceberg writes a map by column ID as an array of pairs (spec, Appendix A). */
function pairs<K extends number, V extends number, A extends 'long' | 'bytes'>(key: K, value: V, as: A) {
  return { key: { id: key, as: 'int' }, value: { id: value, as } } as const;
}

const METRICS_COLUMNS = {
  filePath: { id: 100, as: 'string' },
  recordCount: { id: 103, as: 'long' },
  columnSizes: { id: 108, each: pairs(117, 118, 'long') },
  valueCounts: { id: 109, each: pairs(119, 120, 'long') },
  nullValueCounts: { id: 110, each: pairs(121, 122, 'long') },
  lowerBounds: { id: 125, each: pairs(126, 127, 'bytes') },
  upperBounds: { id: 128, each: pairs(129, 130, 'bytes') },
} as const satisfies Columns;

function metrics(row: Row<typeof METRICS_COLUMNS>): Metrics {
  return {
    recordCount: row.recordCount ?? 0n,
    columnSizes: byColumn(row.columnSizes),
    valueCounts: byColumn(row.valueCounts),
    nullValueCounts: byColumn(row.nullValueCounts),
    lowerBounds: byColumn(row.lowerBounds),
    upperBounds: byColumn(row.upperBounds),
    splitOffsets: [],
  };
}

function byColumn<V>(
  entries: readonly { readonly key?: number; readonly value?: V }[] | undefined,
): ReadonlyMap<number, V> {
  const map = new Map<number, V>();
  for (const { key, value } of entries ?? []) {
    if (key !== undefined && value !== undefined) map.set(key, value);
  }
  return map;
}

const STATUSES = ['existing', 'added', 'deleted'] as const;

function manifestEntry(row: Row<typeof ENTRY_COLUMNS>, path: string): ManifestEntry {
  const { snapshotId, filePath, recordCount, fileSizeInBytes } = row;
  const status = STATUSES[row.status ?? -1];
  if (
    status === undefined ||
    filePath === undefined ||
    recordCount === undefined ||
    fileSizeInBytes === undefined
  ) {
    throw unreadable(path, new TypeError('an entry lacks field 0, 100, 103 or 104'));
  }
  return { manifestPath: path, status, snapshotId, filePath, recordCount, fileSizeInBytes };
}

function unreadable(path: string, cause: unknown): RegistrarError {
  return new RegistrarError('table.unsupported', `Cannot read manifest "${path}": ${messageOf(cause)}`, {
    cause,
  });
}
