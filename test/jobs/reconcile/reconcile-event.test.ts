import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReconcilePorts } from '../../../lib/jobs/reconcile/reconcile.ts';
import { reconcileRequest } from '../../../lib/jobs/reconcile/reconcile-event.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { fakeQueue } from '../../fakes/queue.ts';
import { type Registration, type S3Record, startRegistration } from '../registration.ts';

let registration: Registration;
let ports: ReconcilePorts;
beforeEach(async () => {
  registration = await startRegistration();
  const { clock, random, entries, portsOf } = registration.ports;
  const queue = fakeQueue(clock, random);
  const { url } = queue.create({ fifo: true, visibilitySeconds: 30 });
  ports = {
    ...registration.ports,
    // The schedule comes two hours later.
    clock: { now: () => clock.now() + 2 * 3_600_000 },
    entries: entries.map((entry) => ({ ...entry, queues: { registrations: url } })),
    servicesOf: portsOf,
    queue,
  };
});
afterEach(() => registration.close());

const upload = (dataset: string, name: string): S3Record =>
  registration.upload(
    `thadam/v1/plant/${dataset}/${name}.parquet`,
    writeParquet({ type: 'struct', fields: [{ id: 1, name: 'id', required: true, type: 'int' }] }, [
      { id: 1 },
    ]),
  );

describe('reconcileRequest', () => {
  test('enqueues what is missing, of one dataset where it is named', async () => {
    await registration.deliver([upload('orders', 'a'), upload('events', 'a')]);
    upload('orders', 'lost');
    upload('events', 'lost');
    const { reconciled, next } = await reconcileRequest({ dataset: 'events' }, ports, () => 60_000);
    expect(next).toBeUndefined();
    expect(reconciled).toEqual([
      expect.objectContaining({ table: 'lake.events', missing: 1, registered: 1, done: { sent: 1 } }),
    ]);
    expect((await reconcileRequest({}, ports, () => 60_000)).reconciled.length).toBe(2);
  });

  test('goes on where time ran out, over the borders of datasets', async () => {
    await registration.deliver([upload('orders', 'a'), upload('events', 'a')]);
    upload('orders', 'lost');
    upload('events', 'lost');
    let request: unknown = { missing: 'report' };
    let missing = 0;
    for (let passes = 0; passes < 40 && request !== undefined; passes += 1) {
      let left = 3;
      const answer = await reconcileRequest(request, ports, () => (left-- > 0 ? 60_000 : 0));
      missing += answer.reconciled.reduce((sum, one) => sum + one.missing, 0);
      request = answer.next;
    }
    expect(request).toBeUndefined();
    expect(missing).toBe(2);
  });

  test("one dataset's failure is reported after the others were looked at", async () => {
    await registration.deliver([upload('orders', 'a')]);
    upload('orders', 'lost');
    upload('events', 'of a table that is not there');
    await expect(reconcileRequest({}, ports, () => 60_000)).rejects.toMatchObject({ code: 'table.missing' });
    expect(registration.log).toContainEqual(expect.objectContaining({ event: 'reconciled', missing: 1 }));
  });

  test.each([{ since: 'yesterday' }, { missing: 'register' }])('refuses %j', async (request) => {
    await expect(reconcileRequest(request, ports, () => 60_000)).rejects.toMatchObject({
      code: 'config.invalid',
    });
  });
});
