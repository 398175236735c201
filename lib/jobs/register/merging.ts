import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import type { ListedManifest } from '../../append/manifest-file-type.ts';
import { type ManifestList, manifestCount, manifestFiles } from '../../append/manifest-list.ts';
import { type MergedManifest, type MergeSource, mergeManifests } from '../../append/merge-manifests.ts';
import { mergeLimits, planMerge } from '../../append/merge-policy.ts';
import { resolvePartitionFields } from '../../append/transform.ts';
import type { Attempt } from '../../commit/attempt-loop.ts';
import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import type { Log, Random, Store } from '../../ports.ts';
import { metadataDirectory } from '../../spec/metadata-directory.ts';
import type { PartitionSpec } from '../../spec/partition-spec.ts';
import type { Schema } from '../../spec/schema.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import type { TableState } from '../../spec/table-state.ts';
import { readWhole } from './table-manifests.ts';

export interface MergingPorts {
  readonly store: Store;
  readonly random: Random;
  readonly log: Log;
  /** Milliseconds that the invocation has left. */
  readonly remainingMs: () => number;
}

/** What an attempt does about the many manifests of its parent snapshot. */
export interface Merging {
  readonly merged?: MergedManifest;
  /** Whether an earlier attempt has uploaded it. */
  readonly isWritten?: boolean;
  /** For the manifest list that the attempt writes. */
  readonly lookForMergeAt?: number | undefined;
}

/** The time an attempt must have left to start merging: reading and writing must not cost the commit its time. */
const MERGE_MS = 20_000;
const READS_AT_ONCE = 32;

/** A merged manifest, and everything of the table that it depends on. */
interface Made {
  readonly merged: MergedManifest;
  readonly writtenFor: WrittenFor;
}

type WrittenFor = readonly [
  uuid: string,
  directory: string,
  formatVersion: number,
  Schema,
  PartitionSpec | undefined,
];

/**
 * Merges manifests in a commit that finds too many, for the attempts of one batch. A later attempt reuses what the first one
 * made if every source is still in its parent's list, unchanged, and the previous attempt provably did not land. An attempt
 * that finds other manifests does not start another merge. If merging fails, the commit goes ahead without it.
 */
export function mergingOf(
  entry: Entry,
  ports: MergingPorts,
): (parentList: ManifestList | undefined, attempt: Attempt, schema: Schema) => Promise<Merging> {
  let made: Made | undefined;

  return async (parentList, { state, number, mayHaveLanded }, schema) => {
    const limits = mergeLimits(state.properties);
    if (!entry.merge_manifests || !limits.isEnabled || parentList === undefined) return {};
    if (made !== undefined && !mayHaveLanded && isMadeFor(made, state, schema, parentList)) {
      return { merged: made.merged, isWritten: true };
    }
    made = undefined;
    const { lookForMergeAt } = parentList;
    const worthLooking = Math.max(limits.minCount, lookForMergeAt ?? 0);
    if (number > 1 || manifestCount(parentList) < worthLooking) return { lookForMergeAt };

    const plan = planMerge(manifestFiles(parentList), writableSpecs(state, schema), limits);
    const [newest] = plan.sources;
    const spec = newest && specOf(state, newest.partitionSpecId);
    if (spec === undefined) return { lookForMergeAt: plan.lookAgainAt };
    const merged = await merge(plan.sources, { state, schema, spec }, ports);
    // The cause of the failure probably still exists, so this batch does not try again.
    if (merged === undefined) return { lookForMergeAt: manifestCount(parentList) + limits.minCount };
    made = { merged, writtenFor: writtenFor(state, schema, spec) };
    return { merged };
  };
}

interface MergeTarget {
  readonly state: TableState;
  readonly schema: Schema;
  readonly spec: PartitionSpec;
}

/** Merges, or logs why it cannot be done now and returns undefined. */
async function merge(
  sources: readonly ListedManifest[],
  { state, schema, spec }: MergeTarget,
  ports: MergingPorts,
): Promise<MergedManifest | undefined> {
  const { log, random } = ports;
  const table = formatIdentifier(state.identifier);
  try {
    const { merged, unmerged } = mergeManifests({
      sources: await readSources(sources, ports),
      formatVersion: state.formatVersion,
      schema,
      spec,
      directory: metadataDirectory(state),
      uuid: random.uuid(),
    });
    for (const { manifest, error } of unmerged) {
      log.warn({ event: 'manifest-not-merged', table, uri: manifest.manifestPath, error });
    }
    if (merged === undefined) return undefined;
    const { manifestPath: uri, existingFilesCount: files } = merged.file;
    log.info({ event: 'manifests-merged', table, manifests: merged.replaces.length, files, uri });
    return merged;
  } catch (error) {
    if (!(error instanceof RegistrarError)) throw error;
    log.warn({ event: 'merge-skipped', table, manifests: sources.length, error });
    return undefined;
  }
}

/** @throws `invocation.timeout` when the invocation has too little time for it; `store.unavailable` */
async function readSources(
  sources: readonly ListedManifest[],
  { store, remainingMs }: MergingPorts,
): Promise<readonly MergeSource[]> {
  const limit = pLimit({ concurrency: READS_AT_ONCE, rejectOnClear: true });
  const read = async (manifest: ListedManifest): Promise<MergeSource> => {
    if (remainingMs() < MERGE_MS) throw outOfTime(sources.length);
    return { manifest, bytes: await readWhole(store, manifest.manifestPath) };
  };
  const reads = sources.map((manifest) => limit(read, manifest));
  try {
    return await Promise.all(reads);
  } catch (error) {
    limit.clearQueue();
    await Promise.allSettled(reads);
    throw error;
  }
}

/** The specs whose manifests can be written with this schema: a transform may be unknown, or a source column gone. */
function writableSpecs({ specs }: TableState, schema: Schema): ReadonlySet<number> {
  const writable = specs.filter((spec) => {
    try {
      resolvePartitionFields(spec, schema);
      return true;
    } catch (error) {
      if (error instanceof RegistrarError) return false;
      throw error;
    }
  });
  return new Set(writable.map((spec) => spec['spec-id']));
}

function specOf({ specs }: TableState, specId: number): PartitionSpec | undefined {
  return specs.find((spec) => spec['spec-id'] === specId);
}

function writtenFor(state: TableState, schema: Schema, spec: PartitionSpec | undefined): WrittenFor {
  return [state.uuid, metadataDirectory(state), state.formatVersion, schema, spec];
}

/**
 * Whether a merged manifest was made from these sources. They are compared as listed, since a rollback may have given one
 * another sequence number or first row ID.
 */
function isMadeFor(
  { merged, writtenFor: before }: Made,
  state: TableState,
  schema: Schema,
  parentList: ManifestList,
): boolean {
  const now = writtenFor(state, schema, specOf(state, merged.file.partitionSpecId));
  if (!isDeepStrictEqual(before, now)) return false;
  const listed = new Map(manifestFiles(parentList).map((manifest) => [manifest.manifestPath, manifest]));
  return merged.replaces.every((source) => isDeepStrictEqual(listed.get(source.manifestPath), source));
}

function outOfTime(manifests: number): RegistrarError {
  return new RegistrarError(
    'invocation.timeout',
    `Cannot merge ${manifests} manifests in this commit: the invocation has less than ${MERGE_MS / 1000} s left; a later commit merges them`,
  );
}
