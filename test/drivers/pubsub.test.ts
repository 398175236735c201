import { expect, onTestFinished, test } from 'vitest';
import { httpSender } from '../../lib/drivers/http.ts';
import { pubsubQueue } from '../../lib/drivers/pubsub.ts';
import { json, type Scripted, scriptedServer } from '../fakes/http.ts';
import { seededRandom } from '../fakes/random.ts';

const topic = 'projects/p/topics/t';
const subscription = 'projects/p/subscriptions/s';

async function scriptedQueue(answer: (line: string) => Scripted) {
  const server = await scriptedServer(answer);
  onTestFinished(server.close);
  const queue = pubsubQueue(
    { endpoint: server.url },
    {
      send: httpSender(),
      timers: { sleep: async () => undefined },
      random: seededRandom(1),
      accessToken: async () => 'very-secret-token',
    },
  );
  const bodies = () => server.requests.map(({ body }) => JSON.parse(body.toString()));
  return { queue, server, bodies };
}

test('send divides what is too much for one request, by number and by size', async () => {
  const { queue, bodies } = await scriptedQueue(() => json(200, { messageIds: ['1'] }));
  await queue.send(
    topic,
    Array.from({ length: 1_001 }, (_, index) => ({ body: `${index}` })),
  );
  await queue.send(
    topic,
    Array.from({ length: 3 }, () => ({ body: 'x'.repeat(3 << 20) })),
  );
  expect(bodies().map(({ messages }) => messages.length)).toEqual([1_000, 1, 1, 1, 1]);
});

test('receive answers the text of what we sent, and the envelope of a notification of Cloud Storage', async () => {
  const notification = {
    data: Buffer.from('{}').toString('base64'),
    attributes: { eventType: 'OBJECT_FINALIZE', bucketId: 'lake', objectId: 'a', objectGeneration: '7' },
    messageId: '2',
    publishTime: '2026-03-14T09:26:54.001Z',
  };
  const { queue, bodies } = await scriptedQueue(() =>
    json(200, {
      receivedMessages: [
        { ackId: 'r1', message: { data: Buffer.from('é').toString('base64'), messageId: '1' } },
        { ackId: 'r2', deliveryAttempt: 3, message: notification },
      ],
    }),
  );
  expect(await queue.receive(subscription, { maxMessages: 5_000, waitSeconds: 0 })).toEqual([
    { messageId: '1', receiptHandle: 'r1', body: 'é', attributes: {} },
    {
      messageId: '2',
      receiptHandle: 'r2',
      body: JSON.stringify({ message: notification, subscription }),
      attributes: {
        ApproximateReceiveCount: '3',
        SentTimestamp: String(Date.parse('2026-03-14T09:26:54.001Z')),
      },
    },
  ]);
  expect(bodies()).toEqual([{ maxMessages: 1_000, returnImmediately: true }]);
});

test('delete and setVisibility keep to the limits of Pub/Sub: receipts a request, and ten minutes', async () => {
  const { queue, server, bodies } = await scriptedQueue(() => json(200, {}));
  await queue.delete(
    subscription,
    Array.from({ length: 1_500 }, (_, index) => `r${index}`),
  );
  await queue.setVisibility(subscription, 'r', 900);
  expect(server.lines).toEqual([
    'POST /v1/projects/p/subscriptions/s:acknowledge',
    'POST /v1/projects/p/subscriptions/s:acknowledge',
    'POST /v1/projects/p/subscriptions/s:modifyAckDeadline',
  ]);
  expect(bodies().map(({ ackIds }) => ackIds.length)).toEqual([1_000, 500, 1]);
  expect(bodies()[2]).toEqual({ ackIds: ['r'], ackDeadlineSeconds: 600 });
});

test('what Pub/Sub refuses is auth.failed or queue.unavailable, in its words', async () => {
  const refusal = (code: number, status: string) => json(code, { error: { code, message: 'told', status } });
  const denied = await scriptedQueue(() => refusal(403, 'PERMISSION_DENIED'));
  await expect(denied.queue.receive(subscription, { maxMessages: 1, waitSeconds: 0 })).rejects.toMatchObject({
    code: 'auth.failed',
    message: `Cannot receive from "${subscription}": 403 PERMISSION_DENIED: told`,
  });
  const down = await scriptedQueue(() => refusal(503, 'UNAVAILABLE'));
  await expect(down.queue.send(topic, [{ body: 'x' }])).rejects.toMatchObject({ code: 'queue.unavailable' });
  expect(down.server.lines).toHaveLength(4);
});

test.each(['https://sqs.eu-central-1.amazonaws.com/1/q', 'projects/p/topics', 'projects/p/queues/q'])(
  '"%s" is no topic or subscription',
  async (name) => {
    const { queue, server } = await scriptedQueue(() => json(200, {}));
    await expect(queue.send(name, [{ body: 'x' }])).rejects.toMatchObject({ code: 'config.invalid' });
    expect(server.lines).toEqual([]);
  },
);
