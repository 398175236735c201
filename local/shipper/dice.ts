import { createHash } from 'node:crypto';

/** Random draws that depend only on the seed. */
export interface Dice {
  /** At least 0, less than 1, in steps of 2^-32. */
  fraction(): number;
  /** From `low` to `high`, both included. */
  integer(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  bytes(length: number): Uint8Array;
  /** A version 4 UUID in its 16 bytes. */
  uuid(): Uint8Array;
}

/** Dice seeded by a text (sfc32, its four words taken from the text's SHA-256). */
export function seededDice(seed: string): Dice {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c, counter] = [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset)) as [
    number,
    number,
    number,
    number,
  ];
  const word = (): number => {
    const next = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + next;
    return next >>> 0;
  };
  const fraction = (): number => word() / 2 ** 32;
  const integer = (low: number, high: number): number => low + Math.floor(fraction() * (high - low + 1));
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => word() & 0xff);
  return {
    fraction,
    integer,
    chance: (probability) => fraction() < probability,
    pick: (choices) => choices[integer(0, choices.length - 1)] ?? choices[0],
    bytes,
    uuid: () => {
      const uuid = bytes(16);
      uuid.set([((uuid[6] ?? 0) & 0x0f) | 0x40], 6);
      uuid.set([((uuid[8] ?? 0) & 0x3f) | 0x80], 8);
      return uuid;
    },
  };
}
