import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../local/http-service.ts';
import { type BatchHandler, type Invocation, type PollerOptions, startPoller } from '../../local/poller.ts';
import { type Stack, type StackQueue, startStack } from '../../local/stack.ts';

let stack: Stack;
let client: SQSClient;

beforeEach(async () => {
  stack = await startStack();
  const { sqsEndpoint: endpoint, region, credentials } = stack;
  client = new SQSClient({ endpoint, region, credentials });
});

afterEach(() => stack.close());

/** Runs a poller until the queue and what was sent to it are settled; answers its invocations. */
async function poll(
  queue: StackQueue,
  handler: BatchHandler,
  options: Partial<PollerOptions> & { readonly until: (invocations: readonly Invocation[]) => boolean },
): Promise<readonly Invocation[]> {
  const invocations: Invocation[] = [];
  const settled = Promise.withResolvers<void>();
  const onInvocation = (invocation: Invocation) => {
    invocations.push(invocation);
    if (options.until(invocations)) settled.resolve();
  };
  const poller = startPoller({ client, queueUrl: queue.url, handler, onInvocation, ...options });
  await settled.promise;
  await poller.stop();
  return invocations;
}

const messagesIn = (queue: StackQueue) => {
  const { visible, inFlight } = stack.queues.byUrl(queue.url).counts();
  return visible + inFlight;
};

describe('startPoller', () => {
  test('hands records over as Lambda does and deletes what is not failed', async () => {
    const queue = stack.createQueue('q', { fifo: true });
    for (const body of ['a', 'b', 'c']) {
      stack.queues.byUrl(queue.url).send({ body, groupId: 'g', deduplicationId: body });
    }
    const events: SQSEvent[] = [];
    const handler: BatchHandler = async (event, context) => {
      events.push(event);
      expect(context.getRemainingTimeInMillis()).toBeGreaterThan(0);
      return {
        batchItemFailures: event.Records.slice(1).map(({ messageId }) => ({ itemIdentifier: messageId })),
      };
    };
    await poll(queue, handler, { until: (all) => all.length === 1 });
    expect(events[0]?.Records[0]).toMatchObject({
      body: 'a',
      eventSource: 'aws:sqs',
      eventSourceARN: queue.arn,
      awsRegion: 'us-east-1',
      attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'g', MessageDeduplicationId: 'a' },
    });
    expect(messagesIn(queue)).toBe(2);
  });

  test.each<[string, () => Promise<unknown>, number]>([
    ['nothing', async () => undefined, 0],
    ['null', async () => null, 0],
    ['no failures', async () => ({ batchItemFailures: [] }), 0],
    ['failures that are null', async () => ({ batchItemFailures: null }), 0],
    ['an unknown identifier', async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] }), 2],
    ['an empty identifier', async () => ({ batchItemFailures: [{ itemIdentifier: '' }] }), 2],
    ['an entry without identifier', async () => ({ batchItemFailures: [{}] }), 2],
    ['failures that are no list', async () => ({ batchItemFailures: 'all' }), 2],
    ['a throw', async () => Promise.reject(new Error('thrown')), 2],
  ])('takes %s for what Lambda takes it', async (_title, handler, left) => {
    const queue = stack.createQueue('q');
    for (const body of ['a', 'b']) stack.queues.byUrl(queue.url).send({ body });
    const [invocation] = await poll(queue, handler, { until: (all) => all.length === 1 });
    expect(invocation?.failed).toHaveLength(left);
    expect(messagesIn(queue)).toBe(left);
  });

  test('collects a batch of a standard queue over several receives', async () => {
    const queue = stack.createQueue('q');
    for (let i = 0; i < 25; i++) stack.queues.byUrl(queue.url).send({ body: String(i) });
    const options = {
      batchSize: 25,
      windowSeconds: 20,
      concurrency: 1,
      until: (all: readonly unknown[]) => all.length === 1,
    };
    const [invocation] = await poll(queue, async () => undefined, options);
    expect(invocation?.records).toHaveLength(25);
  });

  test('invokes for several groups at once, never twice for one', async () => {
    const queue = stack.createQueue('q', { fifo: true });
    const fifo = stack.queues.byUrl(queue.url);
    for (let i = 0; i < 40; i++) fifo.send({ body: `${i}`, groupId: `g${i % 4}`, deduplicationId: `${i}` });
    const running = new Map<string, number>();
    const seen: number[] = [];
    const handler: BatchHandler = async ({ Records }) => {
      seen.push(...Records.map(({ body }) => Number(body)));
      const groups = new Set(Records.map(({ attributes }) => String(attributes.MessageGroupId)));
      for (const group of groups) running.set(group, (running.get(group) ?? 0) + 1);
      expect([...running.values()].every((n) => n <= 1)).toBe(true);
      await new Promise(setImmediate);
      for (const group of groups) running.set(group, (running.get(group) ?? 0) - 1);
    };
    const until = (all: readonly Invocation[]) => all.flatMap(({ records }) => records).length === 40;
    const invocations = await poll(queue, handler, { concurrency: 4, batchSize: 3, until });
    expect(invocations.every(({ error }) => error === undefined)).toBe(true);
    for (let group = 0; group < 4; group++) {
      expect(seen.filter((n) => n % 4 === group)).toEqual(
        Array.from({ length: 10 }, (_, i) => i * 4 + group),
      );
    }
    expect(messagesIn(queue)).toBe(0);
  });

  test('goes on when the queue answers again', async () => {
    let faults = 3;
    const fault: Fault = { when: 'before', answer: { status: 500 } };
    const flaky = await startStack({ onSqsRequest: () => (faults-- > 0 ? fault : undefined) });
    const queue = flaky.createQueue('q');
    flaky.queues.byUrl(queue.url).send({ body: 'x' });
    const { sqsEndpoint: endpoint, region, credentials } = flaky;
    const direct = new SQSClient({ endpoint, region, credentials, maxAttempts: 1 });
    const errors: unknown[] = [];
    const options = { client: direct, concurrency: 1, onError: (error: unknown) => errors.push(error) };
    await poll(queue, async () => undefined, { ...options, until: (all) => all.length === 1 });
    expect(errors).toHaveLength(3);
    await flaky.close();
  });

  test('stop lets the invocation under way finish and delete', async () => {
    const queue = stack.createQueue('q');
    stack.queues.byUrl(queue.url).send({ body: 'x' });
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const handler = async () => {
      started.resolve();
      await finish.promise;
    };
    const poller = startPoller({ client, queueUrl: queue.url, handler });
    await started.promise;
    const stopped = poller.stop();
    finish.resolve();
    await stopped;
    expect(messagesIn(queue)).toBe(0);
  });
});
