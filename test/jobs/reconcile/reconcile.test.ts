import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RegistrarError } from '../../../lib/errors.ts';
import { datasetsOf } from '../../../lib/jobs/datasets/datasets.ts';
import { listFailures } from '../../../lib/jobs/quarantine/quarantine-list.ts';
import { discard } from '../../../lib/jobs/quarantine/quarantine-redrive.ts';
import { type ReconcileOptions, reconcile } from '../../../lib/jobs/reconcile/reconcile.ts';
import type { ReconcileProgress } from '../../../lib/jobs/reconcile/reconcile-progress.ts';
import type { Reconciliation } from '../../../lib/jobs/reconcile/reconcile-report.ts';
import { register } from '../../../lib/jobs/register/register.ts';
import { repair } from '../../../lib/jobs/repair/repair.ts';
import { planRepair } from '../../../lib/jobs/repair/repair-plan.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { branchHead } from '../../../lib/spec/table-state.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { engineFile } from '../../fakes/engine-file.ts';
import { type FakeQueue, fakeQueue } from '../../fakes/queue.ts';
import { foreignAppend } from '../foreign-append.ts';
import { expireOldest, rollBack } from '../maintenance.ts';
import { portsOf } from '../queue-ports.ts';
import { type Registration, type S3Record, startRegistration, uriOf } from '../registration.ts';
import { restore } from '../restored-catalog.ts';

const schema: Schema = {
  type: 'struct',
  fields: [{ id: 1, name: 'id', required: true, type: 'int' }],
};
const bytes = (id: number, rows = 1) =>
  writeParquet(
    schema,
    Array.from({ length: rows }, (_, row) => ({ id: id + row })),
  );

let registration: Registration;
let queue: FakeQueue;
beforeEach(async () => {
  registration = await startRegistration();
  queue = fakeQueue(registration.ports.clock, registration.ports.random);
});
afterEach(() => registration.close());

const upload = (name: string, id: number, dataset = 'orders'): S3Record =>
  registration.upload(`thadam/v1/plant/${dataset}/${name}.parquet`, bytes(id));

/** What was uploaded now is no longer young. */
async function reconciled(
  options: ReconcileOptions = {},
  remainingMs: () => number = () => 60_000,
): Promise<Reconciliation> {
  const ports = portsOf(registration, queue);
  const [entry] = ports.entries;
  if (entry === undefined) throw new Error('no entry');
  const datasets = await Array.fromAsync(datasetsOf(entry, ports.entries, ports.portsOf(entry).store));
  const dataset = datasets.find((one) => one.dataset === 'orders');
  if (dataset === undefined) throw new Error('no dataset');
  return reconcile(dataset, ports, { graceMs: -60_000, ...options }, remainingMs);
}

const found = ({ missing, reported }: Reconciliation) =>
  Object.fromEntries(
    [['missing', missing] as const, ...Object.entries(reported)]
      .filter(([, { count }]) => count > 0)
      .map(([reason, { sample }]) => [reason, sample]),
  );

describe('datasetsOf', () => {
  test('finds every dataset in key order, with one list request each', async () => {
    for (const dataset of ['orders', 'orders.daily', 'events']) {
      for (const name of ['a', 'b', 'c']) upload(name, 1, dataset);
    }
    registration.upload('elsewhere/x.parquet', bytes(1));
    const ports = portsOf(registration, queue);
    const [entry] = ports.entries;
    if (entry === undefined) throw new Error('no entry');
    registration.requests.length = 0;
    const datasets = await Array.fromAsync(datasetsOf(entry, ports.entries, ports.portsOf(entry).store));
    expect(datasets.map(({ dataset }) => dataset)).toEqual(['events', 'orders.daily', 'orders']);
    expect(registration.requests.length).toBe(4);
  });

  test('passes over what is no dataset, in whole directories', async () => {
    const ports = portsOf(registration, queue);
    const [entry] = ports.entries.map((one) => ({ ...one, from: ['orders'] }));
    if (entry === undefined) throw new Error('no entry');
    const directory = 's3://lake/in/thadam/v1/plant';
    const many = (folder: string) => Array.from({ length: 3_000 }, (_, at) => `${directory}/${folder}/${at}`);
    const keys = [
      ...many('clicks'),
      ...many('orders/data'),
      ...many('orders/metadata'),
      `${directory}/orders/x`,
    ].sort();
    let listed = 0;
    async function* list(_: string, { startAfter = '' }: { readonly startAfter?: string } = {}) {
      for (const uri of keys.filter((key) => key > startAfter)) {
        listed += 1;
        yield { uri, sizeBytes: 1, version: 'v', lastModifiedMs: 0 };
      }
    }
    const datasets = await Array.fromAsync(datasetsOf(entry, [entry], { list }));
    expect(datasets.map(({ dataset }) => dataset)).toEqual(['orders']);
    expect(listed).toBeLessThan(3_010);
  });

  test('says that it is out of time, and where', async () => {
    const ports = portsOf(registration, queue);
    const [entry] = ports.entries;
    if (entry === undefined) throw new Error('no entry');
    async function* list() {
      for (let at = 0; ; at += 1)
        yield { uri: `s3://lake/in/thadam/${at}`, sizeBytes: 1, version: 'v', lastModifiedMs: 0 };
    }
    await expect(Array.fromAsync(datasetsOf(entry, [entry], { list }, () => true))).rejects.toMatchObject({
      code: 'invocation.timeout',
      message: expect.stringContaining('at "s3://lake/in/thadam/999" it is out of time'),
    });
  });

  test('ends also with a store that ignores startAfter', async () => {
    for (const dataset of ['orders', 'events']) upload('a', 1, dataset);
    const ports = portsOf(registration, queue);
    const [entry] = ports.entries;
    if (entry === undefined) throw new Error('no entry');
    const { store } = ports.portsOf(entry);
    const datasets: string[] = [];
    for await (const { dataset } of datasetsOf(entry, ports.entries, { list: (uri) => store.list(uri) })) {
      datasets.push(dataset);
      if (datasets.length > 2) break;
    }
    expect(datasets).toEqual(['events', 'orders']);
  });
});

describe('reconcile: what is missing', () => {
  test("is found where the table's metadata directory may not be listed, as with vended credentials", async () => {
    await registration.deliver([upload('a', 1)]);
    const lost = upload('b', 2);
    registration.around = (services) => ({
      ...services,
      store: {
        ...services.store,
        list: (prefix, options) => {
          if (prefix.includes('/metadata/'))
            throw new RegistrarError('auth.failed', 'Cannot list: 403 AccessDenied');
          return services.store.list(prefix, options);
        },
      },
    });
    expect(found(await reconciled())).toEqual({ missing: [uriOf(lost)] });
  });

  test("is an object that no snapshot has; the table's own files are ignored", async () => {
    await registration.deliver([upload('a', 1)]);
    const lost = upload('b', 2);
    const result = await reconciled();
    expect(found(result)).toEqual({ missing: [uriOf(lost)] });
    expect(result).toMatchObject({ table: 'lake.orders', registered: 1, done: {} });
    expect(result.ignored).toBe(result.listed - 2);
  });

  test('is what a restored catalog lost, which is logged as an error', async () => {
    const [first, second, third] = [upload('a', 1), upload('b', 2), upload('c', 3)];
    await registration.deliver([first]);
    const backup = (await registration.table('orders'))?.metadataLocation ?? '';
    await registration.deliver([second]);
    await registration.deliver([third]);
    await restore(`${registration.stack.catalogUri}/v1`, { namespace: 'lake', name: 'orders' }, backup);
    await registration.coldStart();
    const result = await reconciled({ missing: register });
    expect(result.lost).toMatchObject({ snapshots: 2, registrations: 2 });
    expect(registration.log).toContainEqual(expect.objectContaining({ event: 'commits-lost' }));
    expect(result.done).toEqual({ committed: 2 });
    expect(await reconciled()).toMatchObject({ registered: 3, missing: { count: 0 } });
  });

  test('is enqueued in a message that was never sent before, and registered once (I2)', async () => {
    await registration.deliver([upload('a', 1)]);
    const lost = upload('b', 2);
    expect((await reconciled({ missing: 'enqueue' })).done).toEqual({ sent: 1 });
    expect((await reconciled({ missing: 'enqueue' })).done).toEqual({ sent: 1 });
    const [first] = await queue.receive(queue.queues.all()[0]?.url ?? '', {
      maxMessages: 10,
      waitSeconds: 0,
    });
    expect(JSON.parse(first?.body ?? '').segments).toEqual([
      { bucket: 'lake', key: lost.key, size: lost.size, etag: lost.eTag },
    ]);
    await registration.deliver(first?.body ?? '', first?.body ?? '');
    const result = await reconciled();
    expect(found(result)).toEqual({});
    expect(result.registered).toBe(2);
  });

  test('is registered at once if requested', async () => {
    await registration.deliver([upload('a', 1)]);
    upload('b', 2);
    expect((await reconciled({ missing: register })).done).toEqual({ committed: 1 });
    expect(found(await reconciled())).toEqual({});
  });

  test('is neither a recent upload nor one that is older than requested', async () => {
    await registration.deliver([upload('a', 1)]);
    upload('b', 2);
    expect(await reconciled({ graceMs: 3_600_000 })).toMatchObject({ recent: 1, missing: { count: 0 } });
    expect(await reconciled({ sinceMs: Date.now() + 1_000 })).toMatchObject({
      older: 1,
      missing: { count: 0 },
    });
  });

  test('is nothing before the first registration, as long as every segment is recent or in quarantine', async () => {
    upload('fresh', 1);
    expect(await reconciled({ graceMs: 3_600_000 })).toMatchObject({ listed: 1, recent: 1 });
    await expect(reconciled()).rejects.toMatchObject({ code: 'table.missing' });
    const broken = registration.upload('thadam/v1/plant/orders/fresh.parquet', new Uint8Array(64));
    await registration.deliver([broken]);
    expect(found(await reconciled())).toEqual({ quarantined: [uriOf(broken)] });
  });

  test('is found completely by several passes when time runs out', async () => {
    await registration.deliver([upload('a', 1)]);
    const lost = ['b', 'c', 'd'].map((name, id) => uriOf(upload(name, id)));
    const samples: string[] = [];
    let startAfter: string | undefined;
    let passes = 0;
    do {
      let left = 3;
      const result = await reconciled(startAfter === undefined ? {} : { startAfter }, () =>
        left-- > 0 ? 60_000 : 0,
      );
      samples.push(...result.missing.sample);
      startAfter = result.resumeAfter;
      passes += 1;
    } while (startAfter !== undefined && passes < 20);
    expect(samples).toEqual(lost);
    expect(passes).toBeGreaterThan(1);
  });

  test('stops when it is asked to, and says where to resume', async () => {
    await registration.deliver([upload('a', 1)]);
    const lost = [uriOf(upload('b', 2))];
    const stop = new AbortController();
    stop.abort();
    const { listed, resumeAfter = '' } = await reconciled({ signal: stop.signal });
    expect(listed).toBe(0);
    expect((await reconciled({ startAfter: resumeAfter })).missing.sample).toEqual(lost);
  });

  test('stops also while it is reading the manifests of a large table', async () => {
    await registration.deliver([upload('a', 1)]);
    const live = Array.from({ length: 2_500 }, (_, id) => ({
      uri: `s3://lake/elsewhere/${id}`,
      sizeBytes: 1,
    }));
    await foreignAppend(registration, 'orders', live);
    let lists = 0;
    registration.around = (services) => ({
      ...services,
      store: {
        ...services.store,
        list(prefix, options) {
          if (prefix.endsWith('/orders/')) lists += 1;
          return services.store.list(prefix, options);
        },
      },
    });
    const { listed, resumeAfter } = await reconciled({}, () => 0);
    expect({ listed, lists }).toEqual({ listed: 0, lists: 0 });
    expect(resumeAfter).toBe('s3://lake/in/thadam/v1/plant/orders/');
  });

  test('reserves time for reading the manifests a second time, which takes as long as the first time', async () => {
    await registration.deliver([upload('a', 1)]);
    upload('b', 2);
    let nowMs = Date.now();
    Object.assign(registration.ports, { clock: { now: () => nowMs } });
    registration.around = (services) => ({
      ...services,
      store: {
        ...services.store,
        read(uri, options) {
          if (uri.includes('/metadata/')) nowMs += 20_000;
          return services.store.read(uri, options);
        },
      },
    });
    expect((await reconciled({}, () => 25_000)).resumeAfter).toBeDefined();
    expect((await reconciled({}, () => 120_000)).resumeAfter).toBeUndefined();
  });

  test('reports its progress, and counts all objects alongside', async () => {
    await registration.deliver([upload('a', 1)]);
    for (let id = 0; id < 1_000; id += 1) registration.upload(`thadam/v1/plant/orders/${id}.txt`, bytes(1));
    const told: ReconcileProgress[] = [];
    const { listed } = await reconciled({ onProgress: (progress) => told.push(progress) });
    expect(told.map((progress) => progress.listed)).toEqual([0, 1_000]);
    expect(told[1]?.count.counted).toBeGreaterThanOrEqual(1_000);
    expect(told[1]?.count.counted).toBeLessThanOrEqual(listed);
  });
});

describe('reconcile: what is only reported (I9)', () => {
  const nothingSent = async () => {
    const result = await reconciled({ missing: 'enqueue' });
    expect(result.done).toEqual({});
    return found(result);
  };

  test('rolled back', async () => {
    await registration.deliver([upload('a', 1)]);
    const before = branchHead((await registration.table('orders')) ?? never(), 'main');
    const lost = upload('b', 2);
    await registration.deliver([lost]);
    await rollBack(registration, 'orders', before?.snapshotId ?? 0n);
    expect(await nothingSent()).toEqual({ 'rolled-back': [uriOf(lost)] });
  });

  test('unprovable, since history has expired', async () => {
    await registration.deliver([upload('a', 1)]);
    await registration.deliver([upload('b', 2)]);
    await expireOldest(registration, 'orders', 1);
    const lost = upload('c', 3);
    expect(await nothingSent()).toEqual({ unprovable: [uriOf(lost)] });
  });

  test('waiting in quarantine', async () => {
    await registration.deliver([upload('a', 1)]);
    const bad = registration.upload('thadam/v1/plant/orders/bad.parquet', Buffer.from('id\n1'));
    await registration.deliver([bad]);
    expect(await nothingSent()).toEqual({ quarantined: [uriOf(bad)] });
  });

  test('discarded: it stays settled unless the key is uploaded again', async () => {
    await registration.deliver([upload('a', 1)]);
    const bad = registration.upload('thadam/v1/plant/orders/bad.parquet', Buffer.from('id\n1'));
    await registration.deliver([bad]);
    const ports = portsOf(registration, queue);
    await discard(await listFailures(ports), ports);
    expect(await nothingSent()).toEqual({ discarded: [uriOf(bad)] });
    upload('bad', 2);
    expect(found(await reconciled())).toEqual({ missing: [uriOf(bad)] });
  });

  test('without rows: it is never registered, so it is not missing', async () => {
    await registration.deliver([upload('a', 1)]);
    registration.upload('thadam/v1/plant/orders/empty.parquet', writeParquet(schema, []));
    expect(await nothingSent()).toEqual({});
  });

  test('written by an Iceberg engine: it may come from an earlier data path that nothing records (I11)', async () => {
    await registration.deliver([upload('a', 1)]);
    const engines = registration.upload(
      'thadam/v1/plant/orders/part-0.parquet',
      engineFile(schema, [{ id: 2 }]),
    );
    expect(await nothingSent()).toEqual({ 'engine-written': [uriOf(engines)] });
  });

  test('written by an Iceberg engine, but missing with on_unprovable: register', async () => {
    await registration.close();
    registration = await startRegistration({ on_unprovable: 'register' });
    queue = fakeQueue(registration.ports.clock, registration.ports.random);
    await registration.deliver([upload('a', 1)]);
    const engines = registration.upload(
      'thadam/v1/plant/orders/part-0.parquet',
      engineFile(schema, [{ id: 2 }]),
    );
    expect(found(await reconciled())).toEqual({ missing: [uriOf(engines)] });
  });

  test('gone, however the table spells its path (D15)', async () => {
    const there = upload('a', 1);
    await registration.deliver([there]);
    const uri = uriOf(there).replace('a.parquet', 'gone.parquet');
    await foreignAppend(registration, 'orders', [{ uri: uri.replace('s3:', 's3a:'), sizeBytes: 1 }]);
    expect(await nothingSent()).toEqual({ gone: [uri] });
  });

  test('not gone: a file that maintenance removes from the table and deletes during the run', async () => {
    const compacted = upload('a', 1);
    await registration.deliver([compacted, upload('b', 2)]);
    const ports = portsOf(registration, queue);
    const [plan] = [await planRepair(uriOf(compacted), 'remove', ports)];
    let isRemoved = false;
    const removedMeanwhile = async () => {
      isRemoved = true;
      await repair(plan, ports, () => 60_000);
      registration.stack.objects.delete('lake', compacted.key);
    };
    registration.around = (services) => ({
      ...services,
      store: {
        ...services.store,
        async *list(prefix, options) {
          if (prefix.endsWith('/orders/') && !isRemoved) await removedMeanwhile();
          yield* services.store.list(prefix, options);
        },
      },
    });
    expect(await nothingSent()).toEqual({});
    expect(isRemoved).toBe(true);
  });

  test('gone, and replaced', async () => {
    const gone = upload('a', 1);
    const replaced = upload('b', 2);
    await registration.deliver([gone, replaced, upload('c', 3)]);
    registration.stack.objects.delete('lake', gone.key);
    registration.stack.objects.put('lake', replaced.key, Buffer.from(bytes(1, 500)));
    expect(await nothingSent()).toEqual({ gone: [uriOf(gone)], replaced: [uriOf(replaced)] });
  });

  test('live twice', async () => {
    const one = upload('a', 1);
    await registration.deliver([one, upload('b', 2)]);
    await foreignAppend(registration, 'orders', [{ uri: uriOf(one), sizeBytes: one.size }]);
    expect(await nothingSent()).toEqual({ 'live-twice': [uriOf(one)] });
  });

  test('unprovable, with copies: quarantine, since upload times prove nothing there', async () => {
    await registration.close();
    registration = await startRegistration({ copies: 'quarantine' });
    queue = fakeQueue(registration.ports.clock, registration.ports.random);
    await registration.deliver([upload('a', 1)]);
    const copy = upload('b', 2);
    expect(await nothingSent()).toEqual({ unprovable: [uriOf(copy)] });
  });
});

function never(): never {
  throw new Error('no table "orders"');
}
