import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { health, logHealth } from '../../../lib/jobs/health/health.ts';
import type { NotificationConfiguration, QueueWatch } from '../../../lib/ports/setup.ts';
import type { Clock } from '../../../lib/ports.ts';
import { wire } from '../../../lib/wire.ts';
import { orders } from '../../../local/shipper/orders.ts';
import { makeSegment } from '../../../local/shipper/segment.ts';
import { memoryLog } from '../../fakes/log.ts';
import { type Registration, startRegistration } from '../registration.ts';

const HOUR_MS = 3_600_000;

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration({ freshness: '1h' });
});
afterEach(() => registration.close());

let queueWatch: QueueWatch;
beforeEach(() => {
  queueWatch = {
    count: async () => ({ messages: 0, deadLetterUrl: undefined }),
    ages: async () => new Map(),
  };
});

let notifications: NotificationConfiguration = {};

async function look(inMs = 0, withDenied = false) {
  const wiring = await wire({ ...registration.environment });
  const denied = wiring.entries.map((entry) => ({ ...entry, url: 's3://nobody/in' }));
  const ports = { ...wiring, entries: withDenied ? [...denied, ...wiring.entries] : wiring.entries };
  const clock: Clock = { now: () => Date.now() + inMs };
  const report = await health({
    ...ports,
    clock,
    notificationsOf: () => ({ read: async () => notifications }),
    queueWatch,
  });
  const log = memoryLog();
  logHealth(report, log);
  return { ...report, log: log.records };
}

async function ship(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const { key, bytes } = makeSegment(orders, 0, at);
    await registration.deliver([registration.upload(key, bytes)]);
  }
}

describe('health', () => {
  test('finds a table available, fresh and healthy after its registration, and reads only', async () => {
    await ship(2);
    registration.requests.length = 0;
    const { tables, log } = await look();
    expect(tables).toEqual([
      expect.objectContaining({ table: 'lake.orders', available: true, fresh: true, healthy: true }),
    ]);
    expect(registration.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
    expect(log.at(-1)).toMatchObject({
      event: 'health',
      tables: 1,
      tablesUnavailable: 0,
      tablesStale: 0,
      tablesUnhealthy: 0,
    });
  });

  test('still reports the tables of other entries when the objects of one entry cannot be listed', async () => {
    await ship(1);
    const { tables, unlisted, log } = await look(0, true);
    expect(tables).toEqual([expect.objectContaining({ table: 'lake.orders', available: true })]);
    expect(unlisted).toEqual([
      { url: 's3://nobody/in', problem: expect.stringContaining('store.unavailable') },
    ]);
    expect(log).toContainEqual(expect.objectContaining({ event: 'entry-unlisted', url: 's3://nobody/in' }));
    expect(log.at(-1)).toMatchObject({ event: 'health', tables: 1, tablesUnavailable: 1 });
  });

  test('reports an unexpected error of one table as its problem', async () => {
    await ship(1);
    const ports = await wire({ ...registration.environment });
    const report = await health({
      ...ports,
      portsOf: (entry) => ({
        ...ports.portsOf(entry),
        catalog: { ...ports.portsOf(entry).catalog, load: () => Promise.reject(new TypeError('unforeseen')) },
      }),
      notificationsOf: () => ({ read: async () => notifications }),
      queueWatch,
    });
    expect(report.tables).toEqual([
      expect.objectContaining({
        available: false,
        problem: expect.stringContaining('internal.error: unforeseen'),
      }),
    ]);
  });

  test('keeps only the newest moment of each trend when trends are not wanted', async () => {
    await ship(3);
    const ports = await wire({ ...registration.environment });
    const found = await health(
      { ...ports, notificationsOf: () => ({ read: async () => notifications }), queueWatch },
      { trends: false },
    );
    expect(found.tables[0]?.trend.moments.map(({ totalFiles }) => totalFiles)).toEqual([3]);
  });

  test('derives the trend from the retained snapshots, oldest first', async () => {
    await ship(3);
    const [table] = (await look()).tables;
    expect(table?.trend.moments.map(({ totalFiles }) => totalFiles)).toEqual([1, 2, 3]);
    expect(table?.trend.moments.every(({ addedRows }) => (addedRows ?? 0) > 0)).toBe(true);
  });

  test('finds a table stale when its newest snapshot is older than the freshness', async () => {
    await ship(1);
    const { tables, log } = await look(2 * HOUR_MS);
    expect(tables).toEqual([expect.objectContaining({ available: true, fresh: false, healthy: true })]);
    expect(log.at(-1)).toMatchObject({ tablesStale: 1, tablesUnavailable: 0 });
    expect(log[0]).toMatchObject({ advice: [expect.stringContaining('age of the newest snapshot')] });
  });

  test('finds a dataset without a table unavailable, and says how to create it', async () => {
    const { key, bytes } = makeSegment(orders, 0, 0);
    registration.upload(key, bytes);
    const { tables, log } = await look();
    expect(tables).toEqual([
      expect.objectContaining({ available: false, problem: expect.stringContaining('table.missing') }),
    ]);
    expect(log.at(-1)).toMatchObject({ tablesUnavailable: 1, tablesStale: 0, tablesUnhealthy: 0 });
  });

  test('finds a table unavailable when one of its files cannot be read', async () => {
    await ship(1);
    const { key } = makeSegment(orders, 0, 0);
    registration.upload(key, Buffer.from('cut short'));
    const { tables } = await look();
    expect(tables).toEqual([
      expect.objectContaining({
        available: false,
        problem: expect.stringMatching(/segment\.unreadable.*"hort"/),
      }),
    ]);
  });

  test('finds a table unhealthy while one of its segments waits in quarantine', async () => {
    await ship(1);
    await registration.deliver([
      registration.upload(makeSegment(orders, 0, 1).key, Buffer.from('no Parquet at all')),
    ]);
    const [table] = (await look()).tables;
    expect(table).toMatchObject({ available: true, healthy: false, openFailures: 1 });
    expect(table?.checks.filter(({ ok }) => !ok)).toEqual([
      expect.objectContaining({ measure: 'open quarantine records', value: 1, threshold: 0 }),
    ]);
  });

  test('finds a quarantined event that could not be decoded and belongs to no table', async () => {
    await ship(1);
    const ports = await wire({ ...registration.environment });
    await ports.quarantine.put({ v: 1, kind: 'failure', at: new Date().toISOString(), body: 'no event' });
    const { tables, events, log } = await look();
    expect(tables).toEqual([expect.objectContaining({ healthy: true })]);
    expect(events.flatMap(({ checks }) => checks)).toEqual([
      expect.objectContaining({ value: 1, ok: false }),
    ]);
    expect(log).toContainEqual(expect.objectContaining({ event: 'events-quarantined', count: 1 }));
  });

  test('finds a bucket that no longer notifies the arrivals queue', async () => {
    await ship(1);
    const arrivals = 'https://sqs.eu-central-1.amazonaws.com/123456789012/arrivals';
    registration = Object.assign(registration, {
      environment: { ...registration.environment, REGISTRAR_QUEUES__ARRIVALS: arrivals },
    });
    const missing = await look();
    expect(missing.notifications).toEqual([
      {
        bucket: 'lake',
        prefix: 'in/',
        notified: false,
        problem: expect.stringContaining('init notifications --stage STAGE --apply'),
      },
    ]);
    expect(missing.log.at(-1)).toMatchObject({ event: 'health', notificationsMissing: 1 });
    notifications = { EventBridgeConfiguration: {} };
    expect((await look()).log.at(-1)).toMatchObject({ notificationsMissing: 0 });
  });

  test('says once what concerns a url that several entries share', async () => {
    await ship(1);
    const arrivals = 'https://sqs.eu-central-1.amazonaws.com/123456789012/arrivals';
    const wiring = await wire({ ...registration.environment, REGISTRAR_QUEUES__ARRIVALS: arrivals });
    const [entry] = wiring.entries;
    if (entry === undefined) throw new Error('no entry');
    const of = (url: string, from: string) => ({ ...entry, url, from: [from] });
    const report = await health({
      ...wiring,
      entries: [entry, of(entry.url, 'clicks'), of('s3://nobody/in', 'a'), of('s3://nobody/in', 'b')],
      notificationsOf: () => ({ read: async () => ({}) }),
      queueWatch,
    });
    expect(report.notifications.map(({ bucket, prefix }) => `${bucket}/${prefix}`)).toEqual([
      'lake/in/',
      'nobody/in/',
    ]);
    expect(report.unlisted.map(({ url }) => url)).toEqual(['s3://nobody/in']);
  });

  test.each([
    ['an emulator’s', 'http://127.0.0.1:9324/000000000000/arrivals'],
    ['Pub/Sub’s', 'projects/p/topics/arrivals'],
  ])(
    'does not know whether a bucket notifies a queue that has no ARN, %s, and goes on',
    async (_, arrivals) => {
      await ship(1);
      const environment = { ...registration.environment, REGISTRAR_QUEUES__ARRIVALS: arrivals };
      registration = Object.assign(registration, { environment });
      const { tables, notifications: found, log } = await look();
      expect(tables).toEqual([expect.objectContaining({ healthy: true })]);
      expect(found).toEqual([
        {
          bucket: 'lake',
          prefix: 'in/',
          notified: undefined,
          problem: expect.stringMatching(
            /^not known whether bucket "lake" notifies of "in\/": Cannot notify the queue .+config\.invalid/,
          ),
        },
      ]);
      expect(log.at(-1)).toMatchObject({ event: 'health', notificationsMissing: 0 });
    },
  );
});
