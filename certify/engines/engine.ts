import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { Predicate } from '../predicate.ts';
import type { ReadRow } from '../read-value.ts';

export interface ReadOptions {
  /** Top-level columns; all by default. */
  readonly select?: readonly string[];
  readonly where?: Predicate;
  /** Columns of type binary: not every engine has such a type of its own. */
  readonly binary?: readonly string[];
}

/** An engine that runs and reads tables of the catalog, many in one session. */
export interface Engine {
  readonly name: EngineName;
  readonly version: string;
  /** Rows as the engine spells them. @throws Error with the engine's own message when it cannot read the table */
  rows(table: TableIdentifier, options?: ReadOptions): Promise<readonly ReadRow[]>;
  /** `COUNT(*)`, from metadata where the engine does so. */
  count(table: TableIdentifier): Promise<number>;
  /** Of its predicates, one in so many is asked: each takes it seconds. @default 1 */
  readonly askedOf?: number;
  /** How many data files the engine plans to read, where it tells. */
  readonly plannedFiles?: (table: TableIdentifier, where?: Predicate) => Promise<number>;
  /** Runs a statement in the engine's SQL, `{table}` being the table, where the engine writes. */
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
