import { describe, expect, test } from 'vitest';
import { quarantineIn } from '../../lib/drivers/quarantine.ts';
import type { QuarantineRecord } from '../../lib/ports.ts';
import { seededRandom } from '../fakes/random.ts';
import { fakeStore } from '../fakes/store.ts';

const root = 's3://lake/quarantine';

function quarantine(url = root) {
  const store = fakeStore({ now: () => Date.UTC(2026, 0, 1) });
  return { store, quarantine: quarantineIn(store, url, seededRandom()) };
}

function failure(key: string, etag: string, table = 'analytics.orders'): QuarantineRecord {
  return {
    v: 1,
    kind: 'failure',
    at: '2026-01-01T00:00:00.000Z',
    code: 'segment.unreadable',
    message: 'told',
    table,
    segment: { uri: `s3://lake/${key}`, etag },
    absentAt: { tableUuid: 'u', snapshotId: '8656952484400131533' },
  };
}

const event: QuarantineRecord = {
  v: 1,
  kind: 'failure',
  at: '2026-01-01T00:00:00.000Z',
  code: 'event.malformed',
  message: 'told',
  body: 'not JSON',
};

const folder = (uri: string) => uri.slice(0, uri.lastIndexOf('/'));

describe('put', () => {
  test('writes a failure of a segment below its table, in a folder of key and etag', async () => {
    const { quarantine: one } = quarantine(`${root}/`);
    const uri = await one.put(failure('a', 'e1'));
    expect(uri).toMatch(
      /^s3:\/\/lake\/quarantine\/analytics\.orders\/[0-9a-f]{64}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/,
    );
    expect(folder(await one.put(failure('a', 'e1')))).toBe(folder(uri));
    expect(folder(await one.put(failure('a', 'e2')))).not.toBe(folder(uri));
    expect(folder(await one.put(failure('b', 'e1')))).not.toBe(folder(uri));
  });

  test('never writes over a record (I1)', async () => {
    const { store, quarantine: one } = quarantine();
    for (let times = 0; times < 3; times += 1) {
      await one.put(failure('a', 'e1'));
      await one.put(event);
    }
    expect(store.objects.size).toBe(6);
    expect(store.calls.filter(({ operation }) => operation === 'write').length).toBeGreaterThanOrEqual(6);
  });

  test('writes what answers a failure beside it, even without naming the segment', async () => {
    const { quarantine: one } = quarantine();
    const failed = await one.put(failure('a', 'e1'));
    const discarded = await one.put({ v: 1, kind: 'discarded', at: event.at, answers: failed });
    expect(folder(discarded)).toBe(folder(failed));
    expect(discarded).not.toBe(failed);
  });

  test('writes the first failure of an event under the hash of its body, later ones beside it', async () => {
    const { quarantine: one } = quarantine();
    const first = await one.put(event);
    expect(first).toMatch(/^s3:\/\/lake\/quarantine\/_events\/[0-9a-f]{64}\.json$/);
    const redriven = await one.put({ v: 1, kind: 'redriven', at: event.at, answers: first });
    const again = await one.put(event);
    expect(folder(redriven)).toBe(first.replace(/\.json$/, ''));
    expect(folder(again)).toBe(folder(redriven));
  });
});

describe('list', () => {
  test('answers every record as it was put, those of one table alone where asked', async () => {
    const { quarantine: one } = quarantine();
    const records = [failure('a', 'e1'), failure('b', 'e1', 'analytics.orders.daily'), event];
    const uris = await Promise.all(records.map((record) => one.put(record)));
    const all = await Array.fromAsync(one.list());
    expect(new Map(all.map(({ uri, record }) => [uri, record]))).toStrictEqual(
      new Map(uris.map((uri, index) => [uri, records[index]])),
    );
    const orders = await Array.fromAsync(one.list({ table: 'analytics.orders' }));
    expect(orders.map(({ uri }) => uri)).toStrictEqual([uris[0]]);
  });

  test('answers the records of one segment, reading no other', async () => {
    const { store, quarantine: one } = quarantine();
    const first = failure('a', 'e1');
    const uri = await one.put(first);
    const answer = await one.put({
      v: 1,
      kind: 'discarded',
      at: first.at,
      table: 'analytics.orders',
      answers: uri,
    });
    await one.put(failure('a', 'e2'));
    store.calls.length = 0;
    const segment = { uri: 's3://lake/a', etag: 'e1' };
    const found = await Array.fromAsync(one.list({ table: 'analytics.orders', segment }));
    expect(found.map((record) => record.uri).toSorted()).toStrictEqual([uri, answer].toSorted());
    expect(store.calls.filter(({ operation }) => operation === 'read').length).toBe(2);
  });

  test('passes over the empty objects that consoles leave as folders', async () => {
    const { store, quarantine: one } = quarantine();
    const uri = await one.put(failure('a', 'e1'));
    store.upload(`${folder(uri)}/`, '');
    expect((await Array.fromAsync(one.list())).map((found) => found.uri)).toStrictEqual([uri]);
  });

  test.each(['not JSON', 'null', '[]', '{"kind":1}'])(
    'names an object that is no record: %s',
    async (text) => {
      const { store, quarantine: one } = quarantine();
      store.upload(`${root}/analytics.orders/x.json`, text);
      await expect(Array.fromAsync(one.list())).rejects.toMatchObject({
        code: 'store.unavailable',
        message: expect.stringContaining(`"${root}/analytics.orders/x.json"`),
      });
    },
  );
});
