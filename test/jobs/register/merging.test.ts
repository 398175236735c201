import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readManifestEntries } from '../../../lib/append/manifest.ts';
import type { ListedManifest } from '../../../lib/append/manifest-file-type.ts';
import { manifestFiles, readManifestList } from '../../../lib/append/manifest-list.ts';
import type { CommitResult } from '../../../lib/ports.ts';
import { branchHead } from '../../../lib/spec/table-state.ts';
import type { TableUpdate } from '../../../lib/spec/table-update.ts';
import { optional, required, schema } from '../../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { foreignAppend } from '../foreign-append.ts';
import { type Registration, startRegistration } from '../registration.ts';

const conflict: CommitResult = { outcome: 'refused', reason: 'conflict', message: 'the branch has moved' };
const MERGE_FROM_3 = { 'commit.manifest.min-count-to-merge': '3' };

let registration: Registration;
async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  registration = await startRegistration({ table_properties: MERGE_FROM_3, ...settings });
}
beforeEach(() => start());
afterEach(() => registration.close());

const uploadOf = (id: number) =>
  registration.upload(
    `thadam/v1/plant/orders/${id}.parquet`,
    writeParquet(schema(required(1, 'id', 'int'), optional(2, 'region', 'string')), [{ id, region: 'eu' }]),
  );

async function ship(...ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    expect(await registration.deliver([uploadOf(id)])).toEqual({ batchItemFailures: [] });
  }
}

async function head() {
  const state = await registration.table('orders');
  return state && branchHead(state, 'main');
}

async function manifests(): Promise<readonly ListedManifest[]> {
  const list = (await head())?.manifestList ?? '';
  return manifestFiles(readManifestList(bytesOf(list), list));
}

function bytesOf(uri: string): Buffer {
  return registration.stack.objects.get('lake', uri.replace('s3://lake/', ''))?.bytes ?? Buffer.alloc(0);
}

/** The IDs that were shipped, as each manifest has them. */
const held = async () =>
  (await manifests()).map(({ manifestPath }) =>
    [...readManifestEntries(bytesOf(manifestPath), manifestPath)].map(({ filePath }) =>
      Number(/(\d+)\.parquet$/.exec(filePath)?.[1]),
    ),
  );

const said = (event: string) => registration.log.filter((record) => record.event === event);

async function commit(updates: readonly TableUpdate[]): Promise<void> {
  const [entry] = registration.ports.entries;
  const catalog = entry && registration.ports.portsOf(entry).catalog;
  const table = { namespace: ['lake'], name: 'orders' };
  expect(await catalog?.commit(table, { requirements: [], updates })).toMatchObject({ outcome: 'landed' });
}

const orders = (id: number): string => `s3://lake/in/thadam/v1/plant/orders/${id}.parquet`;

describe('mergingOf', () => {
  test('merges in the commit that finds the least count, its own manifest beside, and says so', async () => {
    await ship(1, 2, 3);
    expect(await held()).toEqual([[3], [2], [1]]);
    await ship(4);
    expect(await held()).toEqual([[4], [3, 2, 1]]);
    expect((await head())?.summary).toMatchObject({
      operation: 'append',
      'added-data-files': '1',
      'total-data-files': '4',
      'manifests-created': '2',
      'manifests-kept': '0',
      'manifests-replaced': '3',
    });
    const [own, merged] = await manifests();
    expect(merged).toMatchObject({
      addedSnapshotId: own?.addedSnapshotId,
      sequenceNumber: 4n,
      minSequenceNumber: 1n,
      existingFilesCount: 3,
    });
    expect(said('manifests-merged')).toMatchObject([{ table: 'lake.orders', manifests: 3, files: 3 }]);
  });

  test('reads each source once, in parallel, and writes one more manifest; other commits cost no more than before', async () => {
    await ship(1, 2, 3);
    registration.requests.length = 0;
    await ship(4);
    expect(registration.requests.toSorted()).toEqual([
      ...Array(1 + 3).fill('GET s3'),
      'POST catalog',
      ...Array(3).fill('PUT s3'),
    ]);
    registration.requests.length = 0;
    await ship(5);
    expect(registration.requests.toSorted()).toEqual(['GET s3', 'POST catalog', ...Array(2).fill('PUT s3')]);
  });

  test('a redelivery of what was merged is recognised, warm, cold, and by the live manifests alone (I2)', async () => {
    const records = [1, 2, 3, 4].map(uploadOf);
    await ship(1, 2, 3, 4);
    const before = await head();
    await registration.deliver(records);
    await registration.coldStart();
    await registration.deliver(records);
    const ids = [...((await registration.table('orders'))?.snapshots.keys() ?? [])];
    await commit([
      { action: 'remove-snapshots', 'snapshot-ids': ids.filter((id) => id !== before?.snapshotId) } as never,
    ]);
    await registration.coldStart();
    await registration.deliver(records);
    expect((await head())?.snapshotId).toBe(before?.snapshotId);
    expect(said('quarantined')).toEqual([]);
  });

  test.each([
    ['merge_manifests: false', { merge_manifests: false }],
    [
      'commit.manifest-merge.enabled',
      { table_properties: { ...MERGE_FROM_3, 'commit.manifest-merge.enabled': 'false' } },
    ],
    ['a least count that is not reached', { table_properties: {} }],
  ])('%s: nothing is merged', async (_title, settings) => {
    await registration.close();
    await start(settings);
    await ship(1, 2, 3, 4, 5);
    expect(await held()).toEqual([[5], [4], [3], [2], [1]]);
  });

  test('many manifests of which none can be merged do not prevent the commit', async () => {
    await registration.close();
    await start({ table_properties: { ...MERGE_FROM_3, 'commit.manifest.target-size-bytes': '1' } });
    await ship(1, 2, 3, 4);
    expect(await held()).toEqual([[4], [3], [2], [1]]);
    expect(said('merge-skipped')).toEqual([]);
  });

  test('an invocation with little time left commits without merging; the next one merges', async () => {
    await ship(1, 2, 3);
    registration.remainingMs = 19_000;
    await ship(4);
    registration.remainingMs = 60_000;
    expect(await held()).toEqual([[4], [3], [2], [1]]);
    expect(said('merge-skipped')).toMatchObject([{ error: { code: 'invocation.timeout' } }]);
    await registration.coldStart();
    await ship(5);
    expect(await held()).toEqual([[5], [4, 3, 2, 1]]);
  });

  test('a source that cannot be read does not prevent the commit', async () => {
    await ship(1, 2, 3);
    const [gone] = await manifests();
    registration.fault = ({ method, path }) =>
      method === 'GET' && gone?.manifestPath.endsWith(path) === true
        ? { when: 'before', answer: { status: 403 } }
        : undefined;
    await ship(4);
    expect(await held()).toEqual([[4], [3], [2], [1]]);
    expect(said('merge-skipped')).toHaveLength(1);
  });

  describe('a refused attempt', () => {
    /** The first commit request is answered so without being sent, whatever `meanwhile` did. */
    function refuseOnce(meanwhile: () => Promise<unknown>, answer: CommitResult = conflict): void {
      let refused = false;
      registration.around = (services) => ({
        ...services,
        catalog: {
          ...services.catalog,
          async commit(table, request) {
            if (refused) return services.catalog.commit(table, request);
            refused = true;
            registration.around = undefined;
            await meanwhile();
            registration.requests.length = 0;
            return answer;
          },
        },
      });
    }

    test('passes its merged manifest on to the next attempt if others only appended: nothing is read or written twice', async () => {
      await ship(1, 2, 3);
      refuseOnce(() => foreignAppend(registration, 'orders', [{ uri: orders(100), sizeBytes: 1 }]));
      await ship(4);
      // The ledger reads what the other append added, from its list; the list is then read to be extended.
      expect(registration.requests).toEqual([
        'GET catalog',
        ...Array(3).fill('GET s3'),
        'PUT s3',
        'POST catalog',
      ]);
      expect(await held()).toEqual([[4], [100], [3, 2, 1]]);
      expect(said('manifests-merged')).toHaveLength(1);
      expect(await mergedObjects()).toBe(1);
    });

    test('passes no manifest on from an attempt that may have landed (I7)', async () => {
      await ship(1, 2, 3);
      refuseOnce(async () => {}, { outcome: 'unknown', message: '502 Bad Gateway' });
      await ship(4);
      expect(registration.requests).toEqual(['GET catalog', 'PUT s3', 'PUT s3', 'POST catalog']);
      expect(await held()).toEqual([[4], [3], [2], [1]]);
    });

    test('does not pass on its merged manifest when a source is no longer in the list', async () => {
      await ship(1, 2, 3);
      const before = (await registration.table('orders'))?.snapshots;
      const [first] = [...(before?.values() ?? [])].toSorted((a, b) =>
        Number(a.sequenceNumber - b.sequenceNumber),
      );
      refuseOnce(() =>
        commit([
          {
            action: 'set-snapshot-ref',
            'ref-name': 'main',
            type: 'branch',
            'snapshot-id': first?.snapshotId ?? 0n,
          },
        ]),
      );
      await ship(4);
      expect(await held()).toEqual([[4], [1]]);
    });

    async function mergedObjects(): Promise<number> {
      const merged = (await manifests()).filter(({ addedFilesCount }) => addedFilesCount === 0);
      return merged.length;
    }
  });
});
