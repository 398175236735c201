import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RegistrarError } from '../../../lib/errors.ts';
import type { QuarantineRecord } from '../../../lib/ports.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { type Registration, type S3Record, startRegistration } from '../registration.ts';

const schema: Schema = {
  type: 'struct',
  fields: [{ id: 1, name: 'id', required: true, type: 'int' }],
};
const allFailed = { batchItemFailures: [{ itemIdentifier: 'm1' }] };
const nothingFailed = { batchItemFailures: [] };

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration();
});
afterEach(() => registration.close());

function upload(...names: readonly string[]): readonly S3Record[] {
  return names.map((name, id) =>
    registration.upload(`thadam/v1/plant/orders/${name}.parquet`, writeParquet(schema, [{ id }])),
  );
}

/** Reading this segment does what `act` does, whoever is with it in a batch. */
function poison(name: string, act: () => Promise<never>): void {
  registration.around = (ports) => ({
    ...ports,
    store: {
      ...ports.store,
      read: (uri, options) => (uri.endsWith(`/${name}.parquet`) ? act() : ports.store.read(uri, options)),
    },
  });
}

const breaks = () => Promise.reject(new TypeError('unforeseen'));

async function rows(): Promise<number> {
  const state = await registration.table('orders');
  return [...(state?.snapshots.values() ?? [])].reduce(
    (sum, { summary }) => sum + Number(summary['added-records'] ?? 0),
    0,
  );
}

const groups = async () => {
  const state = await registration.table('orders');
  return [...(state?.snapshots.values() ?? [])].map(({ summary }) => Number(summary['added-data-files']));
};

function records(): readonly QuarantineRecord[] {
  return registration.stack.objects
    .list('lake', { prefix: 'quarantine/', delimiter: '', after: '', max: 1000 })
    .objects.map(({ bytes }) => JSON.parse(bytes.toString('utf8')))
    .toSorted((a, b) => a.at.localeCompare(b.at));
}

const kinds = () => records().map(({ kind, code }) => code ?? kind);

describe('a message that keeps failing (I9)', () => {
  test('is registered in one commit at first', async () => {
    const segments = upload('a', 'b', 'poison', 'c');
    poison('poison', breaks);
    registration.receiveCount = 2;
    expect(await registration.deliver(segments)).toEqual(allFailed);
    expect(await rows()).toBe(0);
  });

  test('is registered in groups of 1, 2, 4, … from the third receive on', async () => {
    registration.receiveCount = 3;
    expect(await registration.deliver(upload(...'abcdefghij'))).toEqual(nothingFailed);
    expect(await groups()).toEqual([1, 2, 4, 3]);
  });

  test('a segment that makes this software fail does not hold up the others', async () => {
    const segments = upload('a', 'b', 'c', 'd', 'poison', 'e', 'f');
    poison('poison', breaks);
    registration.receiveCount = 3;
    expect(await registration.deliver(segments)).toEqual(allFailed);
    expect(await rows()).toBe(6);
    expect(records()).toEqual([]);
    registration.around = undefined;
    expect(await registration.deliver(segments)).toEqual(nothingFailed);
    expect(await rows()).toBe(7);
  });

  test('from the tenth receive on, a segment that makes this software fail is quarantined', async () => {
    const segments = upload('a', 'poison', 'b');
    poison('poison', breaks);
    registration.receiveCount = 10;
    expect(await registration.deliver(segments)).toEqual(nothingFailed);
    expect(await rows()).toBe(2);
    expect(kinds().toSorted()).toEqual(['internal.error', 'tried', 'tried', 'trying', 'trying', 'trying']);
  });

  test('with on_segment_error: stop it keeps its message in the queue', async () => {
    await registration.close();
    registration = await startRegistration({ on_segment_error: 'stop' });
    poison('poison', breaks);
    registration.receiveCount = 10;
    expect(await registration.deliver(upload('poison'))).toEqual(allFailed);
    expect(kinds()).toEqual(['trying']);
  });

  test('a segment on which the function dies is quarantined when its trying record is found unanswered', async () => {
    const segments = upload('a', 'poison', 'b');
    poison('poison', () => new Promise<never>(() => undefined));
    registration.receiveCount = 10;
    // The function ends while the read is under way: nothing of it runs on.
    void registration.deliver(segments);
    await expect.poll(() => kinds().filter((kind) => kind === 'trying').length).toBe(2);

    await registration.coldStart();
    registration.receiveCount = 11;
    expect(await registration.deliver(segments), 'it may still be at work').toEqual(allFailed);
    const later = registration.ports.clock.now() + 16 * 60_000;
    Object.assign(registration.ports, { clock: { now: () => later } });
    expect(await registration.deliver(segments)).toEqual(nothingFailed);
    expect(await rows()).toBe(2);
    expect(kinds()).toContain('segment.unreadable');
  });

  test('a segment in quarantine stays there, and a try that reached an outcome is not recorded again', async () => {
    const bad = registration.upload('thadam/v1/plant/orders/bad.parquet', Buffer.from('id\n1'));
    const segments = [bad, ...upload('a', 'late')];
    poison('late', () => Promise.reject(new RegistrarError('store.unavailable', 'down')));
    for (registration.receiveCount = 9; registration.receiveCount < 15; registration.receiveCount += 1) {
      expect(await registration.deliver(segments)).toEqual(allFailed);
    }
    const tried = records().filter(({ kind }) => kind === 'tried');
    const ofA = tried.filter(({ segment }) => segment?.uri.endsWith('/a.parquet'));
    expect(ofA.map(({ interrupted }) => interrupted)).toEqual([undefined]);
    expect(tried.filter(({ interrupted }) => interrupted).length).toBe(5);
    expect(kinds().filter((kind) => kind === 'segment.unreadable')).toEqual(['segment.unreadable']);
  });

  test.each([
    ['the store', () => Promise.reject(new RegistrarError('store.unavailable', 'down'))],
    ['authentication', () => Promise.reject(new RegistrarError('auth.failed', 'expired'))],
  ])('an error of %s never quarantines', async (_what, act) => {
    const segments = upload('a', 'poison');
    poison('poison', act);
    for (registration.receiveCount = 10; registration.receiveCount < 13; registration.receiveCount += 1) {
      expect(await registration.deliver(segments)).toEqual(allFailed);
    }
    expect(kinds().filter((kind) => kind !== 'trying' && kind !== 'tried')).toEqual([]);
    registration.around = undefined;
    expect(await registration.deliver(segments)).toEqual(nothingFailed);
    expect(await rows()).toBe(2);
  });

  test('a try that an outage interrupted proves nothing, so that the next try is recorded too', async () => {
    const segments = upload('late');
    poison('late', () => Promise.reject(new RegistrarError('store.unavailable', 'down')));
    registration.receiveCount = 10;
    expect(await registration.deliver(segments)).toEqual(allFailed);
    poison('late', () => new Promise<never>(() => undefined));
    registration.receiveCount = 11;
    void registration.deliver(segments);
    await expect.poll(() => kinds().filter((kind) => kind === 'trying').length).toBe(2);
  });

  test('a committed segment is acknowledged although the answer to its trying record cannot be written', async () => {
    const segments = upload('a');
    registration.around = (ports) => ({
      ...ports,
      quarantine: {
        ...ports.quarantine,
        put: (record) =>
          record.kind === 'tried'
            ? Promise.reject(new RegistrarError('store.unavailable', '503 SlowDown'))
            : ports.quarantine.put(record),
      },
    });
    registration.receiveCount = 10;
    expect(await registration.deliver(segments)).toEqual(nothingFailed);
    expect(await rows()).toBe(1);
  });

  test('segments that are bad themselves are no outage, also where they stop their group', async () => {
    await registration.close();
    registration = await startRegistration({ on_segment_error: 'stop' });
    const bad = [1, 2, 3, 4].map((at) =>
      registration.upload(`thadam/v1/plant/orders/bad-${at}.parquet`, Buffer.from('no Parquet file')),
    );
    registration.receiveCount = 10;
    await registration.deliver([...bad, ...upload('good')]);
    expect(await rows()).toBe(1);
  });

  test('what an invocation had no time for comes again soon, as long as something of its group was committed', async () => {
    const segments = upload('a', 'b', 'c');
    const seconds: number[] = [];
    const setVisibility = async (_url: string, _receipt: string, visibility: number) => {
      seconds.push(visibility);
    };
    Object.assign(registration.ports, { queueUrl: 'registrations.fifo', queue: { setVisibility } });
    registration.around = (ports) => ({
      ...ports,
      catalog: {
        ...ports.catalog,
        // The first commit takes all the time.
        commit: async (...request) => {
          registration.remainingMs = 4_000;
          return ports.catalog.commit(...request);
        },
      },
    });
    registration.receiveCount = 30;
    await registration.deliver(segments.slice(0, 2), segments.slice(2));
    expect([await rows(), seconds]).toEqual([1, [15, 15]]);

    registration.remainingMs = 0;
    seconds.length = 0;
    await registration.deliver(segments.slice(0, 2), segments.slice(2));
    expect([await rows(), seconds]).toEqual([1, [900, 900]]);
  });

  test('when the catalog is down, only the first few of many segments are tried', async () => {
    const segments = upload(...'abcdefghij');
    let asked = 0;
    registration.around = (ports) => ({
      ...ports,
      catalog: {
        ...ports.catalog,
        load: () => {
          asked += 1;
          return Promise.reject(new RegistrarError('catalog.unavailable', 'down'));
        },
      },
    });
    registration.receiveCount = 3;
    expect(await registration.deliver(segments)).toEqual(allFailed);
    expect(asked).toBeLessThanOrEqual(3);
  });
});

test('more references than a call can have arguments are handed back like any others', async () => {
  registration.remainingMs = 0;
  registration.receiveCount = 3;
  const segment = { bucket: 'lake', size: 1_000, etag: 'e' };
  const messages = Array.from({ length: 650 }, (_, message) =>
    JSON.stringify({
      v: 1,
      segments: Array.from({ length: 200 }, (_, at) => ({
        ...segment,
        key: `in/thadam/v1/plant/orders/${message}-${at}.parquet`,
      })),
    }),
  );
  const { batchItemFailures } = await registration.deliver(...messages);
  expect(batchItemFailures).toHaveLength(650);
});
