import { join } from 'node:path';
import type { PrimitiveType } from '../../lib/spec/schema.ts';
import type { Row } from '../../test/integration/readers/canonical.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import { startProgram } from '../../test/soak/python.ts';
import type { Cell } from '../cell.ts';
import type { Engine } from '../engines/engine.ts';
import { fulfils } from '../evaluate.ts';
import type { Predicate } from '../predicate.ts';
import type { Context } from '../section.ts';
import { cellOf } from './certified-table.ts';
import {
  askedOf,
  type Column,
  type FileWriter,
  ROWS_A_FILE,
  ranges,
  seqsOf,
  type Twins,
  twins,
  typed,
  worded,
} from './twins.ts';

/** In one file all values are NaN; in the others, one row in ten. */
const FILE_OF_NAN = 5;

const withNaN = (type: PrimitiveType): Column => {
  const column = typed(type, `${type}: NaN among the values`);
  const isNaNAt = (index: number) =>
    index % ROWS_A_FILE === 7 || Math.floor(index / ROWS_A_FILE) === FILE_OF_NAN;
  return {
    ...column,
    literal: column.value,
    value: (rank) => (isNaNAt(rank / 2) ? Number.NaN : column.value(rank)),
  };
};

/** Files that PyArrow wrote. It leaves NaN out of statistics, so that columns with NaN have bounds. */
export async function twinsWithNaN(context: Context): Promise<Twins> {
  const program = startProgram(
    join(installedFolder, 'readers/bin/python'),
    [join(import.meta.dirname, '../engines/programs/arrow_file.py')],
    { PYTHONPATH: join(import.meta.dirname, '../../test/integration/readers') },
    context.log,
  );
  const write: FileWriter = async (schema, rows) =>
    Buffer.from(String(await program.ask({ columns: schema.fields, rows })), 'base64');
  const columns = ['float', 'double'].map(withNaN);
  return twins(context, 'predicates_nan', columns, {}, write).finally(() => program.stop());
}

/**
 * Engines differ in how NaN compares: some order it above all numbers, others let every comparison fail. So an engine must find all rows
 * with NaN or none of them, with pruning as without, and every other row in either case.
 */
export async function* certifyNaN({ engines, notRun }: Context, tables: Twins): AsyncIterable<Cell> {
  const byColumn = Map.groupBy(tables.questions, ({ column }) => column);
  for (const [engine, detail] of notRun) {
    for (const { feature } of byColumn.keys()) yield { feature, engine, outcome: 'not-run', detail };
  }
  const cells = await Promise.all(
    engines.map(async (engine) => {
      const found: Cell[] = [];
      for (const [{ feature }, questions] of byColumn) {
        const asked = askedOf(engine, questions);
        const answers: Answer[] = [];
        for (const { predicate } of asked) answers.push(await answer(engine, tables, predicate));
        const lines = answers.flatMap((one) => one.lines);
        const isCompared = answers.some((one) => one.hasNaN);
        const order = isCompared ? 'NaN is above every number' : 'NaN fulfils no comparison';
        found.push(cellOf(engine.name, feature, lines, `${asked.length} predicates; ${order}`));
      }
      return found;
    }),
  );
  yield* cells.flat();
}

interface Answer {
  readonly lines: readonly string[];
  /** Whether rows with NaN fulfil a comparison, according to the table without bounds. */
  readonly hasNaN: boolean;
}

async function answer(
  engine: Engine,
  { bounded, unbounded, files }: Twins,
  predicate: Predicate,
): Promise<Answer> {
  const rows = files.flat();
  const hasNaN = (row: Row) => row[predicate.column] === 'NaN';
  // NaN is a value for IS NULL and IS NOT NULL. For other predicates the answer depends on the engine.
  const isCertain = predicate.op === 'is null' || predicate.op === 'is not null';
  const open = new Set(isCertain ? [] : rows.filter(hasNaN).map(({ seq }) => Number(seq)));
  const expected = rows
    .filter((row) => (isCertain || !hasNaN(row)) && fulfils(row, predicate))
    .map(({ seq }) => Number(seq));
  try {
    const [pruned, all] = [
      await seqsOf(engine, bounded, predicate),
      await seqsOf(engine, unbounded, predicate),
    ];
    const lines = Object.entries({ '': pruned, ' without bounds': all }).flatMap(([kept, seqs]) => {
      const numbers = seqs.filter((seq) => !open.has(seq));
      return numbers.join() === expected.join()
        ? []
        : [`${worded(predicate)}${kept}: rows ${ranges(numbers)} for ${ranges(expected)}`];
    });
    const [fewer, more] = [pruned, all].map((seqs) => seqs.filter((seq) => open.has(seq)));
    if (fewer?.join() !== more?.join()) {
      lines.push(
        `${worded(predicate)}: rows of NaN ${ranges(fewer ?? [])} for ${ranges(more ?? [])} without bounds`,
      );
    }
    const found = more?.length ?? 0;
    if (found > 0 && found < open.size)
      lines.push(`${worded(predicate)}: rows of NaN ${ranges(more ?? [])} for ${ranges([...open])}`);
    return { lines, hasNaN: found > 0 };
  } catch (error) {
    return { lines: [`error: ${predicate.op}: ${(error as Error).message}`], hasNaN: false };
  }
}
