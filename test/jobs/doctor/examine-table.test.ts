import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { examineTable } from '../../../lib/jobs/doctor/examine-catalog.ts';
import type { EntryPorts } from '../../../lib/jobs/register/register-ports.ts';
import type { LoadedTable } from '../../../lib/ports.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { entry } from '../../fakes/entry.ts';
import { type Registration, startRegistration } from '../registration.ts';

const schema: Schema = {
  type: 'struct',
  fields: [{ id: 1, name: 'id', required: true, type: 'int' }],
};

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration();
});
afterEach(() => registration.close());

/** The table after this many registrations, its newest snapshot alone and without its parent, as Nessie shows it. */
async function headAlone(registrations: number): Promise<LoadedTable> {
  for (let id = 0; id < registrations; id += 1) {
    const key = `thadam/v1/plant/orders/${id}.parquet`;
    await registration.deliver([registration.upload(key, writeParquet(schema, [{ id }]))]);
  }
  const { ports } = registration;
  const [first] = ports.entries;
  const table = first && (await ports.portsOf(first).catalog.load({ namespace: ['lake'], name: 'orders' }));
  if (table === undefined) throw new Error('no table');
  const { metadata, metadataLocation } = table;
  const snapshots = (metadata['snapshots'] as readonly Readonly<Record<string, unknown>>[]).slice(-1);
  const alone = snapshots.map((snapshot) => ({ ...snapshot, 'parent-snapshot-id': undefined }));
  return { metadataLocation, metadata: { ...metadata, snapshots: alone }, config: {} };
}

const examined = (table: LoadedTable, settings: Parameters<typeof entry>[0] = {}) =>
  examineTable(
    entry({ namespace: ['lake'], url: 's3://lake', ...settings }),
    { catalog: { load: async () => table } } as unknown as EntryPorts,
    'orders',
  );

describe('a table of which the catalog shows the newest snapshot alone', () => {
  test('cannot prove what came before, and segments that wait would go to quarantine', async () => {
    const table = await headAlone(2);
    expect(await examined(table)).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('the newest alone'),
      wayOut: expect.stringContaining('on_unprovable: register'),
    });
    expect(await examined(table, { on_unprovable: 'register' })).toMatchObject({ state: 'ok' });
  });

  test('is whole as long as it has one snapshot', async () => {
    expect(await examined(await headAlone(1))).toMatchObject({ state: 'ok' });
  });

  test('is whole too where another writer made its one snapshot, without sequence numbers (v1)', async () => {
    const table = await headAlone(1);
    const [snapshot] = table.metadata['snapshots'] as readonly Readonly<Record<string, unknown>>[];
    const summary = { operation: 'append', 'added-data-files': '1', 'total-data-files': '1' };
    const snapshots = [{ ...snapshot, 'sequence-number': undefined, summary }];
    expect(await examined({ ...table, metadata: { ...table.metadata, snapshots } })).toMatchObject({
      found: expect.stringContaining('of other writers'),
    });
  });
});
