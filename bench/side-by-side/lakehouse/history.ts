import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import {
  encodeManifestList,
  extendManifestList,
  type ManifestList,
} from '../../../lib/append/manifest-list.ts';
import { prepareAppend } from '../../../lib/append/prepare.ts';
import { appendSummary } from '../../../lib/append/snapshot-summary.ts';
import { registrationSummary } from '../../../lib/ledger/registration-summary.ts';
import type { DataFile } from '../../../lib/spec/manifest.ts';
import type { Snapshot } from '../../../lib/spec/snapshot.ts';
import type { SnapshotUpdate } from '../../../lib/spec/table-update.ts';
import type { Lakehouse } from './lakehouse.ts';
import { measurementsSchema, ROWS } from './measurements.ts';
import { emptyState } from './state.ts';

/** What the tables of one size share: a history of appends, its manifests and its manifest list in the store. */
export interface History {
  readonly snapshots: readonly Snapshot[];
  /** By snapshot: what the registrar's own summary says beside. */
  readonly ledger: ReadonlyMap<bigint, Readonly<Record<string, string>>>;
}

export const noHistory: History = { snapshots: [], ledger: new Map() };

const MS_BETWEEN_COMMITS = 10_000;
/** The last of them lies a minute back. */
const MS_SINCE = 60_000;
const UPLOADS_AT_ONCE = 16;

/**
 * Builds what so many commits of one file each would have left, without committing them: manifests, one list, the snapshots. The data
 * files are in no store: the IDs of their rows are below 0, and nobody asks for those.
 *
 * @param filesOfManifest how many files share a manifest, as merging leaves them; 1 where nobody merges
 */
export async function buildHistory(
  { put, store }: Pick<Lakehouse, 'put' | 'store'>,
  dataset: string,
  commits: number,
  filesOfManifest = 1,
): Promise<History> {
  const limit = pLimit(UPLOADS_AT_ONCE);
  const uploads: Promise<unknown>[] = [];
  const state = emptyState(`s3://${store.bucket}/tables/${dataset}_before`);
  const firstMs = Date.now() - MS_SINCE - commits * MS_BETWEEN_COMMITS;
  const ledger = new Map<bigint, Readonly<Record<string, string>>>();
  const snapshots: Snapshot[] = [];
  let list: ManifestList | undefined;
  let waiting: DataFile[] = [];
  for (let commit = 1; commit <= commits; commit += 1) {
    const uri = `s3://${store.bucket}/in/thadam/v1/bench/${dataset}/before/${String(commit).padStart(6, '0')}.parquet`;
    const snapshotId = BigInt(commit) * 1_000_003n;
    const listPath = `${state.location}/metadata/snap-${snapshotId}-1-${randomUUID()}.avro`;
    const file = builtFile(uri, commit);
    const append = { state, schema: measurementsSchema, snapshotId, uuid: randomUUID() };
    waiting.push(file);
    if (waiting.length === filesOfManifest || commit === commits) {
      const { manifests } = prepareAppend({ ...append, dataFiles: waiting });
      waiting = [];
      for (const { path, bytes } of manifests) uploads.push(limit(() => put(path, bytes)));
      const sequence = { sequenceNumber: BigInt(commit), minSequenceNumber: BigInt(commit) };
      list = extendManifestList({
        path: listPath,
        formatVersion: 2,
        added: manifests.map((manifest) => ({ ...manifest.file, ...sequence })),
        parent: list,
        nextRowId: 0n,
      }).list;
    }
    const parent = snapshots.at(-1);
    const added = {
      addedFiles: 1,
      addedRecords: file.recordCount,
      addedFilesSizeInBytes: file.fileSizeInBytes,
      changedPartitionCount: 1,
    };
    snapshots.push({
      snapshotId,
      parentSnapshotId: parent?.snapshotId,
      sequenceNumber: BigInt(commit),
      timestampMs: BigInt(firstMs + commit * MS_BETWEEN_COMMITS),
      manifestList: listPath,
      summary: appendSummary(added, parent, {}),
      schemaId: 0,
    });
    ledger.set(snapshotId, registrationSummary([{ uri, etag: randomUUID().replaceAll('-', '') }]));
  }
  const head = snapshots.at(-1);
  if (list !== undefined && head !== undefined) {
    const header = { formatVersion: 2, snapshot: snapshotJson(head), uuid: randomUUID() } as const;
    uploads.push(put(list.path, encodeManifestList(list, header)));
  }
  await Promise.all(uploads);
  return { snapshots, ledger };
}

/** A snapshot as a table's metadata has it. */
export function snapshotJson(snapshot: Snapshot, own: Readonly<Record<string, string>> = {}): SnapshotUpdate {
  const { snapshotId, parentSnapshotId, sequenceNumber, timestampMs, manifestList = '', summary } = snapshot;
  return {
    'snapshot-id': snapshotId,
    ...(parentSnapshotId !== undefined && { 'parent-snapshot-id': parentSnapshotId }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': timestampMs,
    'manifest-list': manifestList,
    summary: { ...summary, ...own },
    'schema-id': 0,
  };
}

/** The metrics of a full data file whose IDs are all below 0. */
function builtFile(filePath: string, commit: number): DataFile {
  const leaves = Array.from({ length: 15 }, (_, id) => id + 1).filter((id) => id !== 12);
  const each = <V>(value: (id: number) => V) => new Map(leaves.map((id) => [id, value(id)]));
  const rows = BigInt(ROWS);
  const lastId = -BigInt(commit) * rows;
  return {
    filePath,
    fileSizeInBytes: 450_000n + BigInt(commit % 1_000),
    specId: 0,
    partition: [],
    recordCount: rows,
    columnSizes: each((id) => BigInt(20_000 + id * 7 + commit)),
    valueCounts: each(() => rows),
    nullValueCounts: each((id) => BigInt(id === 5 ? commit % 900 : 0)),
    lowerBounds: new Map([[1, long(lastId - rows)]]),
    upperBounds: new Map([[1, long(lastId)]]),
    splitOffsets: [4n],
  };
}

function long(value: bigint): Uint8Array {
  return new Uint8Array(BigInt64Array.of(value).buffer);
}
