import type { Registration } from './registration.ts';

/** Expires snapshots as the platform's maintenance does: all but the newest `keep` of `main`. */
export async function expireOldest(registration: Registration, table: string, keep: number): Promise<void> {
  const state = await registration.table(table);
  if (state === undefined) throw new Error(`no table "${table}"`);
  const ids = [...state.snapshots.values()]
    .toSorted((a, b) => Number(a.sequenceNumber - b.sequenceNumber))
    .slice(0, -keep)
    .map(({ snapshotId }) => snapshotId);
  await changeTable(registration, table, `[{"action":"remove-snapshots","snapshot-ids":[${ids}]}]`);
}

/** Rolls `main` back to a snapshot, as SQL's `rollback_to_snapshot` does. */
export async function rollBack(registration: Registration, table: string, snapshotId: bigint): Promise<void> {
  await changeTable(
    registration,
    table,
    `[{"action":"set-snapshot-ref","ref-name":"main","type":"branch","snapshot-id":${snapshotId}}]`,
  );
}

async function changeTable(registration: Registration, table: string, updates: string): Promise<void> {
  const url = `${registration.stack.catalogUri}/v1/namespaces/lake/tables/${table}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"requirements":[],"updates":${updates}}`,
  });
  if (!response.ok) throw new Error(await response.text());
  await registration.coldStart();
}
