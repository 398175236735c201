import { expect, test } from 'vitest';
import { type FooterRound, footerMemory } from '../../../lib/jobs/register/footer-memory.ts';

const round = (): FooterRound => ({ heldBytes: 0, isOver: false });

test('a round that holds nothing always gets room, others as long as there is some', () => {
  const memory = footerMemory(100);
  const [first, second] = [round(), round()];
  expect(memory.take(first, 90)).toBe(true);
  expect(memory.take(first, 20)).toBe(false);
  expect(memory.take(second, 200)).toBe(true);
  memory.release(second);
  expect(memory.take(first, 10)).toBe(true);
});

test('a read that ends after its round gets no room, which nobody would release', () => {
  const memory = footerMemory(100);
  const [over, next] = [round(), round()];
  memory.release(over);
  expect(memory.take(over, 90)).toBe(false);
  expect([memory.take(next, 50), memory.take(next, 50)]).toEqual([true, true]);
});
