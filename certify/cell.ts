export type Outcome = 'green' | 'red' | 'not-run';

/** The result of one engine for one feature. */
export interface Cell {
  readonly feature: string;
  readonly engine: string;
  readonly outcome: Outcome;
  /** One line: for green what was compared, for red what differs, for not run the reason. */
  readonly detail?: string;
  /** For red every difference, one line each; absent if `detail` is the only one. */
  readonly differences?: readonly string[];
}
