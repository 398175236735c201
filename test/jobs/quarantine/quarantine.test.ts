import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Failure, listFailures, recordsOf } from '../../../lib/jobs/quarantine/quarantine-list.ts';
import { discard, type RedrivePorts, redrive } from '../../../lib/jobs/quarantine/quarantine-redrive.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { type FakeQueue, fakeQueue } from '../../fakes/queue.ts';
import { expireOldest } from '../maintenance.ts';
import { type Registration, type S3Record, startRegistration, withUploadTime } from '../registration.ts';

const column = (type: string): Schema => ({
  type: 'struct',
  fields: [{ id: 1, name: 'id', required: true, type }],
});
const good = (id: number) => writeParquet(column('int'), [{ id }]);
const unfit = writeParquet(column('string'), [{ id: 'x' }]);

let registration: Registration;
let queue: FakeQueue;
let ports: RedrivePorts;
let registrations: string;
let arrivals: string;
beforeEach(() => start());

async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  registration = await startRegistration(settings);
  const { clock, random, entries, portsOf } = registration.ports;
  queue = fakeQueue(clock, random);
  registrations = queue.create({ fifo: true, visibilitySeconds: 30 }).url;
  arrivals = queue.create({ fifo: false, visibilitySeconds: 30 }).url;
  ports = {
    entries: entries.map((entry) => ({ ...entry, queues: { registrations, arrivals } })),
    portsOf,
    queue,
    clock,
    random,
  };
}
afterEach(() => registration.close());

const upload = (name: string, bytes: Uint8Array): S3Record =>
  registration.upload(`thadam/v1/plant/orders/${name}.parquet`, bytes);
const uriOf = ({ key }: S3Record) => `s3://lake/${key}`;
const waiting = () => listFailures(ports);
const sent = async (queueUrl = registrations) => {
  const messages = await queue.receive(queueUrl, { maxMessages: 10, waitSeconds: 0 });
  await queue.delete(
    queueUrl,
    messages.map(({ receiptHandle }) => receiptHandle),
  );
  return messages.map(({ body }) => body);
};
const codes = (failures: readonly Failure[]) => failures.map(({ record }) => record.code);
const rowsOf = async () => {
  const state = await registration.table('orders');
  return [...(state?.snapshots.values() ?? [])].reduce(
    (sum, { summary }) => sum + Number(summary['added-records'] ?? 0),
    0,
  );
};

/** A table with one row, and a segment that does not fit it in quarantine. */
async function withUnfit(): Promise<S3Record> {
  await registration.deliver([upload('a', good(1))]);
  const bad = upload('bad', unfit);
  await registration.deliver([bad]);
  return bad;
}

describe('listFailures', () => {
  test('lists waiting failures, by table, code, segment or record', async () => {
    const bad = await withUnfit();
    await registration.deliver('not JSON');
    const all = await waiting();
    expect(codes(all).toSorted()).toEqual(['event.malformed', 'sink.iceberg_schema_mismatch']);
    const [one] = await listFailures(ports, { table: 'lake.orders' });
    expect(one?.record.segment).toMatchObject({ uri: `s3://lake/${bad.key}`, etag: bad.eTag });
    expect(codes(await listFailures(ports, { code: 'event.malformed' }))).toEqual(['event.malformed']);
    expect(await listFailures(ports, { uris: [`s3://lake/${bad.key}`] })).toEqual([one]);
    expect(await listFailures(ports, { uris: [one?.uri ?? ''] })).toEqual([one]);
  });

  test('a discarded failure no longer waits, but is still listed with --all', async () => {
    await withUnfit();
    const failures = await waiting();
    await discard(failures, ports);
    expect(await waiting()).toEqual([]);
    const [kept] = await listFailures(ports, { all: true });
    expect(kept?.state).toBe('discarded');
    const records = await recordsOf(ports, kept?.uri ?? '');
    expect(records.map(({ record }) => record.kind)).toEqual(['failure', 'discarded']);
  });
});

describe('redrive', () => {
  test('sends a discarded segment again if it is named, which is then no longer settled', async () => {
    const bad = await withUnfit();
    await discard(await waiting(), ports);
    const named = await listFailures(ports, { uris: [uriOf(bad)], all: true });
    expect((await redrive(named, ports)).map((one) => one.sent)).toEqual([true]);
    const [kept] = await listFailures(ports, { all: true });
    expect(kept?.state).toBe('redriven');
  });

  test('with absent, loads each table once, whatever the number of its segments', async () => {
    await registration.deliver([upload('a', good(1))]);
    await registration.deliver(['b', 'c', 'd'].map((name) => upload(name, unfit)));
    let loads = 0;
    registration.around = ({ catalog, ...services }) => ({
      ...services,
      catalog: {
        ...catalog,
        load(...table) {
          loads += 1;
          return catalog.load(...table);
        },
      },
    });
    const redriven = await redrive(await waiting(), ports, { absent: true });
    expect(redriven.map((one) => one.sent)).toEqual([true, true, true]);
    expect(loads).toBe(1);
  });

  test('sends a segment once although it has several failures, then answers each of them', async () => {
    const bad = await withUnfit();
    await registration.deliver([bad]);
    const failures = await waiting();
    expect(failures.length).toBe(2);
    const redriven = await redrive(failures, ports);
    expect(redriven.map((one) => one.sent)).toEqual([true, true]);
    const [body, ...more] = await sent();
    expect(more).toEqual([]);
    expect(JSON.parse(body ?? '').segments).toEqual([
      expect.objectContaining({ bucket: 'lake', key: bad.key, etag: bad.eTag }),
    ]);
    expect(await waiting()).toEqual([]);
  });

  test('a second redrive within five minutes is not dropped by deduplication', async () => {
    await withUnfit();
    const failures = await waiting();
    await redrive(failures, ports);
    await redrive(failures, ports);
    expect((await sent()).length).toBe(2);
  });

  test('a segment that the queue does not accept keeps waiting', async () => {
    await withUnfit();
    queue.refuses = () => true;
    const [one] = await redrive(await waiting(), ports);
    expect(one).toMatchObject({ sent: false, reason: expect.stringContaining('scripted') });
    expect((await waiting()).length).toBe(1);
  });

  test('an event that could not be decoded is sent unchanged to the arrivals queue', async () => {
    await registration.deliver('not JSON');
    await redrive(await waiting(), ports);
    expect(await sent(arrivals)).toEqual(['not JSON']);
    expect(await waiting()).toEqual([]);
  });

  test('an event without a queue for events holds up no segment', async () => {
    await registration.deliver('not JSON');
    await withUnfit();
    const entries = ports.entries.map((entry) => ({ ...entry, queues: { registrations } }));
    const redriven = await redrive(await waiting(), { ...ports, entries });
    expect(redriven.map((one) => (one.sent ? 'sent' : one.reason)).toSorted()).toEqual([
      'queues.arrivals is not set; name the standard queue that route reads',
      'sent',
    ]);
    expect(await sent()).toHaveLength(1);
  });

  test('the records of a segment are those of all its contents', async () => {
    const bad = await withUnfit();
    const key = bad.key.replace('in/', '');
    await registration.deliver([registration.upload(key, Buffer.from('no Parquet file'))]);
    const records = await recordsOf(ports, uriOf(bad));
    expect(records.map(({ record }) => record.code)).toEqual([
      'sink.iceberg_schema_mismatch',
      'segment.unreadable',
    ]);
  });

  test('a corrected segment is registered once, although the history since its upload has expired', async () => {
    const bad = await withUnfit();
    const [failure] = await waiting();
    expect(failure?.record.absentAt).toBeDefined();
    await registration.deliver([upload('b', good(2))]);
    await expireOldest(registration, 'orders', 1);

    await redrive(await waiting(), ports);
    const [body = ''] = await sent();
    // Its bytes are mended where they lie, as of then: nothing but the record proves that it is absent.
    registration.stack.objects.put('lake', bad.key, Buffer.from(good(3)));
    uploadedAnHourAgo();
    await registration.deliver(body);
    await registration.deliver(body);
    expect(await rowsOf()).toBe(2);
    expect(await waiting()).toEqual([]);
  });

  test('a segment refused before the first snapshot keeps that as its proof of absence', async () => {
    registration.around = ({ catalog, ...services }) => ({
      ...services,
      catalog: {
        ...catalog,
        commit: async () => ({ outcome: 'refused', reason: 'invalid', message: 'scripted' }),
      },
    });
    await registration.deliver([upload('a', good(1))]);
    registration.around = undefined;
    const bad = upload('bad', unfit);
    await registration.deliver([bad]);
    const [failure] = await waiting();
    expect(failure?.record.absentAt).toEqual({
      tableUuid: (await registration.table('orders'))?.uuid,
      snapshotId: null,
    });
    await redrive(await waiting(), ports);
    const [body = ''] = await sent();
    registration.stack.objects.put('lake', bad.key, Buffer.from(good(3)));
    await registration.deliver(body);
    expect(await rowsOf()).toBe(1);
  });

  test('a copy that was quarantined by copies: quarantine is registered after a redrive', async () => {
    await registration.close();
    await start({ copies: 'quarantine' });
    await registration.deliver([upload('a', good(1))]);
    const { key } = upload('copy', good(2));
    const notification = JSON.stringify({ v: 1, segments: [{ bucket: 'lake', key, copied: true }] });
    await registration.deliver(notification);
    expect(codes(await waiting())).toEqual(['registration.unprovable']);
    await redrive(await waiting(), ports);
    const [body = ''] = await sent();
    await registration.deliver(body, notification);
    expect(await waiting()).toEqual([]);
    expect(await rowsOf()).toBe(2);
  });

  test('an unprovable segment is registered only when it is redriven as absent', async () => {
    await registration.deliver([upload('a', good(1))]);
    await registration.deliver([upload('b', good(2))]);
    await expireOldest(registration, 'orders', 1);
    uploadedAnHourAgo();
    const late = upload('late', good(3));
    await registration.deliver([late]);
    expect(codes(await waiting())).toEqual(['registration.unprovable']);

    await redrive(await waiting(), ports);
    for (const body of await sent()) await registration.deliver(body);
    expect(codes(await waiting())).toEqual(['registration.unprovable']);

    await redrive(await waiting(), ports, { absent: true });
    const bodies = await sent();
    for (const body of [...bodies, ...bodies]) await registration.deliver(body);
    expect(await waiting()).toEqual([]);
    expect(await rowsOf()).toBe(2);
  });
});

function uploadedAnHourAgo(): void {
  registration.around = withUploadTime(Date.now() - 3_600_000);
}
