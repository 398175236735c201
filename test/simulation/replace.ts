import type { AvroType } from '../../lib/append/avro/avro-type.ts';
import { byteWriter, writeLong, writeRaw, written } from '../../lib/append/avro/byte-writer.ts';
import { CODEC, encodeBlocks, syncMarker, writeContainer } from '../../lib/append/avro/object-container.ts';
import { manifestEntryType } from '../../lib/append/manifest-entry-type.ts';
import { encodeManifestList, extendManifestList } from '../../lib/append/manifest-list.ts';
import { summarisePartitions } from '../../lib/append/partition-summary.ts';
import { newSnapshotId } from '../../lib/append/prepare.ts';
import { resolvePartitionFields } from '../../lib/append/transform.ts';
import type { Random } from '../../lib/ports.ts';
import { stringifyJson } from '../../lib/spec/json.ts';
import type { DataFile } from '../../lib/spec/manifest.ts';
import { metadataDirectory } from '../../lib/spec/metadata-directory.ts';
import { branchHead, type TableState } from '../../lib/spec/table-state.ts';
import type { SnapshotUpdate } from '../../lib/spec/table-update.ts';

export interface EntryOf {
  readonly status: 'existing' | 'added' | 'deleted';
  readonly file: DataFile;
}

const STATUSES = ['existing', 'added', 'deleted'] as const;

/** Commits a snapshot whose single manifest of these entries replaces all others, as maintenance does. */
export function replaceManifests(
  state: TableState,
  entries: readonly EntryOf[],
  options: {
    readonly branch: string;
    readonly draws: Pick<Random, 'uuid'>;
    readonly timestampMs: bigint;
    readonly summary: Readonly<Record<string, string>>;
  },
) {
  const { formatVersion } = state;
  const partitionFields = resolvePartitionFields(state.defaultSpec, state.currentSchema);
  const snapshotId = newSnapshotId(options.draws);
  const uuid = options.draws.uuid();
  const path = `${metadataDirectory(state)}/${uuid}-m0.avro`;
  const { snapshotId: _, ...retention } = state.refs[options.branch] ?? {};
  const bytes = manifestBytes(state, snapshotId, entries, uuid);
  const parent = branchHead(state, options.branch);
  const sequenceNumber = formatVersion === 1 ? 0n : state.lastSequenceNumber + 1n;
  const count = (status: EntryOf['status']): number => entries.filter((one) => one.status === status).length;
  const rows = (status: EntryOf['status']): bigint =>
    entries.reduce((sum, one) => (one.status === status ? sum + one.file.recordCount : sum), 0n);
  const firstRowId = state.nextRowId ?? 0n;
  const { list, nextRowId } = extendManifestList({
    path: `${metadataDirectory(state)}/snap-${snapshotId}-1-${uuid}.avro`,
    formatVersion,
    parent: undefined,
    nextRowId: firstRowId,
    added: [
      {
        manifestPath: path,
        manifestLength: BigInt(bytes.length),
        partitionSpecId: state.defaultSpec['spec-id'],
        content: 0,
        sequenceNumber,
        minSequenceNumber: sequenceNumber,
        addedSnapshotId: snapshotId,
        addedFilesCount: count('added'),
        existingFilesCount: count('existing'),
        deletedFilesCount: count('deleted'),
        addedRowsCount: rows('added'),
        existingRowsCount: rows('existing'),
        deletedRowsCount: rows('deleted'),
        partitions: summarisePartitions(
          partitionFields,
          entries.map(({ file }) => file.partition),
        ),
      },
    ],
  });
  const snapshot: SnapshotUpdate = {
    'snapshot-id': snapshotId,
    ...(parent !== undefined && { 'parent-snapshot-id': parent.snapshotId }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': options.timestampMs,
    'manifest-list': list.path,
    summary: options.summary,
    'schema-id': state.currentSchema['schema-id'] ?? 0,
    ...(formatVersion === 3 && { 'first-row-id': firstRowId, 'added-rows': nextRowId - firstRowId }),
  };
  return {
    updates: [
      { action: 'add-snapshot', snapshot },
      {
        action: 'set-snapshot-ref',
        'ref-name': options.branch,
        ...retention,
        type: 'branch',
        'snapshot-id': snapshotId,
      },
    ],
    objects: [
      { path, bytes },
      { path: list.path, bytes: encodeManifestList(list, { formatVersion, snapshot, uuid }) },
    ],
  };
}

function manifestBytes(
  { formatVersion, currentSchema, defaultSpec }: TableState,
  snapshotId: bigint,
  entries: readonly EntryOf[],
  uuid: string,
): Uint8Array {
  const fields = resolvePartitionFields(defaultSpec, currentSchema);
  const type = withStatus(manifestEntryType(formatVersion, snapshotId, fields));
  return writeContainer(
    { schema: JSON.stringify(type.schema), codec: CODEC, blocks: encodeBlocks(type, entries) },
    {
      schema: stringifyJson(currentSchema),
      'schema-id': String(currentSchema['schema-id'] ?? 0),
      'partition-spec': stringifyJson(defaultSpec.fields),
      'partition-spec-id': String(defaultSpec['spec-id']),
      'format-version': String(formatVersion),
      ...(formatVersion > 1 && { content: 'data' }),
    },
    syncMarker(uuid),
  );
}

/** The registrar's encoder writes only ADDED entries. The status is the first byte of an entry, and is overwritten here. */
function withStatus(type: AvroType<DataFile>): AvroType<EntryOf> {
  return {
    schema: type.schema,
    write: (out, { status, file }) => {
      const entry = byteWriter();
      type.write(entry, file);
      writeLong(out, STATUSES.indexOf(status));
      writeRaw(out, written(entry).subarray(1));
    },
  };
}
