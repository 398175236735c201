import type { Fleet } from './fleet.ts';
import type { Reader } from './readers.ts';

export interface Verdict {
  /** Shipped. */
  readonly rows: number;
  /** The most that any engine found twice, and did not find. */
  readonly duplicates: number;
  readonly lost: number;
  /** A line for every table and engine that differs. */
  readonly differences: readonly string[];
}

/** Lets every engine count every table. */
export async function compare(
  readers: readonly Reader[],
  fleet: Pick<Fleet, 'datasets' | 'expected'>,
): Promise<Verdict> {
  const differences: string[] = [];
  const verdicts = await Promise.all(
    readers.map(async ({ name: engine, count }) => {
      let [duplicates, lost] = [0, 0];
      for (const dataset of fleet.datasets) {
        const expected = fleet.expected(dataset);
        try {
          const found = await count(dataset.name);
          duplicates += found.rows - found.distinct;
          lost += expected.distinct - found.distinct;
          if (found.rows === expected.rows && found.checksum === expected.checksum) continue;
          differences.push(
            `${engine}, ${dataset.name}: ${found.rows} rows (${found.distinct} different) with checksum ${found.checksum}; shipped were ${expected.rows} with ${expected.checksum}`,
          );
        } catch (error) {
          differences.push(`${engine}, ${dataset.name}: ${(error as Error).message}`);
        }
      }
      return { duplicates, lost };
    }),
  );
  return {
    rows: fleet.datasets.reduce((sum, dataset) => sum + fleet.expected(dataset).rows, 0),
    duplicates: Math.max(...verdicts.map(({ duplicates }) => duplicates)),
    lost: Math.max(...verdicts.map(({ lost }) => lost)),
    differences,
  };
}
