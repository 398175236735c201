import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import { plotOf } from './plot.ts';
import { sectionMarkdown } from './report.ts';
import type { Section } from './section.ts';

const docs = join(import.meta.dirname, '../../../docs');
const PAGE = join(docs, 'performance.md');
const RESULTS = join(docs, 'performance/results.json');
const PLOT = join(docs, 'performance/commit-time.svg');
const PLOT_LINK = '![Milliseconds a commit against snapshots of the table](performance/commit-time.svg)';
const MEASURED = /(<!-- measured -->\n).*(<!-- end of measured -->)/s;

/** The cases in the order of the page, each from the latest run that included it. */
interface Results {
  readonly sections: readonly (Section & { readonly machine: Machine })[];
}

const ORDER = [
  ...['small', '1000', '5000', 'ten', 'thousand', 'delayed', 'fleet', 'requests', 'growth'],
  ...['cold', 'initialisation', 'backfill'],
];

/** Writes the results into docs/performance.md and its plot. Cases that were not run keep their earlier results. */
export function writeDocumentation(machine: Machine, sections: readonly Section[]): void {
  const before = existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results).sections : [];
  const kept = before.filter(({ id }) => !sections.some((section) => section.id === id));
  const all = [...kept, ...sections.map((section) => ({ ...section, machine }))].toSorted(
    (a, b) => ORDER.indexOf(a.id) - ORDER.indexOf(b.id),
  );
  mkdirSync(join(docs, 'performance'), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify({ sections: all } satisfies Results, undefined, 2)}\n`);
  const plot = plotOf(all);
  if (plot !== undefined) writeFileSync(PLOT, plot);
  const text = readFileSync(PAGE, 'utf8').replace(
    MEASURED,
    (_, begin, end) => `${begin}\n${measured(all, plot !== undefined)}\n\n${end}`,
  );
  writeFileSync(PAGE, text);
}

function measured(sections: Results['sections'], hasPlot: boolean): string {
  const runs = Map.groupBy(sections, ({ machine }) => natureOf(machine));
  return [
    ...(hasPlot ? [PLOT_LINK] : []),
    ...[...runs].flatMap(([nature, ofRun]) => [nature, ...ofRun.map((section) => sectionMarkdown(section))]),
  ].join('\n\n');
}

function natureOf({ date, system, cores, memoryGib, versions }: Machine): string {
  const software = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return (
    `Measured ${date} on ${cores} cores and ${memoryGib} GiB (${system}), catalog, store and contenders on one machine over loopback. ` +
    `${software.join(', ')}.`
  );
}
