import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Registration, startRegistration } from '../jobs/registration.ts';

/**
 * Whoever may send to a queue chooses what an event says, and nothing else: only keys below `url` are ever read, from the configured endpoint.
 */
let registration: Registration;
let paths: string[];
beforeEach(async () => {
  registration = await startRegistration();
  registration.stack.createBucket('secrets');
  registration.stack.objects.put('secrets', 'a.parquet', Buffer.from('PAR1'));
  registration.stack.objects.put('lake', 'private/a.parquet', Buffer.from('PAR1'));
  paths = [];
  registration.fault = ({ path }) => {
    paths.push(path);
    return undefined;
  };
});
afterEach(() => registration.close());

const key = 'in/thadam/v1/p/orders/a.parquet';
const record = (bucket: string, object: string, more: object = {}) => ({
  eventVersion: '2.1',
  eventSource: 'aws:s3',
  eventName: 'ObjectCreated:Put',
  s3: { bucket: { name: bucket }, object: { key: object, size: 4, eTag: 'e', sequencer: '0A' } },
  ...more,
});

test.each([
  ['another bucket', { Records: [record('secrets', 'a.parquet')] }],
  ['a bucket that begins with ours', { Records: [record('lake2', key)] }],
  ['a bucket that is a path', { Records: [record('lake/../secrets', 'a.parquet')] }],
  ['a bucket that is a host', { Records: [record('evil.example/lake', key)] }],
  ['a key beside url', { Records: [record('lake', 'private/a.parquet')] }],
  ['a key that climbs out of url', { Records: [record('lake', 'in/../private/a.parquet')] }],
  ['a key that climbs, encoded', { Records: [record('lake', 'in%2F..%2Fprivate%2Fa.parquet')] }],
  ['a chunk of another bucket', { v: 1, segments: [{ scheme: 's3', bucket: 'secrets', key: 'a.parquet' }] }],
  ['a chunk of another scheme', { v: 1, segments: [{ scheme: 'file', bucket: 'etc', key: 'passwd' }] }],
])('an event for %s makes nothing be read', async (_, body) => {
  await registration.deliver(JSON.stringify(body));
  expect(paths.filter((path) => !path.startsWith('/lake/quarantine/'))).toStrictEqual([]);
});

test('an event that names an endpoint or a region of its own is read where the configuration says', async () => {
  const forged = record('lake', key, { awsRegion: 'evil-1', endpoint: 'https://evil.example' });
  await registration.deliver(JSON.stringify({ Records: [forged] }));
  expect(paths.filter((path) => path.includes('a.parquet'))).toStrictEqual([`/lake/${key}`]);
});
