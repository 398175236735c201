import type { Cell } from './cell.ts';
import { explanationOf } from './explanations.ts';

export interface CertifiedSection {
  readonly name: string;
  readonly title: string;
  readonly cells: readonly Cell[];
}

/** What one run found. */
export interface Certification {
  readonly date: Date;
  readonly engines: readonly { readonly name: string; readonly version: string | undefined }[];
  readonly sections: CertifiedSection[];
}

/** A line a cell that is neither green nor explained. */
export function unexplained({ sections }: Certification): readonly string[] {
  return sections.flatMap(({ title, cells }) =>
    cells
      .filter((cell) => cell.outcome !== 'green' && explanationOf(cell) === undefined)
      .map(
        ({ feature, engine, outcome, detail }) =>
          `${outcome.toUpperCase()}  ${engine}: ${title}: ${feature}: ${detail ?? ''}`,
      ),
  );
}

/** The sum of the cells. What was not run counts as red: it passes when explained, as a red cell does. */
export function verdict(certification: Certification): { readonly line: string; readonly passed: boolean } {
  const cells = certification.sections.flatMap((section) => section.cells);
  const green = cells.filter(({ outcome }) => outcome === 'green').length;
  const explained = cells.filter(
    (cell) => cell.outcome !== 'green' && explanationOf(cell) !== undefined,
  ).length;
  const open = cells.length - green - explained;
  const line = `${cells.length} cells: ${green} green, ${explained} red and explained, ${open} red and not explained`;
  return { line, passed: open === 0 && green > 0 };
}
