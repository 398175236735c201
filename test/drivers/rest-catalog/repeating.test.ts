import { expect, test } from 'vitest';
import type { HttpExchange } from '../../../lib/drivers/http.ts';
import { repeatedly } from '../../../lib/drivers/rest-catalog/repeating.ts';
import { seededRandom } from '../../fakes/random.ts';
import { virtualTime } from '../../fakes/time.ts';

const retry = { initial_ms: 100, max_ms: 1_000, jitter: 0 } as never;

test.each([
  ['that cuts each connection', 10, 4],
  ['that hangs', 30_000, 1],
])('a request to a server %s is sent as often as may help', async (_, tookMs, times) => {
  const { clock, timers, run } = virtualTime();
  let asked = 0;
  const lost: HttpExchange = { kind: 'lost', cause: new Error('Headers Timeout Error') };
  const send = async () => {
    asked += 1;
    await timers.sleep(tookMs);
    return { answer: lost };
  };
  await run(repeatedly(send, { retry }, { clock, timers, random: seededRandom() }));
  expect(asked).toBe(times);
});
