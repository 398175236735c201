import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readQueueAttributes } from '../../lib/drivers/queue-attributes.ts';
import { sqsQueue } from '../../lib/drivers/sqs.ts';
import { type Stack, startStack } from '../../local/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  vi.stubEnv('AWS_REGION', stack.region);
  vi.stubEnv('AWS_ACCESS_KEY_ID', stack.credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', stack.credentials.secretAccessKey);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stack.close();
});

test('readQueueAttributes counts what waits and what is in flight, and finds the dead-letter queue by its URL', async () => {
  const { url } = stack.createQueue('registrations', { fifo: true, deadLetter: { maxReceiveCount: 20 } });
  const queue = sqsQueue();
  const messages = ['a', 'b', 'c'].map((id) => ({ body: id, groupId: id, deduplicationId: id }));
  expect(await queue.send(url, messages)).toEqual([]);
  expect(await queue.receive(url, { maxMessages: 1, waitSeconds: 0 })).toHaveLength(1);
  const { deadLetterUrl = '', ...found } = await readQueueAttributes(url);
  expect(found).toMatchObject({ messages: 3, maxReceiveCount: 20, fifo: true });
  expect(await readQueueAttributes(deadLetterUrl)).toMatchObject({
    messages: 0,
    fifo: true,
    maxReceiveCount: undefined,
    deadLetterUrl: undefined,
  });
});
