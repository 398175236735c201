import { prepareAppend } from '../../lib/append/prepare.ts';
import { stageAppend } from '../../lib/append/stage.ts';
import { readList } from '../../lib/jobs/register/table-manifests.ts';
import { branchHead } from '../../lib/spec/table-state.ts';
import type { Registration } from './registration.ts';

/** Another writer appends data files to a table's `main`, without any ledger of ours. */
export async function foreignAppend(
  registration: Registration,
  table: string,
  files: readonly { readonly uri: string; readonly sizeBytes: number }[],
): Promise<bigint> {
  const { entries, portsOf, random } = registration.ports;
  const [entry] = entries;
  const state = await registration.table(table);
  if (entry === undefined || state === undefined) throw new Error(`no table "${table}"`);
  const { store, catalog } = portsOf(entry);
  const snapshotId = BigInt(Math.floor(random.next() * 2 ** 50));
  const prepared = prepareAppend({
    state,
    schema: state.currentSchema,
    snapshotId,
    uuid: random.uuid(),
    dataFiles: files.map(({ uri, sizeBytes }) => ({
      filePath: uri,
      fileSizeInBytes: BigInt(sizeBytes),
      specId: 0,
      partition: [],
      recordCount: 1n,
      columnSizes: new Map(),
      valueCounts: new Map(),
      nullValueCounts: new Map(),
      lowerBounds: new Map(),
      upperBounds: new Map(),
      splitOffsets: [],
    })),
  });
  const staged = stageAppend({
    state,
    branch: 'main',
    prepared,
    parentList: await readList(store, branchHead(state, 'main')),
    schemaId: state.currentSchema['schema-id'] ?? 0,
    attempt: 1,
    uuid: random.uuid(),
    timestampMs: state.lastUpdatedMs + 1n,
    summary: {},
  });
  await store.write(staged.listPath, staged.listBytes);
  for (const { path, bytes } of prepared.manifests) await store.write(path, bytes);
  const result = await catalog.commit(state.identifier, { requirements: [], updates: staged.updates });
  if (result.outcome !== 'landed') throw new Error(result.message);
  await registration.coldStart();
  return snapshotId;
}
