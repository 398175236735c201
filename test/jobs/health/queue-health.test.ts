import { describe, expect, test } from 'vitest';
import { RegistrarError } from '../../../lib/errors.ts';
import { queuesHealth, type TableHistory } from '../../../lib/jobs/health/queue-health.ts';
import type { QueueWatch } from '../../../lib/ports/setup.ts';
import { entry } from '../../fakes/entry.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const URL = 'https://sqs.eu-central-1.amazonaws.com/123456789012';
const ENTRY = entry({ queues: { arrivals: `${URL}/arrivals`, registrations: `${URL}/registrations.fifo` } });
const DEAD: Readonly<Record<string, string>> = {
  [`${URL}/arrivals`]: `${URL}/arrivals-dlq`,
  [`${URL}/registrations.fifo`]: `${URL}/registrations-dlq.fifo`,
};

/** Messages and the age of the oldest of each queue, by the end of its URL. */
function watched(of: Readonly<Record<string, readonly [messages: number, oldestMs?: number]>>): QueueWatch {
  const found = (url: string) => of[url.slice(URL.length + 1)] ?? [0];
  return {
    count: async (url) => ({ messages: found(url)[0], deadLetterUrl: DEAD[url] }),
    ages: async (urls) =>
      new Map(urls.flatMap((url) => (found(url)[1] === undefined ? [] : [[url, found(url)[1] ?? 0]]))),
  };
}

async function look(watch: QueueWatch, histories: readonly TableHistory[] = []) {
  const queues = await queuesHealth([ENTRY, ENTRY], () => histories, watch);
  const failed = queues.flatMap(({ queue, checks }) =>
    checks.filter(({ ok }) => !ok).map(({ measure }) => `${queue}: ${measure}`),
  );
  return { queues, failed };
}

describe('queuesHealth', () => {
  test('reports each queue once, followed by its dead-letter queue, without advice for empty queues', async () => {
    const { queues, failed } = await look(watched({}));
    expect(queues.map(({ queue }) => queue)).toEqual([
      'arrivals',
      'arrivals-dlq',
      'registrations',
      'registrations-dlq',
    ]);
    expect(failed).toEqual([]);
  });

  test.each([
    [{ arrivals: [1, 15 * MINUTE_MS] }, []],
    [{ arrivals: [1, 15 * MINUTE_MS + 1] }, ['arrivals: oldest message']],
    [{ 'registrations.fifo': [50_000, HOUR_MS] }, []],
    [
      { 'registrations.fifo': [50_001, HOUR_MS + 1] },
      ['registrations: messages', 'registrations: oldest message'],
    ],
    [{ 'arrivals-dlq': [1, MINUTE_MS] }, ['arrivals-dlq: messages']],
    [
      { 'registrations-dlq.fifo': [1, 8 * 24 * HOUR_MS] },
      ['registrations-dlq: messages', 'registrations-dlq: oldest message'],
    ],
  ] as const)('of %j finds %j', async (of, wanted) => {
    expect((await look(watched(of))).failed).toEqual(wanted);
  });

  test('names the table whose history may expire before its oldest message is registered', async () => {
    const histories = [
      { table: 'lake.slow', historyMs: 90 * MINUTE_MS },
      { table: 'lake.short', historyMs: 30 * MINUTE_MS },
    ];
    const { queues, failed } = await look(watched({ 'registrations.fifo': [1, 16 * MINUTE_MS] }), histories);
    expect(failed).toEqual(['registrations: oldest message against provable history']);
    expect(queues.find(({ queue }) => queue === 'registrations')).toMatchObject({
      shortOf: { table: 'lake.short' },
    });
    expect((await look(watched({ 'registrations.fifo': [1, 15 * MINUTE_MS] }), histories)).failed).toEqual(
      [],
    );
  });

  test('reports the counts when the ages are not known, and says why', async () => {
    const { queues } = await look({
      ...watched({ arrivals: [3] }),
      ages: async () => {
        throw new RegistrarError('auth.failed', 'no');
      },
    });
    expect(queues[0]).toMatchObject({ messages: 3, problem: 'auth.failed: no', checks: [] });
  });

  test('does not fail when a queue cannot be examined', async () => {
    const { queues, failed } = await look({
      ...watched({}),
      count: async (url) => {
        throw new RegistrarError('queue.unavailable', url);
      },
    });
    expect(failed).toEqual([]);
    expect(queues.map(({ queue, problem }) => [queue, problem])).toEqual([
      ['arrivals', `queue.unavailable: ${URL}/arrivals`],
      ['registrations', `queue.unavailable: ${URL}/registrations.fifo`],
    ]);
  });
});
