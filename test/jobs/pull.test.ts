import { afterEach, beforeEach, expect, test } from 'vitest';
import { RegistrarError } from '../../lib/errors.ts';
import { type PullPorts, pull } from '../../lib/jobs/pull.ts';
import type { ReceivedMessage } from '../../lib/ports.ts';
import { orders } from '../../local/shipper/orders.ts';
import { makeSegment } from '../../local/shipper/segment.ts';
import { type FakeQueue, fakeQueue } from '../fakes/queue.ts';
import { seededRandom } from '../fakes/random.ts';
import { BUCKET, type Registration, startRegistration } from './registration.ts';

let registration: Registration;
let queue: FakeQueue;
let subscription: string;
let nowMs = 0;
beforeEach(async () => {
  registration = await startRegistration();
  queue = fakeQueue({ now: () => nowMs }, seededRandom(1));
  subscription = queue.create({ fifo: false, visibilitySeconds: 600 }).url;
});
afterEach(() => registration.close());

const pulled = () => pull({ subscription }, { ...registration.ports, queue }, () => registration.remainingMs);

/** Uploads segments, and sends what a bucket of Cloud Storage would of them, but for the scheme. */
async function ship(count: number): Promise<void> {
  const bodies = Array.from({ length: count }, (_, index) => {
    const { key, bytes } = makeSegment(orders, 0, index, { rows: 5 });
    const uploaded = registration.upload(key, bytes);
    const segment = { bucket: BUCKET, key: uploaded.key, size: uploaded.size, etag: uploaded.eTag };
    return { body: JSON.stringify({ v: 1, segments: [segment] }) };
  });
  await queue.send(subscription, bodies);
}

const waiting = async () => (await queue.receive(subscription, { maxMessages: 10, waitSeconds: 0 })).length;

test('pull registers what several receives brought in one commit, and acknowledges it', async () => {
  await ship(25);
  expect(await pulled()).toEqual({ messages: 25, failed: 0 });
  expect((await registration.table('orders'))?.snapshots.size).toBe(1);
  nowMs += 601_000;
  expect(await waiting()).toBe(0);
});

test('pull acknowledges nothing that is not durable, and has it come again after its back-off (I3)', async () => {
  await ship(3);
  await queue.send(subscription, [{ body: '{"v":99,"segments":[]}' }]);
  registration.fault = ({ method, path }) =>
    method === 'PUT' && path.includes('/metadata/')
      ? {
          when: 'before',
          answer: { status: 403, headers: {}, body: '<Error><Code>AccessDenied</Code></Error>' },
        }
      : undefined;
  expect(await pulled()).toEqual({ messages: 4, failed: 4 });
  nowMs += 14_000;
  expect(await waiting()).toBe(0);
  nowMs += 1_001;
  registration.fault = undefined;
  expect(await pulled()).toEqual({ messages: 4, failed: 1 });
  expect((await registration.table('orders'))?.snapshots.size).toBe(1);
});

test('pull that cannot acknowledge fails, and what comes again is recognised (I2)', async () => {
  await ship(2);
  queue.onCall = (operation) => {
    if (operation === 'delete') throw new RegistrarError('queue.unavailable', 'scripted');
  };
  await expect(pulled()).rejects.toMatchObject({ code: 'queue.unavailable' });
  queue.onCall = () => undefined;
  nowMs += 601_000;
  expect(await pulled()).toEqual({ messages: 2, failed: 0 });
  expect((await registration.table('orders'))?.snapshots.size).toBe(1);
});

test('pull goes on with another round after a full one, while there is time', async () => {
  const body = JSON.stringify({ Service: 'Amazon S3', Event: 's3:TestEvent' });
  const held: ReceivedMessage[] = [];
  const fill = () => {
    for (let at = 0; at < 1_001; at += 1)
      held.push({ messageId: `${at}`, receiptHandle: `${at}`, body, attributes: {} });
  };
  const full: PullPorts['queue'] = {
    ...queue,
    receive: async (_, { maxMessages }) => held.splice(0, Math.min(maxMessages, 400)),
    delete: async () => undefined,
  };
  const run = () =>
    pull({ subscription }, { ...registration.ports, queue: full }, () => registration.remainingMs);
  fill();
  expect(await run()).toEqual({ messages: 1_001, failed: 0 });
  fill();
  registration.remainingMs = 20_000;
  expect(await run()).toEqual({ messages: 1_000, failed: 0 });
});

test.each([undefined, {}, { subscription: 7 }])('pull refuses the request %j', async (request) => {
  await expect(pull(request, { ...registration.ports, queue }, () => 60_000)).rejects.toMatchObject({
    code: 'config.invalid',
  });
});
