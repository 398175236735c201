import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { Row } from '../../test/integration/readers/canonical.ts';
import type { Predicate } from '../predicate.ts';

/** An engine that runs and reads tables of the catalog, many in one session. */
export interface Engine {
  readonly name: string;
  readonly version: string;
  /** Rows in canonical spelling. @throws Error with the engine's own message when it cannot read the table */
  rows(table: TableIdentifier, options?: ReadOptions): Promise<readonly Row[]>;
  /** `COUNT(*)`, from metadata where the engine does so. */
  count(table: TableIdentifier): Promise<number>;
  /** Data files that the engine plans to read, where it tells. */
  plannedFiles?(table: TableIdentifier, where?: Predicate): Promise<number>;
  stop(): Promise<void>;
}

export interface ReadOptions {
  /** Top-level columns; all by default. */
  readonly select?: readonly string[];
  readonly where?: Predicate;
}
