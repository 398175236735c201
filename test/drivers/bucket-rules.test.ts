import { expect, onTestFinished, test } from 'vitest';
import { s3BucketRegion } from '../../lib/drivers/bucket-region.ts';
import { gcsLifecycle } from '../../lib/drivers/gcs-lifecycle.ts';
import { httpSender } from '../../lib/drivers/http.ts';
import { json, type Scripted, scriptedServer } from '../fakes/http.ts';
import { seededRandom } from '../fakes/random.ts';

async function scripted(answer: (line: string) => Scripted) {
  const server = await scriptedServer(answer);
  onTestFinished(server.close);
  return server;
}

test.each([200, 301, 400, 403])('s3BucketRegion takes the region from an answer of %i', async (status) => {
  const server = await scripted(() => ({ status, headers: { 'x-amz-bucket-region': 'eu-west-1' } }));
  const settings = {
    endpoint: server.url,
    region: 'us-east-1',
    access_key_id: 'a',
    secret_access_key: 'own-secret',
  };
  expect(await s3BucketRegion(settings).read('lake')).toEqual({ asked: 'us-east-1', actual: 'eu-west-1' });
  expect(server.lines).toEqual(['HEAD /lake/']);
});

test('s3BucketRegion of a store that does not tell is not known', async () => {
  const server = await scripted(() => ({ status: 200 }));
  const settings = { endpoint: server.url, access_key_id: 'a', secret_access_key: 'own-secret' };
  expect(await s3BucketRegion(settings).read('lake')).toEqual({ asked: 'us-east-1', actual: undefined });
});

const ports = {
  send: httpSender(),
  timers: { sleep: async () => undefined },
  random: seededRandom(1),
  accessToken: async () => 'very-secret-token',
};

test('gcsLifecycle tells rules that remove current objects, by prefix, from those that do not', async () => {
  const rule = (type: string, condition: object) => ({ action: { type }, condition });
  const server = await scripted(() =>
    json(200, {
      lifecycle: {
        rule: [
          rule('Delete', { age: 30, matchesPrefix: ['in/', 'out/'] }),
          rule('Delete', { age: 30 }),
          rule('Delete', { isLive: false }),
          rule('Delete', { numNewerVersions: 3 }),
          rule('SetStorageClass', { age: 30 }),
        ],
      },
    }),
  );
  expect(await gcsLifecycle({ endpoint: server.url }, ports).read('lake')).toEqual([
    { prefix: 'in/', expires: true },
    { prefix: 'out/', expires: true },
    { prefix: '', expires: true },
    { prefix: '', expires: false },
    { prefix: '', expires: false },
    { prefix: '', expires: false },
  ]);
  expect(server.lines).toEqual(['GET /storage/v1/b/lake?fields=lifecycle']);
});

test('gcsLifecycle of a bucket without rules is none; of one that may not be looked at auth.failed', async () => {
  const without = await scripted(() => json(200, {}));
  expect(await gcsLifecycle({ endpoint: without.url }, ports).read('lake')).toEqual([]);
  const denied = await scripted(() =>
    json(403, { error: { code: 403, message: 'told', errors: [{ reason: 'forbidden' }] } }),
  );
  await expect(gcsLifecycle({ endpoint: denied.url }, ports).read('lake')).rejects.toMatchObject({
    code: 'auth.failed',
    message: expect.stringContaining('storage.buckets.get'),
  });
});
