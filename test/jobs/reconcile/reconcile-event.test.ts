import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReconcilePorts } from '../../../lib/jobs/reconcile/reconcile.ts';
import { reconcileRequest } from '../../../lib/jobs/reconcile/reconcile-event.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { fakeQueue } from '../../fakes/queue.ts';
import { type Registration, type S3Record, startRegistration } from '../registration.ts';

let registration: Registration;
let ports: ReconcilePorts;
beforeEach(() => start());
afterEach(() => registration.close());

async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  registration = await startRegistration(settings);
  const { clock, random, entries } = registration.ports;
  const queue = fakeQueue(clock, random);
  const { url } = queue.create({ fifo: true, visibilitySeconds: 30 });
  ports = {
    ...registration.ports,
    // The schedule comes two hours later.
    clock: { now: () => clock.now() + 2 * 3_600_000 },
    entries: entries.map((entry) => ({ ...entry, queues: { registrations: url } })),
    queue,
  };
}

const schema: Schema = { type: 'struct', fields: [{ id: 1, name: 'id', required: true, type: 'int' }] };
const upload = (dataset: string, name: string): S3Record =>
  registration.upload(`thadam/v1/plant/${dataset}/${name}.parquet`, writeParquet(schema, [{ id: 1 }]));

/** Runs passes that have time for an object or two each, until none is asked for; answers how many segments they found missing. */
async function missingOverPasses(): Promise<number> {
  let request: unknown = { missing: 'report' };
  let missing = 0;
  for (let passes = 0; passes < 60 && request !== undefined; passes += 1) {
    let left = 3;
    const answer = await reconcileRequest(request, ports, () => (left-- > 0 ? 60_000 : 0));
    missing += answer.totals['missing'] ?? 0;
    // As EventBridge brings it back.
    request = answer.next && JSON.parse(JSON.stringify(answer.next));
  }
  expect(request).toBeUndefined();
  return missing;
}

describe('reconcileRequest', () => {
  test('enqueues missing segments, of one dataset if the request names it', async () => {
    await registration.deliver([upload('orders', 'a'), upload('events', 'a')]);
    upload('orders', 'lost');
    upload('events', 'lost');
    const { datasets, totals, next } = await reconcileRequest({ dataset: 'events' }, ports, () => 60_000);
    expect(next).toBeUndefined();
    expect(datasets).toBe(1);
    expect(totals).toMatchObject({ missing: 1, registered: 1, sent: 1, quarantined: 0 });
    expect(await reconcileRequest({}, ports, () => 60_000)).toMatchObject({
      datasets: 2,
      totals: { missing: 2, registered: 2, sent: 2 },
    });
  });

  test('continues where time ran out, also in the next dataset', async () => {
    await registration.deliver([upload('orders', 'a'), upload('events', 'a')]);
    upload('orders', 'lost');
    upload('events', 'lost');
    expect(await missingOverPasses()).toBe(2);
  });

  test('continues with a dataset whose name is the beginning of the previous one', async () => {
    await registration.deliver([upload('orders', 'a'), upload('orders-eu', 'a'), upload('orders.v2', 'a')]);
    for (const dataset of ['orders', 'orders-eu', 'orders.v2']) upload(dataset, 'lost');
    expect(await missingOverPasses()).toBe(3);
  });

  test('continues in the next entry, whatever the order of the entries', async () => {
    await registration.deliver([upload('orders', 'a'), upload('events', 'a')]);
    upload('orders', 'lost');
    upload('events', 'lost');
    ports = {
      ...ports,
      entries: ['orders', 'events'].flatMap((name) =>
        ports.entries.map((entry) => ({ ...entry, from: [name] })),
      ),
    };
    expect(await missingOverPasses()).toBe(2);
  });

  test("reports one dataset's failure after the others were compared", async () => {
    await registration.deliver([upload('orders', 'a')]);
    upload('orders', 'lost');
    upload('events', 'of a table that is not there');
    await expect(reconcileRequest({}, ports, () => 60_000)).rejects.toMatchObject({ code: 'table.missing' });
    expect(registration.log).toContainEqual(expect.objectContaining({ event: 'reconciled', missing: 1 }));
  });

  test('reports an entry whose objects cannot be listed after the others were compared', async () => {
    await registration.deliver([upload('orders', 'a')]);
    upload('orders', 'lost');
    const [entry] = ports.entries;
    if (entry === undefined) throw new Error('no entry');
    const denied = { ...entry, url: 's3://nobody/in' };
    const both = { ...ports, entries: [denied, entry] };
    await expect(reconcileRequest({}, both, () => 60_000)).rejects.toMatchObject({
      code: 'store.unavailable',
    });
    expect(registration.log).toContainEqual(
      expect.objectContaining({ event: 'reconcile-failed', directory: 's3://nobody/in' }),
    );
    expect(registration.log).toContainEqual(expect.objectContaining({ event: 'reconciled', missing: 1 }));
  });

  test("remembers one dataset's failure when time runs out before the others were compared", async () => {
    await registration.deliver([upload('orders', 'a')]);
    upload('orders', 'lost');
    upload('events', 'of a table that is not there');
    let left = 3;
    const answer = await reconcileRequest({}, ports, () => (left-- > 0 ? 60_000 : 0));
    expect(answer.next).toMatchObject({ failed: { code: 'table.missing' } });
    const rest = reconcileRequest(answer.next, ports, () => 60_000);
    await expect(rest).rejects.toMatchObject({
      code: 'table.missing',
      message: answer.next?.failed?.message,
    });
  });

  test('a pass without any progress is an error, so that passes do not continue for ever', async () => {
    await registration.deliver([upload('orders', 'a')]);
    const first = await reconcileRequest({}, ports, () => 0);
    await expect(reconcileRequest(first.next, ports, () => 0)).rejects.toMatchObject({
      code: 'invocation.timeout',
      message: expect.stringContaining("rewrite the table's manifests"),
    });
  });

  test.each([
    { since: 'yesterday' },
    { since: '5' },
    { since: '2026-02-30' },
    { since: '2026-13-01' },
    { missing: 'register' },
  ])('refuses %j', async (request) => {
    await expect(reconcileRequest(request, ports, () => 60_000)).rejects.toMatchObject({
      code: 'config.invalid',
    });
  });
});

test('reconcileRequest continues in a directory that several datasets share', async () => {
  await registration.close();
  await start({
    layout: '{url}/{dataset}-{part}.parquet',
    table_location: 's3://lake/tables/{dataset}',
  });
  const shared = (dataset: string, part: number) =>
    registration.upload(`${dataset}-${part}.parquet`, writeParquet(schema, [{ id: part }]));
  await registration.deliver([shared('orders', 0), shared('events', 0)]);
  for (const part of [1, 2]) for (const dataset of ['orders', 'events']) shared(dataset, part);
  expect(await missingOverPasses()).toBe(4);
});
