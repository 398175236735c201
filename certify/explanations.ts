import type { EngineName } from './engines/engine.ts';

/** Why cells of an engine are not green, with its cause shown in that engine's source or issue. */
export interface Explanation {
  /** Of the heading on docs/compatibility.md. */
  readonly anchor: string;
  readonly title: string;
  readonly engines: readonly EngineName[];
  /** What each of a cell's differences must match. */
  readonly differences: RegExp;
  /** Features it is about; any by default. */
  readonly features?: RegExp;
  /** Markdown. */
  readonly text: string;
  readonly sources: readonly string[];
}

export const explanations: readonly Explanation[] = [];

/** The anchor of what explains every one of the differences. */
export function explain(engine: string, feature: string, differences: readonly string[]): string | undefined {
  return explanations.find(
    (one) =>
      one.engines.some((name) => name === engine) &&
      (one.features?.test(feature) ?? true) &&
      differences.every((line) => one.differences.test(line)),
  )?.anchor;
}
