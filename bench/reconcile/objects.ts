/** The objects of the benchmark: one in a thousand is in no manifest. */
export const DIRECTORY = 's3://lake/in/thadam/v1/plant/orders';

export function uriOf(at: number): string {
  return `${DIRECTORY}/dt=2026-01-01/hour=00/part-${String(at).padStart(12, '0')}-7f3b2c1d9e.parquet`;
}

export function isMissing(at: number): boolean {
  return at % 1_000 === 0;
}
