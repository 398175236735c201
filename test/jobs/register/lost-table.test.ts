import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newestMetadata } from '../../../lib/jobs/register/lost-table.ts';
import { orders } from '../../../local/shipper/orders.ts';
import { makeSegment } from '../../../local/shipper/segment.ts';
import { fakeStore } from '../../fakes/store.ts';
import { virtualTime } from '../../fakes/time.ts';
import { BUCKET, type Registration, startRegistration, URL_PREFIX } from '../registration.ts';

/** A catalog that lost its tables must not get second ones over the data of the first (docs/maintenance.md). */
describe('a table that its catalog has lost', () => {
  let registration: Registration;
  beforeEach(async () => {
    registration = await startRegistration();
  });
  afterEach(() => registration.close());

  const identifier = { namespace: ['lake'], name: 'orders' };
  const ship = (index: number) => {
    const { key, bytes } = makeSegment(orders, 0, index);
    return registration.deliver([registration.upload(key, bytes)]);
  };

  test('is not created again by create_table; once it is registered again, it continues where it was (I2)', async () => {
    await ship(0);
    await ship(1);
    const before = await registration.table('orders');
    registration.stack.tables.drop(identifier);
    await registration.coldStart();

    expect((await ship(2)).batchItemFailures).toHaveLength(1);
    expect(await registration.table('orders')).toBeUndefined();
    expect(registration.log).toContainEqual(
      expect.objectContaining({
        event: 'table-failed',
        error: expect.objectContaining({
          code: 'table.missing',
          message: expect.stringContaining(before?.metadataLocation ?? '-'),
        }),
      }),
    );

    await registration.stack.tables.register(identifier, before?.metadataLocation ?? '');
    expect((await ship(2)).batchItemFailures).toEqual([]);
    expect((await ship(0)).batchItemFailures).toEqual([]);
    const after = await registration.table('orders');
    expect(after?.uuid).toBe(before?.uuid);
    expect(after?.snapshots.size).toBe(3);
  });

  test('is created again if it never had a commit, since nothing is lost with it', async () => {
    const location = `${URL_PREFIX}/${makeSegment(orders, 0, 0).key.split('/').slice(0, 4).join('/')}`;
    registration.stack.objects.put(
      BUCKET,
      `${location.slice(`s3://${BUCKET}/`.length)}/metadata/00000-half-made.metadata.json`,
      Buffer.from('{}'),
    );
    expect((await ship(0)).batchItemFailures).toEqual([]);
    expect((await registration.table('orders'))?.snapshots.size).toBe(1);
  });
});

describe('newestMetadata', () => {
  test('goes by the number, not by the order of names', async () => {
    const store = fakeStore(virtualTime().clock);
    for (const name of [
      '00009-a.metadata.json',
      '00010-b.gz.metadata.json',
      '100000-c.metadata.json',
      'snap-1.avro',
      'version-hint.text',
    ]) {
      await store.write(`s3://lake/t/metadata/${name}`, Buffer.from(''));
    }
    expect(await newestMetadata(store, 's3://lake/t', {})).toBe(
      's3://lake/t/metadata/100000-c.metadata.json',
    );
    expect(
      await newestMetadata(store, 's3://lake/t', { 'write.metadata.path': 's3://lake/elsewhere' }),
    ).toBeUndefined();
  });
});
