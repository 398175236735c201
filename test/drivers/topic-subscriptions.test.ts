import { expect, onTestFinished, test } from 'vitest';
import { httpSender } from '../../lib/drivers/http.ts';
import { topicSubscriptions } from '../../lib/drivers/topic-subscriptions.ts';
import { json, type Scripted, scriptedServer } from '../fakes/http.ts';
import { seededRandom } from '../fakes/random.ts';

const topic = 'projects/p/topics/t';

async function looked(answer: (line: string) => Scripted) {
  const server = await scriptedServer(answer);
  onTestFinished(server.close);
  const ports = {
    send: httpSender(),
    timers: { sleep: async () => undefined },
    random: seededRandom(1),
    accessToken: async () => 'very-secret-token',
  };
  return { server, found: topicSubscriptions(topic, { endpoint: server.url }, ports) };
}

test('topicSubscriptions reads of each subscription what the registrar depends on, and receives nothing', async () => {
  const { server, found } = await looked((line) =>
    line.endsWith('/topics/t/subscriptions')
      ? json(200, { subscriptions: ['projects/p/subscriptions/a', 'projects/p/subscriptions/b'] })
      : json(200, {
          ackDeadlineSeconds: 600,
          ...(line.endsWith('/a') && {
            deadLetterPolicy: { deadLetterTopic: 'projects/p/topics/dead', maxDeliveryAttempts: 100 },
          }),
        }),
  );
  expect(await found).toEqual([
    { name: 'projects/p/subscriptions/a', deadlineSeconds: 600, maxDeliveryAttempts: 100 },
    { name: 'projects/p/subscriptions/b', deadlineSeconds: 600, maxDeliveryAttempts: undefined },
  ]);
  expect(server.lines.every((line) => line.startsWith('GET /v1/projects/p/'))).toBe(true);
});

test('topicSubscriptions of a topic without any is none', async () => {
  expect(await (await looked(() => json(200, {}))).found).toEqual([]);
});

test.each([
  [404, 'NOT_FOUND', 'queue.unavailable', /create it or correct its name/],
  [403, 'PERMISSION_DENIED', 'auth.failed', /roles\/pubsub\.viewer/],
] as const)('topicSubscriptions answered by %i says what to do', async (status, name, code, message) => {
  const { found } = await looked(() =>
    json(status, { error: { code: status, message: 'told', status: name } }),
  );
  await expect(found).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});
