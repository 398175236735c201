import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dryRun } from '../../../lib/jobs/backfill/dry-run.ts';
import { lakeAt, listedObjects } from '../../../lib/jobs/backfill/lake.ts';
import { portsOf } from '../queue-ports.ts';
import { type Registration, startRegistration } from '../registration.ts';
import { rows, ship } from './backfilled.ts';

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration();
});
afterEach(() => registration.close());

const names = (count: number) => Array.from({ length: count }, (_, at) => `part-${at}`);
const run = (sampleSize: number) =>
  dryRun(
    ({ entries, portsOf: services }) => listedObjects(lakeAt('s3://lake/in', entries), services),
    portsOf(registration),
    { segmentsACommit: 10, sampleSize, signal: new AbortController().signal },
  );

describe('dryRun', () => {
  test('reports what would be created, refused and spent, and writes nothing', async () => {
    ship(registration, names(25));
    await registration.deliver(ship(registration, ['a', 'b'], 'events'));
    ship(registration, ['c'], 'events');
    registration.upload('thadam/v1/plant/orders/bad.parquet', Buffer.from('id\n1'));
    registration.requests.length = 0;
    const forecast = await run(1_000);
    expect(registration.requests.filter((request) => /^(PUT|POST|DELETE)/.test(request))).toEqual([]);
    expect(forecast).toMatchObject({ registered: 2, left: {}, interrupted: false, refusedOfAll: 1 });
    expect(forecast.tables).toEqual([
      expect.objectContaining({ table: 'lake.events', segments: 1, isNew: false, committed: 1 }),
      expect.objectContaining({
        table: 'lake.orders',
        segments: 26,
        snapshots: 3,
        sampled: 26,
        committed: 25,
        isNew: true,
        schemaChanges: [expect.stringContaining('id')],
      }),
    ]);
    expect(forecast.refused).toEqual([expect.objectContaining({ code: 'segment.unreadable' })]);
    expect(forecast.estimate.requests).toEqual({ get: 27, put: 2 + 6, list: 1, catalog: 2 + 4 });
    expect(await registration.table('orders')).toBeUndefined();
  });

  test('reads no more segments of a table than requested, and estimates the rest', async () => {
    ship(registration, names(20));
    for (const name of names(20)) {
      registration.upload(`thadam/v1/plant/orders/bad-${name}.parquet`, Buffer.from('id\n1'));
    }
    registration.requests.length = 0;
    const { tables, refused, refusedOfAll } = await run(10);
    expect(tables[0]).toMatchObject({ segments: 40, sampled: 10 });
    expect(refusedOfAll).toBe(refused.length * 4);
    expect(registration.requests.filter((request) => request === 'GET s3').length).toBeLessThan(20);
  });

  test('reports a table that may not be created', async () => {
    await registration.close();
    registration = await startRegistration({ create_table: false });
    registration.upload('thadam/v1/plant/orders/a.parquet', rows(1));
    const { tables, left } = await run(10);
    expect(left).toEqual({ failed: 1 });
    expect(tables).toEqual([
      expect.objectContaining({
        table: 'lake.orders',
        error: expect.objectContaining({ code: 'table.missing' }),
      }),
    ]);
  });
});
