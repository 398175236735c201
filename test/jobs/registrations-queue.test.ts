import { expect, test } from 'vitest';
import { sourceQueue } from '../../lib/jobs/registrations-queue.ts';

const urls = ['a', 'b'].map((name) => `https://sqs.eu-central-1.amazonaws.com/123456789012/${name}.fifo`);
const batch = (name: string) => ({
  Records: [{ eventSourceARN: `arn:aws:sqs:eu-central-1:123456789012:${name}.fifo` }],
});

test('sourceQueue finds the queue that a batch came from among those of several entries', () => {
  const two = urls.map((registrations) => ({ queues: { registrations } }));
  expect(sourceQueue(batch('b'), two)).toBe(urls[1]);
  expect(sourceQueue(batch('c'), two)).toBeUndefined();
  expect(sourceQueue(batch('c'), two.slice(0, 1))).toBe(urls[0]);
  expect(sourceQueue({}, two)).toBeUndefined();
});
