import type { ManifestList } from '../../lib/append/manifest-list.ts';
import type { DataFile } from '../../lib/spec/manifest.ts';
import type { Schema } from '../../lib/spec/schema.ts';
import type { TableState } from '../../lib/spec/table-state.ts';

/** What the benchmarks of appending append to what. */

const COLUMNS = 12;

export const schema: Schema = {
  type: 'struct',
  'schema-id': 0,
  fields: Array.from({ length: COLUMNS }, (_, id) => ({
    id: id + 1,
    name: `c${id}`,
    required: false,
    type: 'long',
  })),
};
const spec = { 'spec-id': 0, fields: [] };
/** A table without snapshots, of twelve columns. */
export const empty: TableState = {
  identifier: { namespace: ['bench'], name: 'append' },
  metadataLocation: undefined,
  formatVersion: 2,
  uuid: crypto.randomUUID(),
  location: 's3://bucket/table',
  lastSequenceNumber: 0n,
  lastUpdatedMs: 0n,
  lastColumnId: COLUMNS,
  schemas: [schema],
  currentSchema: schema,
  specs: [spec],
  defaultSpec: spec,
  sortColumnIds: [],
  properties: {},
  snapshots: new Map(),
  refs: {},
};

/** Files with full metrics. */
export function dataFiles(count: number): readonly DataFile[] {
  const perColumn = <V>(value: (column: number) => V) =>
    new Map(schema.fields.map(({ id }) => [id, value(id)]));
  return Array.from({ length: count }, (_, n) => ({
    filePath: `s3://bucket/thadam/v1/pipeline/orders/${crypto.randomUUID()}.parquet`,
    fileSizeInBytes: 412_000n + BigInt(n),
    specId: 0,
    partition: [],
    recordCount: 10_000n,
    columnSizes: perColumn((id) => BigInt(30_000 + id * n)),
    valueCounts: perColumn(() => 10_000n),
    nullValueCounts: perColumn((id) => BigInt(id)),
    lowerBounds: perColumn((id) => long(BigInt(n * id))),
    upperBounds: perColumn((id) => long(BigInt(n * id + 10_000))),
    splitOffsets: [4n],
  }));
}

function long(value: bigint): Uint8Array {
  return new Uint8Array(BigInt64Array.of(value).buffer);
}

/** The table with a snapshot of this list. */
export function withHead(list: ManifestList): TableState {
  const head = {
    snapshotId: 1n,
    parentSnapshotId: undefined,
    sequenceNumber: 1n,
    timestampMs: 0n,
    manifestList: list.path,
    summary: {},
    schemaId: 0,
  };
  return { ...empty, snapshots: new Map([[1n, head]]), refs: { main: { type: 'branch', snapshotId: 1n } } };
}

/** CPU in milliseconds: what does not depend on the machine's other work. */
export function cpuMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
