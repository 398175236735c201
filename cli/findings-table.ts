import { styleText } from 'node:util';
import { numberRanges } from '../lib/counted.ts';
import type { Finding } from '../lib/jobs/doctor/finding.ts';
import { printableLines } from './printable.ts';
import { wrappedTable } from './wrapped-table.ts';

const colours = { ok: 'green', warning: 'yellow', failed: 'red', 'not checked': 'dim' } as const;

/** One row per finding. Dozens of entries have most in common: what was found of several of them is said once, with their numbers. */
export function findingsTable(findings: readonly Finding[]): string {
  const several = findings.some(({ entry }) => entry > 1);
  const same = Map.groupBy(findings, ({ entry: _, ...rest }) => JSON.stringify(rest));
  return wrappedTable(
    [
      ...(several ? [{ head: 'entry', most: 12 }] : []),
      { head: 'check' },
      { head: 'state' },
      { head: 'found', most: 82 },
    ],
    [...same.values()].flatMap((group) => {
      const [finding] = group;
      if (finding === undefined) return [];
      const { check, state, found, wayOut } = finding;
      return [
        [
          ...(several ? [numberRanges(group.flatMap(({ entry }) => (entry === 0 ? [] : entry)))] : []),
          check,
          styleText(colours[state], state),
          printableLines(wayOut === undefined ? found : `${found}\n→ ${wayOut}`),
        ],
      ];
    }),
  );
}
