import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { health, logHealth } from '../../lib/jobs/health/health.ts';
import { commitsLostSince, lostCommits } from '../../lib/jobs/lost-commits.ts';
import { wire } from '../../lib/wire.ts';
import { orders } from '../../local/shipper/orders.ts';
import { makeSegment } from '../../local/shipper/segment.ts';
import { memoryLog } from '../fakes/log.ts';
import { expireOldest, rollBack } from './maintenance.ts';
import { type Registration, startRegistration } from './registration.ts';
import { restore } from './restored-catalog.ts';

const noQueues = {
  count: async () => ({ messages: 0, deadLetterUrl: undefined }),
  ages: async () => new Map(),
};

let registration: Registration;
/** Where the table's metadata was after each registration. */
let locations: string[];
beforeEach(async () => {
  registration = await startRegistration();
  locations = [];
});
afterEach(() => registration.close());

async function ship(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const { key, bytes } = makeSegment(orders, 0, locations.length);
    await registration.deliver([registration.upload(key, bytes)]);
    const location = (await registration.table('orders'))?.metadataLocation;
    if (location !== undefined) locations.push(location);
  }
}

const restoreTo = (at: number) =>
  restore(
    `${registration.stack.catalogUri}/v1`,
    { namespace: 'lake', name: 'orders' },
    locations.at(at) ?? '',
  );

async function lost() {
  const ports = await wire({ ...registration.environment });
  const [entry] = ports.entries;
  const state = await registration.table('orders');
  if (entry === undefined || state === undefined) throw new Error('there is no table');
  return lostCommits(state.identifier, state, ports.portsOf(entry));
}

test('lostCommits follows versions beyond five digits', async () => {
  await ship(3);
  const folder = locations[0]?.slice('s3://lake/'.length, locations[0].lastIndexOf('/')) ?? '';
  const { objects } = registration.stack;
  for (const [at, name] of [
    [0, '99999-a'],
    [2, '100001-b'],
  ] as const) {
    const bytes = objects.get('lake', locations[at]?.slice('s3://lake/'.length) ?? '')?.bytes ?? Buffer.of();
    objects.put('lake', `${folder}/${name}.metadata.json`, bytes);
  }
  locations.push(`s3://lake/${folder}/99999-a.metadata.json`);
  await restoreTo(-1);
  expect(await lost()).toEqual({
    metadataLocation: `s3://lake/${folder}/100001-b.metadata.json`,
    snapshots: 2,
    registrations: 2,
  });
});

describe('commitsLostSince', () => {
  const told = () => registration.log.filter(({ event }) => event === 'commits-lost');

  test('a warm container reports a single lost commit, once', async () => {
    await ship(2);
    await restoreTo(0);
    await ship(2);
    expect(told()).toEqual([
      expect.objectContaining({
        table: 'lake.orders',
        metadataLocation: locations[1],
        snapshots: 1,
        registrations: 1,
      }),
    ]);
  });

  test('a cold container cannot detect a single lost commit', async () => {
    await ship(2);
    await restoreTo(0);
    await registration.coldStart();
    await ship(2);
    expect(told()).toEqual([]);
  });

  test('counts what is lost, in whatever order the catalog lists its snapshots', async () => {
    await ship(3);
    const known = await registration.table('orders');
    await restoreTo(0);
    await registration.coldStart();
    await ship(2);
    const now = await registration.table('orders');
    if (known === undefined || now === undefined) throw new Error('there is no table');
    const reversed = { ...known, snapshots: new Map([...known.snapshots].reverse()) };
    for (const state of [known, reversed]) {
      expect(commitsLostSince(state, now, 'main')).toMatchObject({ snapshots: 2, registrations: 2 });
    }
  });

  test('a commit that was rolled back and has expired is not lost', async () => {
    await ship(2);
    const known = await registration.table('orders');
    const [first] = known?.snapshots.keys() ?? [];
    if (known === undefined || first === undefined) throw new Error('there is no table');
    await rollBack(registration, 'orders', first);
    await ship(1);
    await expireOldest(registration, 'orders', 1);
    const now = await registration.table('orders');
    expect(now?.snapshots.size).toBe(1);
    expect(now && commitsLostSince(known, now, 'main')).toBeUndefined();
  });
});

describe('lostCommits', () => {
  test('are the commits that a restored catalog no longer has', async () => {
    await ship(4);
    expect(await lost()).toBeUndefined();
    await restoreTo(0);
    expect(await lost()).toEqual({ metadataLocation: locations[3], snapshots: 3, registrations: 3 });
  });

  test('are reported until the table has had as many commits as before', async () => {
    await ship(4);
    await restoreTo(0);
    await registration.coldStart();
    await ship(1);
    expect(await lost()).toMatchObject({ snapshots: 3 });
    await ship(2);
    expect(await lost()).toBeUndefined();
  });

  test('are not concluded from one metadata file ahead, which may belong to a refused commit', async () => {
    await ship(2);
    await restoreTo(0);
    expect(await lost()).toBeUndefined();
  });

  test('do not include commits that land during the check', async () => {
    await ship(1);
    const ports = await wire({ ...registration.environment });
    const [entry] = ports.entries;
    const before = await registration.table('orders');
    if (entry === undefined || before === undefined) throw new Error('there is no table');
    await ship(3);
    expect(await lostCommits(before.identifier, before, ports.portsOf(entry))).toBeUndefined();
  });

  test('do not include those of a table that was dropped and created again at the same location', async () => {
    await ship(3);
    const { uuid } = (await registration.table('orders')) ?? {};
    const url = `${registration.stack.catalogUri}/v1/namespaces/lake/tables`;
    expect((await fetch(`${url}/orders?purgeRequested=false`, { method: 'DELETE' })).ok).toBe(true);
    const schema = { type: 'struct', fields: [{ id: 1, name: 'id', required: false, type: 'int' }] };
    const location = 's3://lake/in/thadam/v1/plant/orders';
    const created = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'orders', schema, location }),
    });
    expect(created.ok).toBe(true);
    expect((await registration.table('orders'))?.uuid).not.toBe(uuid);
    expect(await lost()).toBeUndefined();
  });

  test('make the table unhealthy and are logged as an error', async () => {
    await ship(3);
    await restoreTo(0);
    const ports = await wire({ ...registration.environment });
    const report = await health({
      ...ports,
      notificationsOf: () => ({ read: async () => ({}) }),
      queueWatch: noQueues,
    });
    expect(report.tables).toEqual([
      expect.objectContaining({ available: true, healthy: false, lost: expect.anything() }),
    ]);
    const log = memoryLog();
    logHealth(report, log);
    expect(log.records).toContainEqual(
      expect.objectContaining({ event: 'commits-lost', table: 'lake.orders', registrations: 2 }),
    );
  });
});
