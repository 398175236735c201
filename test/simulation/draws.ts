import type { Random } from '../../lib/ports.ts';
import { mulberry32 } from '../fakes/mulberry32.ts';

/** Reproducible random draws: the same name gives the same draws. Used for schedules, faults and the `Random` port. */
export interface Draws extends Random {
  /** Between `low` and `high`, both inclusive. */
  integer(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/** Every name has its own stream, so that omitting one does not change any other (seeded by FNV-1a). */
export function drawsOf(name: string): Draws {
  const word = mulberry32(fnv1a(name));
  const next = (): number => word() / 2 ** 32;
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const hex = (): string => word().toString(16).padStart(8, '0');
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[integer(0, choices.length - 1)] ?? choices[0],
    uuid: () => {
      const [a, b, c, d] = [hex(), hex(), hex(), hex()];
      return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`;
    },
  };
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
