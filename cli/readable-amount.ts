import type { Unit } from '../lib/jobs/health/check.ts';

/** An amount for people: `12 s`, `3.4 MiB`, `12,345`, `12 %`, with two digits if it is not whole. */
export function readableAmount(value: number, unit: Unit): string {
  switch (unit) {
    case 'ms':
      return duration(value);
    case 'bytes':
      return scaled(value, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']);
    case 'share':
      return `${round(value * 100)} %`;
    case 'count':
      return Math.round(value).toLocaleString('en');
  }
}

const DURATIONS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const;

function duration(ms: number): string {
  if (!Number.isFinite(ms)) return 'never';
  const [size, unit] = DURATIONS.find(([least]) => ms >= least) ?? [1, 'ms'];
  return `${round(ms / size)} ${unit}`;
}

function scaled(value: number, base: number, units: readonly string[]): string {
  let at = 0;
  let left = value;
  for (; left >= base && at < units.length - 1; at += 1) left /= base;
  return `${round(left)} ${units[at]}`;
}

function round(value: number): string {
  return value >= 100 || Number.isInteger(value)
    ? Math.round(value).toLocaleString('en')
    : value.toPrecision(2);
}
