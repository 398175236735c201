import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../ports.ts';
import type { DataFile } from '../spec/manifest.ts';
import { metadataDirectory } from '../spec/metadata-directory.ts';
import type { PartitionSpec } from '../spec/partition-spec.ts';
import type { Schema } from '../spec/schema.ts';
import type { TableState } from '../spec/table-state.ts';
import { syncMarker } from './avro/object-container.ts';
import { encodeManifest } from './manifest.ts';
import type { ListedManifest } from './manifest-file-type.ts';
import { summarisePartitions } from './partition-summary.ts';
import { resolvePartitionFields } from './transform.ts';

/** A manifest to upload, and its entry for the manifest list, still without sequence numbers. */
export interface PreparedManifest {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly file: ListedManifest;
}

/** The part of an append that outlives a refused commit. */
export interface PreparedAppend {
  readonly snapshotId: bigint;
  /** One manifest per partition spec, or several if one would have too many files. */
  readonly manifests: readonly PreparedManifest[];
  readonly addedFiles: number;
  readonly addedRecords: bigint;
  readonly addedFilesSizeInBytes: bigint;
  readonly changedPartitionCount: number;
  /** Everything about the table that the manifests depend on. */
  readonly writtenFor: {
    readonly uuid: string;
    readonly metadataDirectory: string;
    readonly formatVersion: 1 | 2 | 3;
    readonly schema: Schema;
    readonly specs: readonly PartitionSpec[];
  };
}

/**
 * Encodes the manifests of a batch of data files. This is done once; `stageAppend` is called for every attempt.
 *
 * @param input.schema the schema after the commit, with the `schema-id` that the catalog will assign
 * @param input.uuid names the manifests, so it must never have been used before (I1)
 * @param input.maxFilesPerManifest @default no limit
 * @throws `table.unsupported` for a partition transform that cannot be written
 */
export function prepareAppend(input: {
  readonly state: TableState;
  readonly schema: Schema;
  readonly dataFiles: readonly DataFile[];
  readonly snapshotId: bigint;
  readonly uuid: string;
  readonly maxFilesPerManifest?: number;
}): PreparedAppend {
  const { state, schema, dataFiles, snapshotId, uuid, maxFilesPerManifest = dataFiles.length } = input;
  const directory = metadataDirectory(state);
  const parts = [...Map.groupBy(dataFiles, ({ specId }) => specId)].flatMap(([specId, files]) =>
    chunks(files, maxFilesPerManifest).map((part) => ({ spec: specOf(state, specId), files: part })),
  );
  const manifests = parts.map(({ spec, files }, index): PreparedManifest => {
    const path = `${directory}/${uuid}-m${index}.avro`;
    const partitionFields = resolvePartitionFields(spec, schema);
    if (files.some(({ partition }) => partition.length !== partitionFields.length)) {
      throw new TypeError(`a partition of spec ${spec['spec-id']} has ${partitionFields.length} values`);
    }
    const bytes = encodeManifest({
      formatVersion: state.formatVersion,
      snapshotId,
      schema,
      spec,
      partitionFields,
      dataFiles: files,
      sync: syncMarker(uuid),
    });
    return {
      path,
      bytes,
      file: {
        manifestPath: path,
        manifestLength: BigInt(bytes.length),
        partitionSpecId: spec['spec-id'],
        content: 0,
        sequenceNumber: 0n,
        minSequenceNumber: 0n,
        addedSnapshotId: snapshotId,
        addedFilesCount: files.length,
        existingFilesCount: 0,
        deletedFilesCount: 0,
        addedRowsCount: sum(files, 'recordCount'),
        existingRowsCount: 0n,
        deletedRowsCount: 0n,
        partitions: summarisePartitions(
          partitionFields,
          files.map(({ partition }) => partition),
        ),
      },
    };
  });
  return {
    snapshotId,
    manifests,
    addedFiles: dataFiles.length,
    addedRecords: sum(dataFiles, 'recordCount'),
    addedFilesSizeInBytes: sum(dataFiles, 'fileSizeInBytes'),
    changedPartitionCount: new Set(dataFiles.map(partitionKey)).size,
    writtenFor: {
      uuid: state.uuid,
      metadataDirectory: directory,
      formatVersion: state.formatVersion,
      schema,
      specs: [...new Set(parts.map(({ spec }) => spec))],
    },
  };
}

/** A new snapshot ID, made as in Java: both halves of a random UUID folded into 63 bits. */
export function newSnapshotId(random: Pick<Random, 'uuid'>): bigint {
  const bits = BigInt(`0x${random.uuid().replaceAll('-', '')}`);
  return BigInt.asUintN(63, (bits >> 64n) ^ bits);
}

/** Whether the prepared manifests may be staged on this state. If not, manifests and snapshot ID have to be new. */
export function isPreparedFor(prepared: PreparedAppend, state: TableState, schema: Schema): boolean {
  const { writtenFor } = prepared;
  return (
    writtenFor.uuid === state.uuid &&
    writtenFor.metadataDirectory === metadataDirectory(state) &&
    writtenFor.formatVersion === state.formatVersion &&
    isDeepStrictEqual(writtenFor.schema, schema) &&
    writtenFor.specs.every((spec) => state.specs.some((known) => isDeepStrictEqual(known, spec)))
  );
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

function specOf(state: TableState, specId: number): PartitionSpec {
  const spec = state.specs.find((known) => known['spec-id'] === specId);
  if (spec === undefined) throw new TypeError(`the table has no partition spec ${specId}`);
  return spec;
}

/** Two tuples of one spec are equal if their bytes are equal. */
function partitionKey({ specId, partition }: DataFile): string {
  const values = partition.map((value) => (value === null ? 'null' : Buffer.from(value).toString('hex')));
  return [specId, ...values].join('/');
}

function sum(files: readonly DataFile[], count: 'recordCount' | 'fileSizeInBytes'): bigint {
  return files.reduce((total, file) => total + file[count], 0n);
}
