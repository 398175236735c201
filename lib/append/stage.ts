import { RegistrarError } from '../errors.ts';
import { metadataDirectory } from '../spec/metadata-directory.ts';
import type { Snapshot } from '../spec/snapshot.ts';
import { branchHead, type TableState } from '../spec/table-state.ts';
import type { RefRetention, SnapshotUpdate, TableUpdate } from '../spec/table-update.ts';
import { encodeManifestList, extendManifestList, type ManifestList, manifestCount } from './manifest-list.ts';
import type { MergedManifest } from './merge-manifests.ts';
import type { PreparedAppend } from './prepare.ts';
import { appendSummary } from './snapshot-summary.ts';

/** The part of an append that belongs to one attempt: the bytes to upload and the updates to commit. */
export interface StagedAppend {
  readonly listPath: string;
  readonly listBytes: Uint8Array;
  /** Becomes the parent list of the next append once this append has landed. */
  readonly list: ManifestList;
  readonly updates: readonly TableUpdate[];
}

/**
 * Stages a prepared append on a state of the table. Manifest list, sequence number, parent, totals and row IDs depend on the
 * state (cases.md D4), so every attempt stages anew. Nothing is uploaded here; the caller does that.
 *
 * @param input.parentList the list of the branch's head; undefined if the branch has no snapshot
 * @param input.merged replaces some of the parent list's manifests; all of them must be in that list
 * @param input.schemaId the table's current schema after the commit
 * @param input.attempt part of the list's name, so that no list is ever overwritten (I1)
 * @param input.timestampMs not before the last update of the table and the parent (cases.md C16)
 * @param input.summary entries that overwrite those of the append's own summary
 * @throws `table.unsupported` for an absent branch, a head without manifest list (v1 tables of old), or a list that cannot be read
 */
export function stageAppend(input: {
  readonly state: TableState;
  readonly branch: string;
  readonly prepared: PreparedAppend;
  readonly parentList: ManifestList | undefined;
  readonly merged?: MergedManifest | undefined;
  readonly lookForMergeAt?: number | undefined;
  readonly schemaId: number;
  readonly attempt: number;
  readonly uuid: string;
  readonly timestampMs: bigint;
  readonly summary: Readonly<Record<string, string>>;
}): StagedAppend {
  const { prepared, parentList, merged } = input;
  const { snapshotId } = prepared;
  return stageSnapshot({
    ...input,
    snapshotId,
    listOf: ({ path, sequenceNumber, nextRowId }) =>
      extendManifestList({
        path,
        formatVersion: input.state.formatVersion,
        parent: parentList,
        added: prepared.manifests.map(({ file }) => ({
          ...file,
          sequenceNumber,
          minSequenceNumber: sequenceNumber,
        })),
        merged: merged && {
          ...merged,
          file: { ...merged.file, sequenceNumber, addedSnapshotId: snapshotId },
        },
        nextRowId,
        lookForMergeAt: input.lookForMergeAt,
      }),
    summaryOf: (head) =>
      appendSummary(prepared, head, { ...manifestCounts(prepared, parentList, merged), ...input.summary }),
  });
}

/** The manifest counts that Java writes in the summary of an append that merges manifests. */
function manifestCounts(
  prepared: PreparedAppend,
  parentList: ManifestList | undefined,
  merged: MergedManifest | undefined,
): Readonly<Record<string, string>> {
  if (parentList === undefined || merged === undefined) return {};
  const replaced = merged.replaces.length;
  return {
    'manifests-created': String(prepared.manifests.length + 1),
    'manifests-kept': String(manifestCount(parentList) - replaced),
    'manifests-replaced': String(replaced),
  };
}

/** The values with which a snapshot's manifest list is made. */
export interface ListSlot {
  readonly path: string;
  readonly sequenceNumber: bigint;
  readonly nextRowId: bigint;
}

/**
 * Stages any snapshot that follows the branch's head, as {@link stageAppend} does.
 *
 * @param input.parentList the list of the branch's head, which `listOf` extends
 */
export function stageSnapshot(input: {
  readonly state: TableState;
  readonly branch: string;
  readonly snapshotId: bigint;
  readonly parentList: ManifestList | undefined;
  readonly listOf: (slot: ListSlot) => ReturnType<typeof extendManifestList>;
  readonly summaryOf: (head: Snapshot | undefined) => Readonly<Record<string, string>>;
  readonly schemaId: number;
  readonly attempt: number;
  readonly uuid: string;
  readonly timestampMs: bigint;
}): StagedAppend {
  const { state, branch, snapshotId, parentList, uuid } = input;
  const { formatVersion } = state;
  const head = headOf(state, branch);
  if (head?.manifestList !== parentList?.path) {
    throw new TypeError(`the list "${parentList?.path}" is not the head's, "${head?.manifestList}"`);
  }

  const sequenceNumber = formatVersion === 1 ? 0n : state.lastSequenceNumber + 1n;
  const firstRowId = state.nextRowId ?? 0n;
  const listPath = `${metadataDirectory(state)}/snap-${snapshotId}-${input.attempt}-${uuid}.avro`;
  const { list, nextRowId } = input.listOf({ path: listPath, sequenceNumber, nextRowId: firstRowId });
  const snapshot: SnapshotUpdate = {
    'snapshot-id': snapshotId,
    ...(head !== undefined && { 'parent-snapshot-id': head.snapshotId }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': input.timestampMs,
    'manifest-list': listPath,
    summary: input.summaryOf(head),
    'schema-id': input.schemaId,
    ...(formatVersion === 3 && { 'first-row-id': firstRowId, 'added-rows': nextRowId - firstRowId }),
  };
  return {
    listPath,
    listBytes: encodeManifestList(list, { formatVersion, snapshot, uuid }),
    list,
    updates: [
      { action: 'add-snapshot', snapshot },
      {
        action: 'set-snapshot-ref',
        'ref-name': branch,
        type: 'branch',
        'snapshot-id': snapshotId,
        ...retention(state, branch),
      },
    ],
  };
}

/** The snapshot that the append follows; undefined on the `main` branch of a table that has no snapshot there. */
function headOf(state: TableState, branch: string): Snapshot | undefined {
  const ref = state.refs[branch];
  if (ref === undefined ? branch !== 'main' : ref.type !== 'branch') {
    throw unsupported(
      branch,
      ref === undefined ? 'the table has no such branch; create it first' : 'it is a tag',
    );
  }
  const head = branchHead(state, branch);
  if (head !== undefined && head.manifestList === undefined) {
    throw unsupported(
      branch,
      `its snapshot ${head.snapshotId} has no manifest list, as the first writers of format version 1 left it; ` +
        'rewrite the manifests once (Spark: rewrite_manifests)',
    );
  }
  return head;
}

function unsupported(branch: string, reason: string): RegistrarError {
  return new RegistrarError('table.unsupported', `Cannot append to branch "${branch}": ${reason}`);
}

/** The retention settings as loaded: setting a ref without them would remove them (cases.md C19). */
function retention(state: TableState, branch: string): RefRetention {
  const { type: _type, snapshotId: _snapshotId, ...kept } = state.refs[branch] ?? {};
  return kept;
}
