import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RegistrarError } from '../../../lib/errors.ts';
import { backfill } from '../../../lib/jobs/backfill/backfill.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { fakeQueue } from '../../fakes/queue.ts';
import { foreignAppend } from '../foreign-append.ts';
import { expireOldest, rollBack } from '../maintenance.ts';
import { portsOf } from '../queue-ports.ts';
import { type Registration, startRegistration, uriOf } from '../registration.ts';
import { backfilled, livePaths, rows, ship } from './backfilled.ts';

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration();
});
afterEach(() => registration.close());

const AWAY = { when: 'before', answer: { status: 503, headers: {}, body: Buffer.from('away') } } as const;

const names = (count: number, prefix = 'part') =>
  Array.from({ length: count }, (_, at) => `${prefix}-${String(at).padStart(4, '0')}`);

describe('backfill', () => {
  test('creates tables from a lake, registers each segment once, in snapshots of the requested size', async () => {
    const orders = ship(registration, names(25)).map(uriOf);
    const events = ship(registration, names(3), 'events').map(uriOf);
    registration.upload('elsewhere/x.parquet', rows(1));
    const report = await backfilled(registration, { segmentsACommit: 10 });
    expect(report).toMatchObject({
      done: { committed: 28 },
      registered: 0,
      interrupted: false,
      refused: [],
    });
    expect(report.tables).toEqual([
      expect.objectContaining({ table: 'lake.events', committed: 3, rows: 3n, snapshots: 1 }),
      expect.objectContaining({ table: 'lake.orders', committed: 25, rows: 25n, snapshots: 3 }),
    ]);
    expect(await livePaths(registration)).toEqual(orders);
    expect(await livePaths(registration, 'events')).toEqual(events);
  });

  test('a second run finds everything registered, and reads each manifest once and no footer', async () => {
    ship(registration, names(25));
    await backfilled(registration, { segmentsACommit: 5 });
    registration.requests.length = 0;
    const again = await backfilled(registration, { segmentsACommit: 5 });
    expect(again).toMatchObject({ registered: 25, done: {} });
    expect(again.requests).toMatchObject({ put: 0, get: 1 + 5 });
    expect((await registration.table('orders'))?.snapshots.size).toBe(5);
  });

  test('adds new segments to a table with older ones, whoever registered those, and reads no manifest per batch (I2)', async () => {
    const shipped = ship(registration, names(30));
    await registration.deliver(shipped.filter((_, at) => at % 3 === 0));
    await foreignAppend(
      registration,
      'orders',
      shipped.filter((_, at) => at % 3 === 1).map((one) => ({ uri: uriOf(one), sizeBytes: one.size })),
    );
    const report = await backfilled(registration, { segmentsACommit: 2 });
    expect(report).toMatchObject({ registered: 20, done: { committed: 10 } });
    expect(report.requests.get).toBe(1 + 2 + 10 + 1);
    expect(await livePaths(registration)).toEqual(shipped.map(uriOf));
  });

  test('registers no segment twice that a function registers at the same time (I2)', async () => {
    const shipped = ship(registration, names(20));
    const beside: Promise<unknown>[] = [];
    await backfilled(registration, {
      segmentsACommit: 5,
      onProgress: () => {
        if (beside.length === 0) beside.push(registration.deliver(shipped));
      },
    });
    await Promise.all(beside);
    expect(await livePaths(registration)).toEqual(shipped.map(uriOf));
  });

  test('registers no segment twice that was registered, compacted and expired during the run (I2)', async () => {
    const shipped = ship(registration, names(20));
    let progress = 0;
    registration.around = (services) => ({
      ...services,
      catalog: {
        ...services.catalog,
        async commit(table, commit) {
          progress += 1;
          if (progress !== 2) return services.catalog.commit(table, commit);
          registration.around = undefined;
          await registration.coldStart();
          await registration.deliver(shipped.slice(5, 12));
          await registration.deliver(shipped.slice(12));
          await expireOldest(registration, 'orders', 1);
          return services.catalog.commit(table, commit);
        },
      },
    });
    const report = await backfilled(registration, { segmentsACommit: 5 });
    // Those already gathered are found by the ledger, the others by a second look through the table.
    const { committed, 'already-registered': already = 0, ...rest } = report.done;
    expect({ committed, found: already + report.registered, ...rest }).toEqual({ committed: 5, found: 15 });
    expect(await livePaths(registration)).toEqual(shipped.map(uriOf));
  });

  test.each(['answer lost', 'nothing arrived'])(
    'of a commit whose %s each segment is in once (I2, I7)',
    async (what) => {
      const shipped = ship(registration, names(20));
      let commits = 0;
      registration.around = (services) => ({
        ...services,
        catalog: {
          ...services.catalog,
          async commit(table, commit) {
            commits += 1;
            if (commits % 2 === 1) return services.catalog.commit(table, commit);
            if (what === 'answer lost') await services.catalog.commit(table, commit);
            return { outcome: 'unknown', message: 'scripted' };
          },
        },
      });
      const { done } = await backfilled(registration, { segmentsACommit: 5 });
      expect(done).toEqual({ committed: 20 });
      expect(await livePaths(registration)).toEqual(shipped.map(uriOf));
    },
  );

  test('continues after an outage of the catalog when it is run again, and loses no segment', async () => {
    const shipped = ship(registration, names(20));
    let requests = 0;
    registration.fault = ({ path }) => {
      requests += 1;
      return path.includes('/tables/') && requests % 5 === 0 ? AWAY : undefined;
    };
    const ports = portsOf(registration);
    const timers = { sleep: async () => undefined };
    const { done } = await backfilled(registration, { segmentsACommit: 5 }, { ...ports, timers });
    registration.fault = undefined;
    expect(done['failed']).toBeUndefined();
    expect(await livePaths(registration)).toEqual(shipped.map(uriOf));
  });

  test('stops counting objects when listing them fails', async () => {
    ship(registration, ['a', 'b']);
    let lists = 0;
    let counted = 0;
    // biome-ignore lint/correctness/useYield: it fails before the first object
    async function* failing() {
      throw new RegistrarError('store.unavailable', 'down');
    }
    async function* endless() {
      for (; ; counted += 1) {
        yield { uri: 's3://lake/in/x' };
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    const listed = () => {
      lists += 1;
      return lists === 1 ? failing() : endless();
    };
    const progress = { onProgress: () => undefined };
    await expect(backfill(listed, portsOf(registration), progress)).rejects.toMatchObject({
      code: 'store.unavailable',
    });
    const atEnd = counted;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(counted - atEnd).toBeLessThanOrEqual(1);
  });

  test('finishes the work under way when it is asked to stop; the next run continues from there', async () => {
    const shipped = ship(registration, names(40));
    const stop = new AbortController();
    const report = await backfilled(registration, {
      segmentsACommit: 5,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    expect(report.interrupted).toBe(true);
    expect(report.done['committed']).toBe(5);
    expect((await backfilled(registration)).done).toEqual({ committed: 35 });
    expect(await livePaths(registration)).toEqual(shipped.map(uriOf));
  });

  test('follows the schema in upload order within a commit, in the same commit (I4, I5)', async () => {
    ship(registration, names(3));
    const atMs = Date.now() - 60_000;
    registration.around = (services) => ({
      ...services,
      store: {
        ...services.store,
        async read(uri, options) {
          const read = await services.store.read(uri, options);
          const lastModifiedMs = uri.includes('first-by-key') ? atMs + 1_000 : atMs;
          return read.kind === 'object' ? { ...read, lastModifiedMs } : read;
        },
      },
    });
    const wider = writeParquet(
      {
        type: 'struct',
        fields: [
          { id: 1, name: 'id', required: true, type: 'int' },
          { id: 7, name: 'note', required: false, type: 'string' },
        ],
      },
      [{ id: 9, note: 'x' }],
    );
    registration.upload('thadam/v1/plant/orders/a-first-by-key.parquet', wider);
    const report = await backfilled(registration);
    expect(report.tables[0]).toMatchObject({
      snapshots: 1,
      schemaChanges: [expect.stringContaining('note')],
    });
    const state = await registration.table('orders');
    expect(state?.currentSchema.fields.map(({ id, name }) => [id, name])).toEqual([
      [1, 'id'],
      [7, 'note'],
    ]);
  });
});

describe('backfill: what is not registered', () => {
  test('is quarantined and reported, and left in quarantine by the next run (I9)', async () => {
    ship(registration, names(3));
    const bad = registration.upload('thadam/v1/plant/orders/bad.parquet', Buffer.from('id\n1'));
    const report = await backfilled(registration);
    expect(report.done).toEqual({ committed: 3, quarantined: 1 });
    expect(report.refused).toEqual([
      {
        uri: uriOf(bad),
        code: 'segment.unreadable',
        message: expect.stringContaining('at least 12'),
        quarantineUri: expect.stringContaining('s3://lake/quarantine/lake.orders/'),
      },
    ]);
    expect((await backfilled(registration)).done).toEqual({ waiting: 1 });
  });

  test('is only reported with on_segment_error: stop', async () => {
    await registration.close();
    registration = await startRegistration({ on_segment_error: 'stop' });
    ship(registration, names(3));
    registration.upload('thadam/v1/plant/orders/bad.parquet', Buffer.from('id\n1'));
    const report = await backfilled(registration);
    expect(report.done).toEqual({ committed: 3, failed: 1 });
    expect(report.refusedBy).toEqual({ 'segment.unreadable': 1 });
  });

  test("is a file in the table's own present or earlier paths (I11)", async () => {
    await registration.close();
    registration = await startRegistration({
      table_properties: { 'write.data.path': 's3://lake/in/thadam/v1/plant/orders/compacted' },
    });
    const shipped = ship(registration, names(2));
    await registration.deliver(shipped.slice(0, 1));
    registration.upload('thadam/v1/plant/orders/compacted/c.parquet', rows(1));
    registration.upload('thadam/v1/plant/orders/data/d.parquet', rows(1));
    expect((await backfilled(registration)).done).toEqual({ committed: 1 });
    expect(await livePaths(registration)).toEqual(shipped.map(uriOf));
  });

  test('is a path that the table has with other contents, whichever snapshot lists it', async () => {
    const shipped = ship(registration, names(5));
    await backfilled(registration);
    const [first] = shipped;
    registration.stack.objects.put('lake', first?.key ?? '', Buffer.from(rows(1, 500)));
    const report = await backfilled(registration);
    expect(report.done).toEqual({ quarantined: 1 });
    expect(report.refusedBy).toEqual({ 'segment.replaced': 1 });
    expect(await livePaths(registration)).toEqual(shipped.map(uriOf));
  });

  test('is what was rolled back', async () => {
    const shipped = ship(registration, names(2));
    await registration.deliver(shipped.slice(0, 1));
    const state = await registration.table('orders');
    await registration.deliver(shipped.slice(1));
    await rollBack(registration, 'orders', state?.refs['main']?.snapshotId ?? 0n);
    expect((await backfilled(registration)).done).toEqual({ 'rolled-back': 1 });
  });

  test('does not affect other tables when its table is missing', async () => {
    await registration.close();
    registration = await startRegistration({ create_table: false });
    ship(registration, names(3));
    const report = await backfilled(registration);
    expect(report.done).toEqual({ failed: 3 });
    expect(report.tables).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: 'table.missing' }) }),
    ]);
  });

  test('is every segment of a table whose history has a gap, if objects may be copies', async () => {
    await registration.close();
    registration = await startRegistration({ copies: 'quarantine' });
    ship(registration, names(3));
    expect((await backfilled(registration)).done).toEqual({ committed: 3 });
    await registration.deliver(ship(registration, ['z']));
    await expireOldest(registration, 'orders', 1);
    ship(registration, ['zz']);
    const report = await backfilled(registration);
    expect(report.tables[0]?.error).toMatchObject({ code: 'registration.unprovable' });
  });
});

describe('backfill through the queue', () => {
  test('sends each unregistered segment in one message, for the functions to register', async () => {
    const shipped = ship(registration, names(250));
    await registration.deliver(shipped.slice(0, 10));
    const queue = fakeQueue(registration.ports.clock, registration.ports.random);
    const ports = portsOf(registration, queue);
    const report = await backfilled(registration, { action: 'enqueue', segmentsACommit: 100 }, ports);
    expect(report).toMatchObject({ registered: 10, done: { sent: 240 } });
    const url = ports.entries[0]?.queues.registrations ?? '';
    const messages = await queue.receive(url, { maxMessages: 10, waitSeconds: 0 });
    await registration.deliver(...messages.map(({ body }) => body));
    expect(await livePaths(registration)).toEqual(shipped.map(uriOf));
  });
});
