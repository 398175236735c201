import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { topicSubscriptions } from '../../../lib/drivers/topic-subscriptions.ts';
import type { ReceivedMessage } from '../../../lib/ports.ts';
import { describeWith } from '../services/describe-with.ts';
import { ports, pubsubOf, putResource } from './emulated.ts';

describeWith('pubsubQueue on Google’s own fake', ['google'], ({ google }) => {
  const queue = pubsubOf(google);

  /** A topic and its subscription, of names never used before. */
  async function subscribed(settings: Readonly<Record<string, unknown>> = {}) {
    const id = randomUUID();
    const topic = `projects/${google.project}/topics/t-${id}`;
    const subscription = `projects/${google.project}/subscriptions/s-${id}`;
    await putResource(google, topic);
    await putResource(google, subscription, { topic, ackDeadlineSeconds: 600, ...settings });
    return { topic, subscription };
  }

  async function drain(subscription: string): Promise<readonly ReceivedMessage[]> {
    const all: ReceivedMessage[] = [];
    for (;;) {
      const some = await queue.receive(subscription, { maxMessages: 1_000, waitSeconds: 0 });
      if (some.length === 0) return all;
      all.push(...some);
    }
  }

  test('send takes any number of messages, and receive answers each with its time', async () => {
    const { topic, subscription } = await subscribed();
    const bodies = Array.from({ length: 2_500 }, (_, index) => `message ${index} é 🧊`);
    expect(
      await queue.send(
        topic,
        bodies.map((body) => ({ body, groupId: 'of SQS', deduplicationId: 'alone' })),
      ),
    ).toEqual([]);
    const received = await drain(subscription);
    expect(received.map(({ body }) => body).sort()).toEqual(bodies.sort());
    expect(Math.abs(Number(received[0]?.attributes['SentTimestamp']) - Date.now())).toBeLessThan(600_000);
  });

  test('what is deleted never comes back, the rest as soon as its visibility ends', async () => {
    const { topic, subscription } = await subscribed();
    await queue.send(topic, [{ body: 'done' }, { body: 'again' }]);
    const received = await drain(subscription);
    const receipt = (wanted: string) => received.find(({ body }) => body === wanted)?.receiptHandle ?? '';
    await queue.delete(subscription, [receipt('done')]);
    await queue.setVisibility(subscription, receipt('again'), 0);
    expect((await drain(subscription)).map(({ body }) => body)).toEqual(['again']);
  });

  test('a dead-letter topic counts the deliveries, and gets what was delivered too often', async () => {
    const dead = await subscribed();
    const { topic, subscription } = await subscribed({
      deadLetterPolicy: { deadLetterTopic: dead.topic, maxDeliveryAttempts: 5 },
    });
    await queue.send(topic, [{ body: 'poison' }]);
    const counts: (string | undefined)[] = [];
    for (let delivery = 0; delivery < 5; delivery += 1) {
      for (const { attributes, receiptHandle } of await drain(subscription)) {
        counts.push(attributes['ApproximateReceiveCount']);
        await queue.setVisibility(subscription, receiptHandle, 0);
      }
    }
    expect(counts).toEqual(['1', '2', '3', '4', '5']);
    expect(await drain(subscription)).toEqual([]);
    // At least once: the fake now and then sends one twice.
    expect(new Set((await drain(dead.subscription)).map(({ body }) => body))).toEqual(new Set(['poison']));
  });

  test('topicSubscriptions tells how the subscriptions of a topic are set up, and takes nothing', async () => {
    const dead = await subscribed();
    const { topic, subscription } = await subscribed({
      deadLetterPolicy: { deadLetterTopic: dead.topic, maxDeliveryAttempts: 5 },
    });
    await queue.send(topic, [{ body: 'waits' }]);
    const settings = { endpoint: google.pubsubEndpoint };
    expect(await topicSubscriptions(topic, settings, ports)).toEqual([
      { name: subscription, deadlineSeconds: 600, maxDeliveryAttempts: 5 },
    ]);
    expect(await topicSubscriptions(dead.topic, settings, ports)).toMatchObject([
      { maxDeliveryAttempts: undefined },
    ]);
    expect((await drain(subscription)).map(({ body }) => body)).toEqual(['waits']);
  });

  test('a topic or subscription that does not exist is queue.unavailable, with the way out', async () => {
    const absent = `projects/${google.project}/subscriptions/absent`;
    await expect(queue.receive(absent, { maxMessages: 1, waitSeconds: 0 })).rejects.toMatchObject({
      code: 'queue.unavailable',
      message: expect.stringMatching(
        /^Cannot receive from "projects\/tests\/subscriptions\/absent": 404 .*; create it or correct its name$/,
      ),
    });
    await expect(queue.send('https://sqs.example.com/1/q', [{ body: 'x' }])).rejects.toMatchObject({
      code: 'config.invalid',
    });
  });
});
