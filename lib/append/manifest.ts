import { RegistrarError } from '../errors.ts';
import { stringifyJson } from '../spec/json.ts';
import type { DataFile, ManifestEntry } from '../spec/manifest.ts';
import type { PartitionSpec } from '../spec/partition-spec.ts';
import type { Schema } from '../spec/schema.ts';
import { manifestEntryType } from './manifest-entry-type.ts';
import { CODEC, encodeBlocks, readContainer, records, writeContainer } from './object-container.ts';
import { type Columns, type Row, rowReader } from './row-reader.ts';
import type { ResolvedPartitionField } from './transform.ts';

/** A manifest of added data files, all of one spec (spec, "Manifests"): the bytes to upload. */
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
    {
      schema: stringifyJson(schema),
      'schema-id': String(schema['schema-id'] ?? 0),
      'partition-spec': stringifyJson(spec.fields),
      'partition-spec-id': String(spec['spec-id']),
      'format-version': String(formatVersion),
      ...(formatVersion > 1 && { content: 'data' }),
    },
    options.sync,
  );
}

/**
 * The entries of a manifest, whoever wrote it, decoded block by block.
 *
 * @throws `table.unsupported`, also while iterating, when these bytes are no whole manifest
 */
export function* readManifestEntries(bytes: Uint8Array, path: string): Generator<ManifestEntry> {
  try {
    for (const row of records(readContainer(bytes), (shape) => rowReader(shape, ENTRY_COLUMNS))) {
      yield manifestEntry(row);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RegistrarError('table.unsupported', `Cannot read manifest "${path}": ${reason}`, { cause });
  }
}

const ENTRY_COLUMNS = {
  status: { id: 0, as: 'int' },
  snapshotId: { id: 1, as: 'long' },
  filePath: { id: 100, as: 'string' },
  recordCount: { id: 103, as: 'long' },
  fileSizeInBytes: { id: 104, as: 'long' },
} as const satisfies Columns;

const STATUSES = ['existing', 'added', 'deleted'] as const;

function manifestEntry(row: Row<typeof ENTRY_COLUMNS>): ManifestEntry {
  const { snapshotId, filePath, recordCount, fileSizeInBytes } = row;
  const status = STATUSES[row.status ?? -1];
  if (
    status === undefined ||
    filePath === undefined ||
    recordCount === undefined ||
    fileSizeInBytes === undefined
  ) {
    throw new TypeError('an entry lacks field 0, 100, 103 or 104');
  }
  return { status, snapshotId, filePath, recordCount, fileSizeInBytes };
}
