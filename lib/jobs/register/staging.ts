import { isPreparedFor, newSnapshotId, type PreparedAppend, prepareAppend } from '../../append/prepare.ts';
import { type StagedAppend, stageAppend } from '../../append/stage.ts';
import { assertions } from '../../commit/assertions.ts';
import type { Attempt, StagedCommit } from '../../commit/attempt-loop.ts';
import { type LedgerMemory, ledgerMemory } from '../../ledger/ledger-memory.ts';
import { registrationSummary } from '../../ledger/registration-summary.ts';
import { uploadSummary } from '../../ledger/upload-time.ts';
import type { Clock } from '../../ports.ts';
import { rememberedPaths } from '../../route/table-paths.ts';
import { isWrittenByIceberg } from '../../segment/iceberg-writer.ts';
import { metricsOf } from '../../segment/metrics.ts';
import { metricsConfig } from '../../segment/metrics-config.ts';
import type { DataFile } from '../../spec/manifest.ts';
import type { Snapshot } from '../../spec/snapshot.ts';
import { branchHead, prunedColumnIds, type TableState } from '../../spec/table-state.ts';
import type { TableUpdate } from '../../spec/table-update.ts';
import { type Judgement, type JudgementOptions, judge } from './judgement.ts';
import { type MergingPorts, mergingOf } from './merging.ts';
import type { SegmentRead } from './read-footers.ts';
import type { TableTarget } from './register-ports.ts';
import { type CachedTable, listOfHead } from './table-cache.ts';
import { manifestReader, readList } from './table-manifests.ts';

/** What an attempt passes on when it lands. */
export interface StagedBatch {
  readonly judgement: Judgement;
  readonly staged: StagedAppend;
  readonly snapshotId: bigint;
  readonly rows: bigint;
  readonly bytes: bigint;
}

export interface StagingPorts extends MergingPorts {
  readonly clock: Clock;
}

/** What is done differently when thousands of segments are committed at once. */
export interface BulkStaging {
  /** How to consult the ledger about the snapshots of a state. */
  readonly ledgerOf: (state: TableState) => Pick<JudgementOptions, 'manifests' | 'memory'>;
  readonly maxFilesPerManifest: number;
}

export interface Staging {
  readonly stage: (attempt: Attempt) => Promise<StagedCommit<StagedBatch> | 'nothing' | 'reload'>;
  /** The judgement of the last attempt. */
  readonly judgement: () => Judgement | undefined;
  /** What was read of the table's snapshots, kept for the next batch. */
  readonly memory: LedgerMemory;
}

/**
 * Stages the attempts of one batch. Each attempt judges anew on its state and writes its own manifest list (I1); the manifest
 * of data files is written once and reused as long as what it was written for holds.
 */
export function stagingOf(
  { entry, directory }: Pick<TableTarget, 'entry' | 'directory'>,
  segments: readonly SegmentRead[],
  cached: CachedTable | undefined,
  ports: StagingPorts,
  bulk?: BulkStaging,
): Staging {
  const { store, clock, random } = ports;
  const mergingFor = mergingOf(entry, ports);
  const memory = cached?.memory ?? ledgerMemory();
  const ledger = { manifests: manifestReader(store), memory };
  const mustBeLoaded = segments.some(({ read }) => isWrittenByIceberg(read));
  let last: Judgement | undefined;
  let prepared: (PreparedAppend & { readonly batch: string }) | undefined;

  return {
    judgement: () => last,
    memory,
    stage: async (attempt) => {
      const { state, fresh, number, afterUnknown, mayHaveLanded } = attempt;
      if (mustBeLoaded && !fresh) return 'reload';
      const judgement = await judge(state, segments, {
        entry,
        directory,
        afterUnknown,
        ...(bulk?.ledgerOf(state) ?? ledger),
      });
      // A cached state may be a minute old. Only a state that was loaded now may condemn a segment.
      if (judgement.condemned.size > 0 && !fresh) return 'reload';
      // No assertion guards properties, so they are only changed on a state that was loaded now.
      if (!fresh && (setsProperties(judgement) || rememberedPaths(state) !== undefined)) return 'reload';
      last = judgement;
      if (judgement.accepted.length === 0) {
        // A cached state may not acknowledge a segment as registered either: the branch may have been rolled back since.
        return judgement.registered.size + judgement.ignored.size > 0 && !fresh ? 'reload' : 'nothing';
      }

      const { merge, accepted } = judgement;
      const batch = JSON.stringify([
        state.defaultSpec['spec-id'],
        accepted.map(({ segment }) => [segment.uri, segment.etag]),
      ]);
      const reused =
        !mayHaveLanded && prepared?.batch === batch && isPreparedFor(prepared, state, merge.schema)
          ? prepared
          : undefined;
      prepared = reused ?? {
        ...prepareAppend({
          state,
          schema: merge.schema,
          dataFiles: dataFilesOf(judgement, state),
          snapshotId: newSnapshotId(random),
          uuid: random.uuid(),
          ...(bulk !== undefined && { maxFilesPerManifest: bulk.maxFilesPerManifest }),
        }),
        batch,
      };

      const head = branchHead(state, entry.branch);
      const parentList = listOfHead(cached, state, entry.branch) ?? (await readList(store, head));
      const { merged, isWritten, lookForMergeAt } = await mergingFor(parentList, attempt, merge.schema);
      const staged = stageAppend({
        state,
        branch: entry.branch,
        prepared,
        parentList,
        merged,
        lookForMergeAt,
        schemaId: merge.schema['schema-id'] ?? 0,
        attempt: number,
        uuid: random.uuid(),
        timestampMs: timestampMs(clock.now(), state, head, segments),
        summary: {
          ...entry.snapshot_properties,
          ...registrationSummary(accepted.map(({ segment }) => segment)),
          // The uploads of a backfill may be years old and say nothing about how long new uploads wait.
          ...(bulk === undefined && uploadSummary(accepted.map(({ segment }) => segment.lastModifiedMs))),
        },
      });
      const written = [
        ...(reused === undefined ? prepared.manifests : []),
        ...(merged === undefined || isWritten === true ? [] : [merged]),
      ];
      await Promise.all([
        store.write(staged.listPath, staged.listBytes, { ifAbsent: true }),
        ...written.map(({ path, bytes }) => store.write(path, bytes, { ifAbsent: true })),
      ]);
      const updates = [...merge.updates, ...pathUpdates(state), ...staged.updates];
      return {
        commit: { requirements: assertions(state, entry.branch, updates), updates },
        snapshotId: prepared.snapshotId,
        result: {
          judgement,
          staged,
          snapshotId: prepared.snapshotId,
          rows: prepared.addedRecords,
          bytes: prepared.addedFilesSizeInBytes,
        },
      };
    },
  };
}

/** The data files of accepted segments, as the manifests describe them. */
export function dataFilesOf(
  { accepted, merge }: Pick<Judgement, 'accepted' | 'merge'>,
  state: TableState,
): readonly DataFile[] {
  const config = metricsConfig(
    propertiesAfter(state.properties, merge.updates),
    merge.schema,
    prunedColumnIds(state),
  );
  return accepted.map(({ segment, partition }) => ({
    ...metricsOf(segment, merge.schema, config),
    filePath: segment.uri,
    fileSizeInBytes: BigInt(segment.sizeBytes),
    specId: state.defaultSpec['spec-id'],
    partition,
  }));
}

/** Column properties follow renames in the same commit, so that the choice of metrics applies to the new names. */
function propertiesAfter(
  before: TableState['properties'],
  updates: readonly TableUpdate[],
): TableState['properties'] {
  const after = new Map(Object.entries(before));
  for (const update of updates) {
    if (update.action === 'remove-properties') for (const name of update.removals) after.delete(name);
    if (update.action === 'set-properties')
      for (const [name, value] of Object.entries(update.updates)) after.set(name, value);
  }
  return Object.fromEntries(after);
}

/**
 * The snapshot's timestamp: never earlier than the table's last change, its parent snapshot (a change by the catalog's clock
 * may be older than that) or a segment's upload, so that differing clocks cannot reverse the order (C16).
 */
export function timestampMs(
  nowMs: number,
  state: TableState,
  head: Snapshot | undefined,
  segments: readonly SegmentRead[],
): bigint {
  const uploads = segments.map(({ read }) => read.lastModifiedMs);
  const earlier = [state.lastUpdatedMs, head?.timestampMs ?? 0n, ...uploads.map(BigInt)];
  return earlier.reduce((latest, ms) => (ms > latest ? ms : latest), BigInt(nowMs));
}

function pathUpdates(state: TableState): readonly TableUpdate[] {
  const paths = rememberedPaths(state);
  return paths === undefined ? [] : [{ action: 'set-properties', updates: paths }];
}

function setsProperties({ merge }: Judgement): boolean {
  return merge.updates.some(({ action }) => action === 'set-properties' || action === 'remove-properties');
}
