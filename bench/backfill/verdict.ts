export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly limit: string;
  readonly holds: boolean;
}

export function atLeast(what: string, value: number, least: number): Figure {
  return { what, value, limit: `≥ ${least}`, holds: value >= least };
}

export function atMost(what: string, value: number, most: number): Figure {
  return { what, value, limit: `≤ ${most}`, holds: value <= most };
}

export function verdict(figures: readonly Figure[]) {
  const missed = figures.filter(({ holds }) => !holds);
  return {
    holds: missed.length === 0,
    table: Object.fromEntries(
      figures.map(({ what, value, limit, holds }) => [
        what,
        { value: Number(value.toFixed(2)), limit, verdict: holds ? 'PASS' : 'short' },
      ]),
    ),
    summary:
      missed.length === 0
        ? `bench:backfill: PASS, ${figures.length} figures`
        : `bench:backfill: ${missed.length} of ${figures.length} figures short: ${missed.map(({ what, value, limit }) => `${what} is ${value.toFixed(2)}, ${limit}`).join('; ')}`,
  };
}
