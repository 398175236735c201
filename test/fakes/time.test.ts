import { expect, test } from 'vitest';
import { virtualTime } from './time.ts';

test('virtualTime wakes sleepers in order as time passes', async () => {
  const { clock, timers, advance } = virtualTime(0);
  const woken: string[] = [];
  const sleep = async (name: string, ms: number) => {
    await timers.sleep(ms);
    woken.push(`${name} at ${clock.now()}`);
  };
  void sleep('late', 200);
  void sleep('early', 100).then(() => sleep('again', 50));
  await advance(149);
  expect(woken).toStrictEqual(['early at 100']);
  await advance(51);
  expect(woken).toStrictEqual(['early at 100', 'again at 150', 'late at 200']);
});

test('virtualTime runs work to its end without waiting', async () => {
  const { clock, timers, run } = virtualTime(0);
  const work = async (): Promise<string> => {
    for (let hours = 0; hours < 24; hours += 1) await timers.sleep(3_600_000);
    return 'done';
  };
  expect(await run(work())).toBe('done');
  expect(clock.now()).toBe(86_400_000);
  await expect(run(Promise.reject(new Error('told')))).rejects.toThrow('told');
});
