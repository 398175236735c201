import { describe, expect, test } from 'vitest';
import { quarantineIn } from '../../../lib/drivers/quarantine.ts';
import { EVENTS, openFailuresOf } from '../../../lib/jobs/health/open-failures.ts';
import type { QuarantineRecord } from '../../../lib/ports.ts';
import { seededRandom } from '../../fakes/random.ts';
import { fakeStore } from '../../fakes/store.ts';
import { virtualTime } from '../../fakes/time.ts';

const URL = 's3://lake/quarantine';
const TABLE = 'lake.orders';

function world() {
  let nowMs = 0;
  const store = fakeStore({ ...virtualTime().clock, now: () => nowMs });
  const quarantine = quarantineIn(store, URL, seededRandom());
  let stepMs = 1000;
  let reads = 0;
  const counting: typeof store = {
    ...store,
    read: (uri, options) => {
      reads += 1;
      return store.read(uri, options);
    },
  };
  const record = (kind: QuarantineRecord['kind'], segment: number, answers?: string) => {
    nowMs += stepMs;
    return quarantine.put({
      v: 1,
      kind,
      at: new Date(nowMs).toISOString(),
      code: 'segment.unreadable',
      table: TABLE,
      segment: { uri: `s3://lake/in/${segment}.parquet`, etag: 'a' },
      ...(answers !== undefined && { answers }),
    });
  };
  const sameSecond = () => {
    stepMs = 0;
  };
  const soon = () => {
    stepMs = 1;
  };
  const event = (kind: QuarantineRecord['kind'], body: string, answers?: string) => {
    nowMs += stepMs;
    return quarantine.put({
      v: 1,
      kind,
      at: new Date(nowMs).toISOString(),
      body,
      ...(answers !== undefined && { answers }),
    });
  };
  const upload = (key: string, text: string) => {
    nowMs += stepMs;
    store.upload(`${URL}/${key}`, text);
  };
  return {
    upload,
    oldest: async () => (await openFailuresOf(counting, URL, TABLE)).oldestAtMs,
    event,
    events: async () => (await openFailuresOf(counting, URL, EVENTS)).count,
    record,
    sameSecond,
    soon,
    count: async () => (await openFailuresOf(counting, URL, TABLE)).count,
    reads: () => reads,
  };
}

describe('openFailuresOf', () => {
  test('reads no record of segments that have only one', async () => {
    const { record, count, reads } = world();
    for (let segment = 0; segment < 50; segment += 1) await record('failure', segment);
    expect(await count()).toBe(50);
    expect(reads()).toBe(0);
  });

  test.each([
    ['redriven', 0],
    ['discarded', 0],
  ] as const)('does not count what was %s', async (answer, open) => {
    const { record, count } = world();
    await record(answer, 1, await record('failure', 1));
    expect(await count()).toBe(open);
  });

  test('counts a segment once that was redriven and failed again, or failed when it was tried alone', async () => {
    const { record, count } = world();
    await record('redriven', 1, await record('failure', 1));
    await record('failure', 1);
    await record('failure', 2, await record('trying', 2));
    await record('tried', 3, await record('trying', 3));
    expect(await count()).toBe(2);
  });

  test('takes the answer for the newest of several records of one second', async () => {
    const { record, count, sameSecond } = world();
    sameSecond();
    for (let segment = 0; segment < 8; segment += 1)
      await record('tried', segment, await record('trying', segment));
    await record('failure', 9, await record('trying', 9));
    expect(await count()).toBe(1);
  });

  test('counts a segment that was redriven and failed again within one second', async () => {
    const { record, count, sameSecond, soon } = world();
    const first = await record('failure', 1);
    sameSecond();
    await record('redriven', 1, first);
    soon();
    await record('failure', 1);
    expect(await count()).toBe(1);
    soon();
    await record('discarded', 1, first);
    expect(await count()).toBe(0);
  });

  test('is zero for a table without failures', async () => {
    expect(await world().count()).toBe(0);
  });

  test('returns since when the oldest open segment has waited, ignoring answered ones', async () => {
    const { record, oldest } = world();
    expect(await oldest()).toBeUndefined();
    await record('discarded', 1, await record('failure', 1));
    await record('failure', 2);
    await record('failure', 3);
    expect(await oldest()).toBe(3000);
  });

  test('passes over objects that are no records, which answer nothing', async () => {
    const { event, events, upload, record, count } = world();
    const first = await event('failure', 'no event');
    upload(`${first.slice(`${URL}/`.length, -'.json'.length)}/`, '');
    expect(await events()).toBe(1);
    const uri = await record('failure', 1);
    for (const [at, text] of ['not JSON', 'null', '[]'].entries()) {
      upload(`${uri.slice(`${URL}/`.length, uri.lastIndexOf('/'))}/${at}.json`, text);
      expect(await count()).toBe(1);
    }
  });

  test('counts each event that could not be decoded once, until it is answered', async () => {
    const { event, events } = world();
    const first = await event('failure', 'no event');
    await event('failure', 'no event');
    await event('failure', 'nor this');
    expect(await events()).toBe(2);
    await event('discarded', 'no event', first);
    expect(await events()).toBe(1);
  });
});
