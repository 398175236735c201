import type { Schema } from '../../lib/spec/schema.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { projectRow, type Row } from '../../test/integration/readers/canonical.ts';
import type { Cell } from '../cell.ts';
import { differences } from '../compare.ts';
import type { Dataset } from '../dataset.ts';
import type { Engine } from '../engines/engine.ts';
import type { Context } from '../section.ts';

/** Columns that show one feature. */
export interface Feature {
  readonly feature: string;
  readonly columns: readonly string[];
}

/** A table that the registrar wrote, and what an engine must read from it. */
export interface CertifiedTable {
  readonly table: TableIdentifier;
  readonly schema: Schema;
  readonly rows: readonly Row[];
  readonly features: readonly Feature[];
}

/** The dataset's rows under the current schema of its table. Without `features`, all columns belong to one feature. */
export async function certified(
  dataset: Dataset,
  feature: string,
  options: { readonly features?: readonly Feature[]; readonly keeps?: (row: Row) => boolean } = {},
): Promise<CertifiedTable> {
  const { currentSchema: schema } = await dataset.state();
  const rows = dataset.shipped.flatMap((segment) =>
    segment.rows.map((row) => projectRow(segment.schema, schema, row)),
  );
  const columns = schema.fields.map(({ name }) => name);
  return {
    table: dataset.table,
    schema,
    rows: rows.filter(options.keeps ?? (() => true)),
    features: options.features ?? [{ feature, columns }],
  };
}

/** Every engine reads every value and `COUNT(*)` of every table. Engines run in parallel, each with one table at a time. */
export async function* certifyTables(
  { engines, notRun }: Context,
  tables: readonly CertifiedTable[],
): AsyncIterable<Cell> {
  const features = tables.flatMap((table) => table.features);
  for (const [engine, reason] of notRun) {
    for (const { feature } of features) yield { feature, engine, outcome: 'not-run', detail: reason };
  }
  const cells = await Promise.all(
    engines.map(async (engine) => {
      const found: Cell[] = [];
      for (const table of tables) found.push(...(await certifyTable(engine, table)));
      return found;
    }),
  );
  yield* cells.flat();
}

async function certifyTable(engine: Engine, certified: CertifiedTable): Promise<readonly Cell[]> {
  const { features, schema, rows, table } = certified;
  const binary = schema.fields.filter(({ type }) => type === 'binary').map(({ name }) => name);
  const read = (select?: readonly string[]) =>
    engine.rows(table, { binary, ...(select && { select }) }).catch((error: Error) => error);
  const whole = await read();
  const counted = await engine.count(table).catch((error: Error) => error);
  const cells: Cell[] = [];
  for (const [index, { feature, columns }] of features.entries()) {
    // A column that an engine cannot read must not hide the others.
    const some = [...new Set(['seq', ...columns])];
    const found = whole instanceof Error && features.length > 1 ? await read(some) : whole;
    const lines =
      found instanceof Error ? [`error: ${found.message}`] : [...differences(schema, rows, found, columns)];
    if (index === 0) lines.push(...countDifference(counted, rows.length));
    cells.push(cellOf(engine.name, feature, lines, `${rows.length} rows`));
  }
  return cells;
}

function countDifference(counted: number | Error, expected: number): readonly string[] {
  if (counted instanceof Error) return [`error: COUNT(*): ${counted.message}`];
  return counted === expected ? [] : [`COUNT(*) answers ${counted} for ${expected}`];
}

const MOST_LINES = 4;

/** Green without differences, otherwise red with the first difference as its detail. */
export function cellOf(
  engine: string,
  feature: string,
  differences: readonly string[],
  compared: string,
): Cell {
  if (differences.length === 0) return { feature, engine, outcome: 'green', detail: compared };
  const more = differences.length > MOST_LINES ? `; ${differences.length - MOST_LINES} more` : '';
  const detail = `${differences.slice(0, MOST_LINES).join('; ')}${more}`;
  return { feature, engine, outcome: 'red', detail, differences };
}
