import { describe, expect, test } from 'vitest';
import { quarantineIn } from '../../../lib/drivers/quarantine.ts';
import { namedTable } from '../../../lib/jobs/quarantine/named-table.ts';
import type { QuarantinesPorts } from '../../../lib/jobs/quarantine/quarantine-list.ts';
import { entry } from '../../fakes/entry.ts';
import { seededRandom } from '../../fakes/random.ts';
import { fakeStore } from '../../fakes/store.ts';
import { virtualTime } from '../../fakes/time.ts';

async function recorded(...tables: readonly string[]): Promise<QuarantinesPorts> {
  const quarantine = quarantineIn(fakeStore(virtualTime().clock), 's3://lake/_quarantine', seededRandom());
  for (const table of tables)
    await quarantine.put({ v: 1, kind: 'failure', at: '2026-01-31T00:00:00.000Z', table });
  return { entries: [entry()], portsOf: () => ({ quarantine }) };
}

describe('namedTable', () => {
  test('takes a whole name, or its last part where one table ends in it', async () => {
    const ports = await recorded('lake.orders', 'lake.prices', 'old.prices');
    expect(await namedTable(ports, 'lake.prices')).toEqual({ table: 'lake.prices' });
    expect(await namedTable(ports, 'orders')).toEqual({ table: 'lake.orders' });
    expect(await namedTable(ports, 'rders')).toEqual({ known: ['lake.orders', 'lake.prices', 'old.prices'] });
    await expect(namedTable(ports, 'prices')).rejects.toThrow(
      'Cannot tell which table is "prices": lake.prices and old.prices have records',
    );
  });
});
