import type { Random } from '../../lib/ports.ts';
import { mulberry32 } from './mulberry32.ts';

/** The same numbers and UUIDs for the same seed. */
export function seededRandom(seed = 1): Random {
  const word = mulberry32(seed);
  const next = (): number => word() / 2 ** 32;
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('');
  return {
    next,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[Math.floor(next() * 4)]}${hex(3)}-${hex(12)}`,
  };
}
