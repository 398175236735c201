import { stringifyJson } from '../../../lib/spec/json.ts';
import { type History, snapshotJson } from './history.ts';
import { type Lakehouse, NAMESPACE } from './lakehouse.ts';
import { emptyState } from './state.ts';

export interface TableOptions {
  /** Whether the registrar itself is to have made the history. */
  readonly ledger: boolean;
  readonly properties?: Readonly<Record<string, string>>;
}

/** Makes a table with its schema's own field IDs, by registering a metadata file. */
export async function makeTable(
  { put, ask, store }: Pick<Lakehouse, 'put' | 'ask' | 'store'>,
  name: string,
  { snapshots, ledger }: History,
  options: TableOptions,
): Promise<void> {
  const state = emptyState(`s3://${store.bucket}/tables/${name}`);
  const head = snapshots.at(-1);
  const ownOf = (snapshotId: bigint) => (options.ledger ? ledger.get(snapshotId) : undefined);
  const metadata = {
    'format-version': state.formatVersion,
    'table-uuid': state.uuid,
    location: state.location,
    'last-sequence-number': head?.sequenceNumber ?? 0n,
    'last-updated-ms': head?.timestampMs ?? state.lastUpdatedMs,
    'last-column-id': state.lastColumnId,
    schemas: state.schemas,
    'current-schema-id': 0,
    'partition-specs': state.specs,
    'default-spec-id': 0,
    'last-partition-id': 999,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
    properties: options.properties ?? {},
    ...(head !== undefined && {
      'current-snapshot-id': head.snapshotId,
      refs: { main: { type: 'branch', 'snapshot-id': head.snapshotId } },
    }),
    snapshots: snapshots.map((snapshot) => snapshotJson(snapshot, ownOf(snapshot.snapshotId))),
    'snapshot-log': snapshots.map(({ snapshotId, timestampMs }) => ({
      'snapshot-id': snapshotId,
      'timestamp-ms': timestampMs,
    })),
    'metadata-log': [],
  };
  const path = `${state.location}/metadata/00000-${state.uuid}.metadata.json`;
  await put(path, Buffer.from(stringifyJson(metadata)));
  const body = JSON.stringify({ name, 'metadata-location': path });
  await ask('POST', `namespaces/${NAMESPACE}/register`, body);
}
