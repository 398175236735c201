import { expect, test } from 'vitest';
import { storeByScheme } from '../../lib/drivers/store-by-scheme.ts';
import { fakeStore } from '../fakes/store.ts';

test('storeByScheme hands each URI to the store of its scheme, and loads the other one once, when it is asked', async () => {
  const clock = { now: () => 0 };
  const [s3, gcs] = [fakeStore(clock), fakeStore(clock)];
  let loads = 0;
  const store = storeByScheme(s3, async () => {
    loads += 1;
    return gcs;
  });
  await store.write('s3://lake/a', Buffer.from('s3'));
  expect(loads).toBe(0);
  await store.write('gs://lake/a', Buffer.from('gs'));
  expect(await store.read('gs://lake/a')).toMatchObject({ sizeBytes: 2 });
  expect((await Array.fromAsync(store.list('gs://lake/'))).map(({ uri }) => uri)).toEqual(['gs://lake/a']);
  expect((await Array.fromAsync(store.list('s3a://lake/'))).map(({ uri }) => uri)).toEqual(
    (await Array.fromAsync(s3.list('s3a://lake/'))).map(({ uri }) => uri),
  );
  expect(loads).toBe(1);
  expect(gcs.calls.map(({ operation }) => operation)).toEqual(['write', 'read', 'list']);
});
