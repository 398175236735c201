import { afterEach, beforeEach, expect, test } from 'vitest';
import type { QuarantineRecord } from '../../lib/ports.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import { type Registration, startRegistration } from '../jobs/registration.ts';

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration();
});
afterEach(() => registration.close());

const bytes = writeParquet(
  { type: 'struct', fields: [{ id: 1, name: 'id', required: false, type: 'long' }] },
  [{ id: 1n }],
);
const key = (dataset: string, name: string) => `thadam/v1/p/${dataset}/${name}.parquet`;
const s3Error = (status: number, code: string) => ({
  when: 'before' as const,
  answer: {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>told</Message></Error>`,
  },
});

async function quarantined(): Promise<readonly QuarantineRecord[]> {
  const [entry] = registration.ports.entries;
  if (entry === undefined) throw new Error('Expected an entry');
  const found = await Array.fromAsync(registration.ports.portsOf(entry).quarantine.list());
  return found.map(({ record }) => record);
}

/** One object of a batch is answered as told; the others are of its dataset and of another. */
async function withOneAnswered(status: number, code: string) {
  const odd = registration.upload(key('orders', 'odd'), bytes);
  const beside = registration.upload(key('orders', 'beside'), bytes);
  const elsewhere = registration.upload(key('events', 'elsewhere'), bytes);
  registration.fault = ({ method, path }) =>
    method === 'GET' && path.endsWith('/odd.parquet') ? s3Error(status, code) : undefined;
  return registration.deliver([odd, beside, elsewhere]);
}

test('an object that may not be read is segment.denied, and stops neither its dataset nor another', async () => {
  expect(await withOneAnswered(403, 'AccessDenied')).toEqual({ batchItemFailures: [] });
  expect(await quarantined()).toMatchObject([
    { code: 'segment.denied', message: expect.stringContaining('allow the function'), table: 'lake.orders' },
  ]);
  expect((await registration.table('orders'))?.snapshots.size).toBe(1);
  expect((await registration.table('events'))?.snapshots.size).toBe(1);
});

test('an object that is not there is missing, not denied: acknowledged and counted', async () => {
  expect(await withOneAnswered(404, 'NoSuchKey')).toEqual({ batchItemFailures: [] });
  expect(await quarantined()).toEqual([]);
  expect(registration.log).toContainEqual(expect.objectContaining({ event: 'registered', missing: 1 }));
});

test.each(['InvalidAccessKeyId', 'ExpiredToken', 'SignatureDoesNotMatch'])(
  'a 403 that says %s is of the caller, not of the object: nothing is quarantined, the message comes again',
  async (code) => {
    expect(await withOneAnswered(403, code)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(await quarantined()).toEqual([]);
  },
);
