import { styleText } from 'node:util';
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
          ...(several ? [numbersText(group.map(({ entry }) => entry))] : []),
          check,
          styleText(colours[state], state),
          printableLines(wayOut === undefined ? found : `${found}\n→ ${wayOut}`),
        ],
      ];
    }),
  );
}

/** `1–3, 7` for ascending numbers; nothing for 0, which stands for all entries. */
function numbersText(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else if (number > 0) runs.push([number, number]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join(', ');
}
