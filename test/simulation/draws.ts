import type { Random } from '../../lib/ports.ts';

/** Draws that are the same for the same name: a port's `Random`, and what schedules and faults are made of. */
export interface Draws extends Random {
  /** From `low` to `high`, both included. */
  integer(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/** A stream of its own for every name, so that leaving one out moves no other (mulberry32, seeded by FNV-1a). */
export function drawsOf(name: string): Draws {
  let state = fnv1a(name);
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
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
