import { messageOf, RegistrarError } from '../errors.ts';
import type { PartitionSpec } from '../spec/partition-spec.ts';
import type { Schema } from '../spec/schema.ts';
import { type AvroShape, avroShape } from './avro/avro-shape.ts';
import {
  CODEC,
  type HeadedContainer,
  packBlocks,
  readContainer,
  shapeOf,
  syncMarker,
  writeContainer,
} from './avro/object-container.ts';
import { recordTranscoder } from './avro/record-editor.ts';
import { entryReader, explicitEntries } from './explicit-entries.ts';
import { manifestHeader } from './manifest.ts';
import { manifestEntryType } from './manifest-entry-type.ts';
import type { ListedManifest } from './manifest-file-type.ts';
import { checkBounds, mergedSummaries } from './partition-summary.ts';
import type { PreparedManifest } from './prepare.ts';
import { resolvePartitionFields } from './transform.ts';

/** A manifest that replaces several manifests of a list. It gets its snapshot ID and sequence number when it is staged. */
export interface MergedManifest extends PreparedManifest {
  /** The replaced entries, as in the parent's list. */
  readonly replaces: readonly ListedManifest[];
}

/** A manifest to merge, and its bytes. */
export interface MergeSource {
  readonly manifest: ListedManifest;
  readonly bytes: Uint8Array;
}

/** `block_size_in_bytes`, which format version 2 removed (spec, "Manifests"). */
const DROPPED_SINCE_V2: ReadonlySet<number> = new Set([105]);

/** A source that stays in the list as it is, and the reason. */
export interface UnmergedSource {
  readonly manifest: ListedManifest;
  readonly error: RegistrarError;
}

/**
 * Merges manifests of data files of one partition spec into one manifest, as Java's merge append does. Live entries become
 * existing entries: the values they inherited become explicit, and everything else is kept byte for byte. Deleted entries are
 * dropped. Entries are in the order of the sources. A source that cannot be read, or that has a field which would be lost, is
 * left as it is.
 *
 * @param input.schema the table's schema after the commit
 * @param input.directory where the table's manifests are written
 * @param input.uuid names the manifest, so it must never have been used before (I1)
 * @returns no manifest if fewer than two sources could be merged
 * @throws `table.unsupported` for a partition transform that cannot be written
 */
export function mergeManifests(input: {
  readonly sources: readonly MergeSource[];
  readonly formatVersion: 1 | 2 | 3;
  readonly schema: Schema;
  readonly spec: PartitionSpec;
  readonly directory: string;
  readonly uuid: string;
}): { readonly merged: MergedManifest | undefined; readonly unmerged: readonly UnmergedSource[] } {
  const { sources, formatVersion, schema, spec, uuid } = input;
  const partitionFields = resolvePartitionFields(spec, schema);
  const type = manifestEntryType(formatVersion, 0n, partitionFields);
  const transcode = transcoderTo(avroShape(type.schema), formatVersion > 1 ? DROPPED_SINCE_V2 : NONE);
  const replaces: ListedManifest[] = [];
  const unmerged: UnmergedSource[] = [];
  let existingFilesCount = 0;
  let existingRowsCount = 0n;
  let minSequenceNumber: bigint | undefined;

  function* entries(): Generator<Uint8Array> {
    for (const { manifest, bytes } of sources) {
      const read = attempt(manifest, () => {
        checkBounds(partitionFields, manifest.partitions);
        return transcode(manifest, bytes);
      });
      if (read instanceof RegistrarError) {
        unmerged.push({ manifest, error: read });
        continue;
      }
      replaces.push(manifest);
      for (const { record, recordCount, sequenceNumber } of read) {
        existingFilesCount += 1;
        existingRowsCount += recordCount;
        minSequenceNumber = least(minSequenceNumber, sequenceNumber);
        yield record;
      }
    }
  }

  const path = `${input.directory}/${uuid}-m0.avro`;
  const bytes = writeContainer(
    { schema: JSON.stringify(type.schema), codec: CODEC, blocks: packBlocks(entries()) },
    manifestHeader(formatVersion, schema, spec),
    syncMarker(uuid),
  );
  if (replaces.length < 2 || existingFilesCount === 0) return { merged: undefined, unmerged };
  const file: ListedManifest = {
    manifestPath: path,
    manifestLength: BigInt(bytes.length),
    partitionSpecId: spec['spec-id'],
    content: 0,
    sequenceNumber: 0n,
    minSequenceNumber: minSequenceNumber ?? 0n,
    addedSnapshotId: 0n,
    addedFilesCount: 0,
    existingFilesCount,
    deletedFilesCount: 0,
    addedRowsCount: 0n,
    existingRowsCount,
    deletedRowsCount: 0n,
    partitions: mergedSummaries(
      partitionFields,
      replaces.map(({ partitions }) => partitions),
    ),
  };
  return { merged: { path, bytes, file, replaces }, unmerged };
}

/** Makes a function that rewrites live entries into the target schema. The preparation for each writer's schema is done once. */
function transcoderTo(target: AvroShape, dropped: ReadonlySet<number>) {
  const made = (container: HeadedContainer) => {
    const shape = shapeOf(container);
    return { read: entryReader(shape), transcode: recordTranscoder(shape, target, dropped) };
  };
  const bySchema = new Map<string, ReturnType<typeof made>>();
  return (manifest: ListedManifest, bytes: Uint8Array) => {
    if (manifest.content !== 0) throw new TypeError('it has no data files');
    const container = readContainer(bytes);
    const { read, transcode } = bySchema.get(container.schema) ?? made(container);
    bySchema.set(container.schema, { read, transcode });
    return [...explicitEntries(manifest, container, read)].map(({ record, values, ...entry }) => ({
      ...entry,
      record: transcode(record, values),
    }));
  };
}

function attempt<T>(manifest: ListedManifest, read: () => T): T | RegistrarError {
  try {
    return read();
  } catch (cause) {
    return unmergeable(manifest, cause);
  }
}

const NONE: ReadonlySet<number> = new Set();

function least(a: bigint | undefined, b: bigint): bigint {
  return a !== undefined && a < b ? a : b;
}

function unmergeable({ manifestPath }: ListedManifest, cause: unknown): RegistrarError {
  return new RegistrarError(
    'table.unsupported',
    `Cannot merge manifest "${manifestPath}": ${messageOf(cause)}`,
    {
      cause,
      context: { uri: manifestPath },
    },
  );
}
