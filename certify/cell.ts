export type Outcome = 'green' | 'red' | 'not-run';

/** What one engine made of one feature. */
export interface Cell {
  readonly feature: string;
  readonly engine: string;
  readonly outcome: Outcome;
  /** Green: what was compared. Red: what differs. Not run: why. One line. */
  readonly detail?: string;
  /** Red: every difference, a line each; absent where `detail` is the only one. */
  readonly differences?: readonly string[];
}
