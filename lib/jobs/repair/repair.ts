import { extendManifestList, manifestFiles } from '../../append/manifest-list.ts';
import { newSnapshotId, type PreparedAppend, prepareAppend } from '../../append/prepare.ts';
import { type RewrittenManifest, rewriteManifest } from '../../append/rewrite-manifest.ts';
import { type FileTotals, replaceSummary } from '../../append/snapshot-summary.ts';
import { stageSnapshot } from '../../append/stage.ts';
import { assertions } from '../../commit/assertions.ts';
import { type Attempt, commitInAttempts, type StagedCommit } from '../../commit/attempt-loop.ts';
import { RegistrarError } from '../../errors.ts';
import { registrationSummary } from '../../ledger/registration-summary.ts';
import type { ManifestEntry } from '../../spec/manifest.ts';
import { metadataDirectory } from '../../spec/metadata-directory.ts';
import { plainSpelling } from '../../spec/object-uri.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { readTableMetadata } from '../../spec/table-metadata.ts';
import { branchHead, type TableState } from '../../spec/table-state.ts';
import { requireState } from '../load-state.ts';
import type { Fitted } from '../register/judgement.ts';
import type { RegisterPorts } from '../register/register-ports.ts';
import { retryOf } from '../register/retry.ts';
import { dataFilesOf, timestampMs } from '../register/staging.ts';
import { readList } from '../register/table-manifests.ts';
import { type ManifestWithEntries, vectorManifests } from './live-entries.ts';
import { entriesOn, fitting, type RepairPlan } from './repair-plan.ts';

export interface Repaired {
  /** Undefined if another writer already did it. */
  readonly snapshotId: bigint | undefined;
}

/**
 * Carries out a plan in a separate commit, which asserts what the plan was based on: if the entries have changed since, it is
 * refused. No object is deleted, and earlier snapshots keep the entries.
 *
 * @throws `catalog.conflict` when the table's entries differ from the plan's, and the errors of a commit
 */
export async function repair(
  plan: RepairPlan,
  ports: RegisterPorts,
  remainingMs: () => number,
): Promise<Repaired> {
  const { dataset } = plan;
  const { entry, table } = dataset;
  const services = ports.portsOf(entry);
  const end = await commitInAttempts<bigint>(
    { catalog: services.catalog, timers: ports.timers, random: ports.random },
    {
      table,
      branch: entry.branch,
      initial: { state: await requireState(services.catalog, dataset), fresh: true },
      reload: () => requireState(services.catalog, dataset),
      read: ({ table: loaded }) => readTableMetadata(table, loaded),
      stage: (attempt) => stageRepair(plan, attempt, ports),
      retry: retryOf(entry),
      remainingMs,
    },
  );
  const snapshotId = end.outcome === 'landed' ? end.result : undefined;
  ports.log.info({
    event: 'repaired',
    table: formatIdentifier(table),
    uri: plan.uri,
    action: plan.action,
    snapshotId,
  });
  return { snapshotId };
}

async function stageRepair(
  plan: RepairPlan,
  { state, number, afterUnknown, mayHaveLanded }: Attempt,
  ports: RegisterPorts,
): Promise<StagedCommit<bigint> | 'nothing'> {
  const { dataset, uri, replacement } = plan;
  const { entry } = dataset;
  const { clock, random } = ports;
  const { store, tableStore = store } = ports.portsOf(entry);
  const found = await entriesOn(state, dataset, uri, ports);
  if (!isAsPlanned(plan, found)) {
    // The change may be this repair's own earlier attempt, whose answer was lost or wrong (cases.md D3).
    const left = plan.entries.length - plan.removes + (replacement === undefined ? 0 : 1);
    const mayBeDone =
      (afterUnknown || mayHaveLanded) && found.flatMap(({ entries }) => entries).length <= left;
    if (mayBeDone) return 'nothing';
    throw changed(plan);
  }
  const head = branchHead(state, entry.branch);
  const parentList = await readList(tableStore, head);
  const snapshotId = newSnapshotId(random);
  // What is kept of several entries keeps its vector.
  const vectors =
    parentList === undefined || state.formatVersion < 3 || plan.action === 'keep-one'
      ? []
      : await vectorManifests(tableStore, parentList, uri);
  const rewritten = rewrite(plan, [...found, ...vectors], state, snapshotId, random.uuid());
  const added =
    replacement && addition(fitting(state, replacement, dataset), state, snapshotId, random.uuid());
  const replacedPaths = new Set(rewritten.map(({ replaces }) => replaces));
  const kept =
    parentList === undefined
      ? []
      : manifestFiles(parentList).filter(({ manifestPath }) => !replacedPaths.has(manifestPath));

  const staged = stageSnapshot({
    state,
    branch: entry.branch,
    snapshotId,
    parentList,
    schemaId: added?.fit.merge.schema['schema-id'] ?? state.currentSchema['schema-id'] ?? 0,
    attempt: number,
    uuid: random.uuid(),
    timestampMs: timestampMs(clock.now(), state, head, replacement === undefined ? [] : [replacement]),
    listOf: ({ path, sequenceNumber, nextRowId }) =>
      extendManifestList({
        path,
        formatVersion: state.formatVersion,
        parent: undefined,
        nextRowId,
        added: [
          ...(added?.prepared.manifests ?? []).map(({ file }) => ({
            ...file,
            sequenceNumber,
            minSequenceNumber: sequenceNumber,
          })),
          ...rewritten.map(({ file }) => ({ ...file, sequenceNumber })),
          ...kept,
        ],
      }),
    summaryOf: (parent) =>
      replaceSummary(
        removedTotals(rewritten, ({ vectorOf }) => vectorOf === undefined),
        added && {
          files: added.prepared.addedFiles,
          records: added.prepared.addedRecords,
          sizeInBytes: added.prepared.addedFilesSizeInBytes,
        },
        parent,
        replacement === undefined ? {} : registrationSummary([{ uri, etag: replacement.read.etag }]),
        removedTotals(rewritten, ({ vectorOf }) => vectorOf !== undefined),
      ),
  });
  await Promise.all(
    [
      { path: staged.listPath, bytes: staged.listBytes },
      ...rewritten,
      ...(added?.prepared.manifests ?? []),
    ].map(({ path, bytes }) => tableStore.write(path, bytes, { ifAbsent: true })),
  );
  const updates = [...(added?.fit.merge.updates ?? []), ...staged.updates];
  return {
    commit: { requirements: assertions(state, entry.branch, updates), updates },
    snapshotId,
    result: snapshotId,
  };
}

function isAsPlanned({ entries }: RepairPlan, found: readonly ManifestWithEntries[]): boolean {
  const key = ({ recordCount, fileSizeInBytes }: ManifestEntry) => `${recordCount}/${fileSizeInBytes}`;
  const now = found.flatMap((one) => one.entries.map(key)).toSorted();
  return now.join() === entries.map(key).toSorted().join();
}

/**
 * Rewrites the manifests with the path's entries. They are listed newest first, so with `keep-one` the entry kept is the one
 * registered first. A deletion vector goes with its file: Java scans no table that has an older vector than the file.
 */
function rewrite(
  { uri, removes }: RepairPlan,
  found: readonly Omit<ManifestWithEntries, 'entries'>[],
  state: TableState,
  snapshotId: bigint,
  uuid: string,
): readonly RewrittenManifest[] {
  const path = plainSpelling(uri);
  let left = removes;
  return found.flatMap(({ manifest, bytes }, index) => {
    if (manifest.content === 0 && left === 0) return [];
    const removesOne: Parameters<typeof rewriteManifest>[0]['removes'] = ({ filePath, vectorOf }) => {
      if (manifest.content === 1) return vectorOf !== undefined && plainSpelling(vectorOf) === path;
      if (left === 0 || plainSpelling(filePath) !== path) return false;
      left -= 1;
      return true;
    };
    return rewriteManifest({
      manifest,
      bytes,
      formatVersion: state.formatVersion,
      removes: removesOne,
      snapshotId,
      path: `${metadataDirectory(state)}/${uuid}-m${index}.avro`,
      uuid,
    });
  });
}

function addition(
  found: Fitted,
  state: TableState,
  snapshotId: bigint,
  uuid: string,
): { readonly fit: Fitted; readonly prepared: PreparedAppend } {
  const { schema } = found.merge;
  const dataFiles = dataFilesOf(found, state);
  return { fit: found, prepared: prepareAppend({ state, schema, dataFiles, snapshotId, uuid }) };
}

function removedTotals(
  rewritten: readonly RewrittenManifest[],
  isCounted: (removed: RewrittenManifest['removed'][number]) => boolean,
): FileTotals {
  const removed = rewritten.flatMap((manifest) => manifest.removed).filter(isCounted);
  return {
    files: removed.length,
    records: removed.reduce((sum, { recordCount }) => sum + recordCount, 0n),
    sizeInBytes: removed.reduce((sum, { fileSizeInBytes }) => sum + fileSizeInBytes, 0n),
  };
}

function changed({ uri, dataset }: RepairPlan): RegistrarError {
  const table = formatIdentifier(dataset.table);
  return new RegistrarError(
    'catalog.conflict',
    `Cannot repair "${uri}" in table "${table}": its entries have changed since the plan was made; make a new plan`,
    { context: { uri, table } },
  );
}
