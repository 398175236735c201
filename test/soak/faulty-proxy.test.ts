import { describe, expect, test } from 'vitest';
import { startHttpService } from '../../local/http-service.ts';
import { type FaultRates, type RequestEnd, startFaultyProxy } from './faulty-proxy.ts';

const none: FaultRates = { before: 0, after: 0, late: 0, slow: 0 };

/** Sends POSTs one after another through a proxy with these rates; answers what the client and the service saw of them. */
async function posts(rates: Partial<FaultRates>, seed: string, count: number) {
  const served: string[] = [];
  const ends: RequestEnd[] = [];
  const service = await startHttpService(({ path, body }) => {
    served.push(`${path} ${body}`);
    return { status: 200, body: 'done' };
  });
  const proxy = await startFaultyProxy({
    target: service.url,
    seed,
    ratesOf: () => ({ ...none, ...rates }),
    onEnd: (end) => ends.push(end),
  });
  const heard: (number | 'cut')[] = [];
  for (let n = 0; n < count; n += 1) {
    const answer = await fetch(`${proxy.url}/${n}`, { method: 'POST', body: 'x' }).catch(() => undefined);
    await answer?.text();
    heard.push(answer?.status ?? 'cut');
  }
  await expect.poll(() => ends.length, { timeout: 20_000 }).toBe(count);
  await Promise.all([proxy.close(), service.close()]);
  return { served, heard, ends };
}

describe('startFaultyProxy', () => {
  test('before: the service sees nothing, the client hears 502 or is cut off', async () => {
    const { served, heard, ends } = await posts({ before: 1 }, 'before', 8);
    expect(served).toEqual([]);
    expect(new Set(heard)).toEqual(new Set([502, 'cut']));
    expect(ends.every(({ status, heard: one }) => status === undefined && !one)).toBe(true);
  });

  test('after and late: the service has done it, and the client does not know', async () => {
    for (const rates of [{ after: 1 }, { late: 1 }]) {
      const { served, heard, ends } = await posts(rates, 'after', 3);
      expect(served.toSorted()).toEqual(['/0 x', '/1 x', '/2 x']);
      expect(heard).not.toContain(200);
      expect(ends.every(({ status, heard: one }) => status === 200 && !one)).toBe(true);
    }
  });

  test('the same seed draws the same faults', async () => {
    const rates = { before: 0.3, after: 0.3 };
    const once = await posts(rates, 'seed', 20);
    expect((await posts(rates, 'seed', 20)).heard).toEqual(once.heard);
    expect((await posts(rates, 'another', 20)).heard).not.toEqual(once.heard);
    expect(once.heard).toContain(200);
  });
});
