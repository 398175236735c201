import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { Predicate } from '../predicate.ts';
import type { ReadRow } from '../read-value.ts';

export interface ReadOptions {
  /** Top-level columns; all by default. */
  readonly select?: readonly string[];
  readonly where?: Predicate;
  /** The columns of type binary, for engines whose results do not tell them from text. */
  readonly binary?: readonly string[];
}

/** A running engine that reads tables of the catalog, many in one session. */
export interface Engine {
  readonly name: EngineName;
  readonly version: string;
  /** Rows as the engine spells them. @throws Error with the engine's own message when it cannot read the table */
  rows(table: TableIdentifier, options?: ReadOptions): Promise<readonly ReadRow[]>;
  /** `COUNT(*)`, which some engines answer from metadata. */
  count(table: TableIdentifier): Promise<number>;
  /** A slow engine evaluates only every n-th predicate. @default 1 */
  readonly askedOf?: number;
  /** The number of data files that the engine plans to read, if it reports them. */
  readonly plannedFiles?: (table: TableIdentifier, where?: Predicate) => Promise<number>;
  /** Runs a statement in the engine's SQL, in which `{table}` is the table. Absent if the engine only reads. */
  readonly execute?: (table: TableIdentifier, statement: string) => Promise<void>;
  stop(): Promise<void>;
}

/** In the order of the page's columns; the short form has the first four. */
export const engineNames = [
  'PyIceberg',
  'DuckDB',
  'Polars',
  'ClickHouse',
  'Spark',
  'Trino',
  'iceberg-rust',
  'Daft',
  'Flink',
] as const;

export type EngineName = (typeof engineNames)[number];

export const shortEngines: readonly EngineName[] = engineNames.slice(0, 4);
