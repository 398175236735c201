import type { Cell } from './cell.ts';
import { explanationOf } from './explanations.ts';

export interface CertifiedSection {
  readonly name: string;
  readonly title: string;
  readonly cells: readonly Cell[];
}

/** The results of one run. */
export interface Certification {
  /** ISO 8601. */
  readonly at: string;
  readonly seconds: number;
  readonly engines: readonly { readonly name: string; readonly version?: string }[];
  readonly sections: readonly CertifiedSection[];
}

/** Rows are features, columns the engines that have a cell in the section. An engine that lacks the ability has no cell. */
export interface Matrix {
  readonly engines: readonly string[];
  readonly rows: readonly { readonly feature: string; readonly cells: readonly (Cell | undefined)[] }[];
}

export function matrixOf({ cells }: CertifiedSection, order: readonly string[]): Matrix {
  const place = (engine: string) => (order.includes(engine) ? order.indexOf(engine) : order.length);
  const engines = [...new Set(cells.map(({ engine }) => engine))].toSorted((a, b) => place(a) - place(b));
  const features = Map.groupBy(cells, ({ feature }) => feature);
  return {
    engines,
    rows: [...features].map(([feature, some]) => ({
      feature,
      cells: engines.map((engine) => some.find((cell) => cell.engine === engine)),
    })),
  };
}

/** One line per cell that is neither green nor explained. */
export function unexplained({ sections }: Pick<Certification, 'sections'>): readonly string[] {
  return sections.flatMap(({ title, cells }) =>
    cells
      .filter((cell) => cell.outcome !== 'green' && explanationOf(cell) === undefined)
      .map(
        ({ feature, engine, outcome, detail }) =>
          `${outcome.toUpperCase()}  ${engine}: ${title}: ${feature}: ${detail ?? ''}`,
      ),
  );
}

export interface Sum {
  readonly cells: number;
  readonly green: number;
  /** Red, with an explanation. */
  readonly explained: number;
  readonly open: number;
}

export function sum(cells: readonly Cell[]): Sum {
  const green = cells.filter(({ outcome }) => outcome === 'green').length;
  const explained = cells.filter((cell) => explanationOf(cell) !== undefined).length;
  return { cells: cells.length, green, explained, open: cells.length - green - explained };
}

/** Counts all cells; one that was not run counts as red. The run passes if every red cell is explained and at least one is green. */
export function verdict({ sections }: Pick<Certification, 'sections'>): {
  readonly line: string;
  readonly passed: boolean;
} {
  const { cells, green, explained, open } = sum(sections.flatMap((section) => section.cells));
  const line = `${cells} cells: ${green} green, ${explained} red and explained, ${open} red and not explained`;
  return { line, passed: open === 0 && green > 0 };
}
