import { seededDice } from '../../local/shipper/dice.ts';

/** The items in a random order that the seed determines (Fisher-Yates). */
export function shuffled<T>(items: readonly T[], seed: string): readonly T[] {
  const dice = seededDice(seed);
  const order = [...items];
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = dice.integer(0, at);
    const [a, b] = [order[at], order[other]] as [T, T];
    [order[at], order[other]] = [b, a];
  }
  return order;
}
