import { describe, expect, test } from 'vitest';
import { cases } from '../../bench/side-by-side/cases.ts';
import { tableOf } from '../../bench/side-by-side/contenders/contender.ts';
import { startProcess } from '../../bench/side-by-side/contenders/protocol.ts';
import { shuffled } from '../../bench/side-by-side/shuffled.ts';

describe('cases', () => {
  test.each(cases)('$id: whoever has a figure takes part, and is heard at least five times', (one) => {
    expect([...one.contenders.keys()]).toEqual(
      expect.arrayContaining(['ours', 'floor', ...one.figures.peers.keys()]),
    );
    for (const every of one.contenders.values())
      expect(Math.ceil(one.rounds / every)).toBeGreaterThanOrEqual(5);
  });
  test('no two contenders write to one table', () => {
    const names = new Set(cases.flatMap(({ contenders }) => [...contenders.keys()]));
    expect(new Set([...names].map((name) => tableOf('small', name))).size).toBe(names.size);
  });
});

describe('startProcess', () => {
  const program = (text: string) =>
    startProcess({ name: 'a contender', file: process.execPath, args: ['-e', text] });

  test('answers jobs by line, and passes over what is no answer', async () => {
    const contender = program(`
      require('node:readline').createInterface(process.stdin).on('line', (line) => {
        console.log('{"event":"committed"}');
        console.log(JSON.stringify({ elapsedMs: JSON.parse(line).n, cpuMs: 1, rssMib: 2 }));
      });`);
    expect(await contender.ask({ n: 7 })).toEqual({ elapsedMs: 7, cpuMs: 1, rssMib: 2 });
    expect(await contender.ask({ n: 8 })).toMatchObject({ elapsedMs: 8 });
    await contender.stop();
  });
  test('one that ends fails with the end of its log', async () => {
    const contender = program(`
      process.stdin.once('data', () => { console.error('no such table'); process.exit(3); });`);
    await expect(contender.ask({})).rejects.toThrow(/"a contender" ended with code 3:\nno such table/);
    await expect(contender.ask({})).rejects.toThrow('ended with code 3');
    await contender.stop();
  });
});

test('shuffled keeps every item, and its order to the seed', () => {
  const items = [1, 2, 3, 4, 5, 6, 7, 8];
  expect([...shuffled(items, 'a')].sort()).toEqual(items);
  expect(shuffled(items, 'a')).toEqual(shuffled(items, 'a'));
  expect(shuffled(items, 'a')).not.toEqual(shuffled(items, 'b'));
});
