import { expect, test } from 'vitest';
import { optional, schema } from '../../../local/shipper/schema-notation.ts';
import { openLake } from '../schema/lake.ts';
import { describeWith } from '../services/describe-with.ts';

const dataset = schema(optional(10, 'id', 'long'));

describeWith('Nessie', ['nessie'], ({ nessie: service }) => {
  test('shows the last snapshot alone, so that on_unprovable: register is needed, and finds what is live', async () => {
    const lake = await openLake(service);
    for (const id of [1n, 2n, 3n]) await lake.ship(dataset, [{ id }], `${id}.parquet`);
    const { snapshots, lastSequenceNumber } = await lake.state();
    expect([...snapshots.values()]).toMatchObject([{ parentSnapshotId: undefined, sequenceNumber: 3n }]);
    expect(lastSequenceNumber).toBe(3n);

    const strict = await lake.another({ on_unprovable: 'quarantine' });
    expect(await strict.register(['1.parquet'])).toMatchObject([{ kind: 'already-registered' }]);
    expect(await strict.offer(dataset, [{ id: 4n }])).toMatchObject({
      error: { code: 'registration.unprovable' },
    });
    await lake.expectRows(dataset);
  });
});
