import { expect } from 'vitest';
import type { CommitResult } from '../../lib/ports.ts';

/** Expects that one commit landed and all others are conflicts; answers which one landed. */
export function expectOneWinner(results: readonly CommitResult[]): number {
  const winners = results.flatMap(({ outcome }, racer) => (outcome === 'landed' ? [racer] : []));
  expect(winners).toHaveLength(1);
  expect(
    results.filter((result) => result.outcome === 'refused' && result.reason === 'conflict'),
  ).toHaveLength(results.length - 1);
  return winners[0] ?? -1;
}
