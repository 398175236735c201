import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import { RegistrarError } from '../../../lib/errors.ts';
import { type FooterLimits, readFooters } from '../../../lib/jobs/register/read-footers.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { fakeStore } from '../../fakes/store.ts';
import { virtualTime } from '../../fakes/time.ts';

const schema: Schema = { type: 'struct', fields: [{ id: 1, name: 'id', required: true, type: 'int' }] };
const reference = { scheme: 's3', bucket: 'lake', key: 'a.parquet' } as const;
const limits = (overrides: Partial<FooterLimits> = {}): FooterLimits => ({
  readAheadBytes: 64 * 1024,
  maxFooterBytes: 1024 * 1024,
  concurrently: pLimit(2),
  hasRoom: () => true,
  isOver: () => false,
  ...overrides,
});

function storeWithSegment() {
  const store = fakeStore(virtualTime().clock);
  store.upload('s3://lake/a.parquet', writeParquet(schema, [{ id: 1 }]));
  return store;
}

describe('readFooters', () => {
  test('reads each key once, and keeps what any of its notifications says of a copy or a proof (I2)', async () => {
    const store = storeWithSegment();
    const absentAt = { tableUuid: 'u', snapshotId: '7' };
    const { segments } = await readFooters(
      store,
      [
        { ...reference, copied: true },
        { ...reference, absentAt },
        { ...reference, sequencer: '0B' },
      ],
      limits(),
    );
    expect(segments.map((segment) => segment.reference)).toEqual([
      { ...reference, copied: true, absentAt, sequencer: '0B' },
    ]);
    expect(store.calls.length).toBe(1);
  });

  test.each(['a#b.parquet', 'a?b.parquet', 'day=1?/x.parquet', 'from=https://x/a.parquet'])(
    'condemns the key %s unread: Java and PyIceberg divide its path there',
    async (key) => {
      const store = storeWithSegment();
      store.upload(`s3://lake/${key}`, writeParquet(schema, [{ id: 1 }]));
      const { segments, condemned } = await readFooters(store, [{ ...reference, key }, reference], limits());
      expect(segments.map(({ uri }) => uri)).toEqual(['s3://lake/a.parquet']);
      expect([...condemned]).toMatchObject([[`s3://lake/${key}`, { code: 'segment.unreadable' }]]);
      expect(store.calls.length).toBe(1);
    },
  );

  test('starts no read after the end of the round, so that no read continues in the next invocation', async () => {
    const store = storeWithSegment();
    const reading = readFooters(store, [reference], limits({ isOver: () => true }));
    await expect(reading).rejects.toMatchObject({ code: 'invocation.timeout' });
    expect(store.calls).toEqual([]);
  });

  test('condemns a file without a footer; a fault of the store condemns nothing and fails the batch (I3)', async () => {
    const store = storeWithSegment();
    store.upload('s3://lake/broken.parquet', 'x'.repeat(100));
    const both = [{ ...reference, key: 'broken.parquet' }, reference];
    const { segments, condemned } = await readFooters(store, both, limits());
    expect(segments.map(({ uri }) => uri)).toEqual(['s3://lake/a.parquet']);
    expect([...condemned.keys()]).toEqual(['s3://lake/broken.parquet']);
    store.onCall = () => {
      throw new RegistrarError('store.unavailable', 'down');
    };
    await expect(readFooters(store, [reference], limits())).rejects.toMatchObject({
      code: 'store.unavailable',
    });
  });

  test('postpones a segment without room in memory before it requests the rest of a long footer', async () => {
    const store = storeWithSegment();
    const { segments, postponed } = await readFooters(
      store,
      [reference],
      limits({ readAheadBytes: 16, hasRoom: () => false }),
    );
    expect(segments).toEqual([]);
    expect([...postponed]).toEqual(['s3://lake/a.parquet']);
    expect(store.calls.length).toBe(1);
  });

  test('passes on each footer while others are still being read', async () => {
    const store = storeWithSegment();
    store.upload('s3://lake/slow.parquet', writeParquet(schema, [{ id: 2 }]));
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const arrived: string[] = [];
    const reading = readFooters(
      {
        read: async (uri, ...rest) => {
          if (uri.endsWith('slow.parquet')) await released;
          return store.read(uri, ...rest);
        },
      },
      [{ ...reference, key: 'slow.parquet' }, reference],
      limits({
        arrived: ({ uri }) => {
          arrived.push(uri);
          release();
        },
      }),
    );
    expect((await reading).segments).toHaveLength(2);
    expect(arrived).toEqual(['s3://lake/a.parquet', 's3://lake/slow.parquet']);
  });
});
