import type { PrimitiveType } from '../../lib/spec/schema.ts';
import type { Canonical, Row } from '../../test/integration/readers/canonical.ts';
import type { Cell } from '../cell.ts';
import type { Engine } from '../engines/engine.ts';
import { compare, fulfils } from '../evaluate.ts';
import type { Predicate } from '../predicate.ts';
import type { Context, Section } from '../section.ts';
import { cellOf } from './certified-table.ts';
import { certifyNaN, twinsWithNaN } from './not-a-number.ts';
import { askedOf, type Column, FILES, ranges, seqsOf, type Twins, twins, typed, worded } from './twins.ts';

const columns: readonly Column[] = [
  ...['boolean', 'int', 'long', 'float', 'double', 'decimal(9,2)', 'decimal(18,4)', 'decimal(38,10)'],
  ...['date', 'timestamp', 'timestamptz', 'string', 'uuid', 'fixed[4]', 'binary'],
].map((type) => typed(type));

/** From 1800 to 2200; the dates of some engines end earlier. */
const centuries: Column = { ...typed('date', 'date: centuries apart'), value: (rank) => (rank - 80) * 900 };

const wild: readonly Column[] = [
  {
    ...typed('string', 'string: alike in their first 16 letters'),
    value: (rank) => `sixteen letters!${String(rank).padStart(3, '0')}`,
  },
  {
    ...typed('binary', 'binary: 0xff in its first 16 bytes'),
    value: (rank) => new Uint8Array(20).fill(255).with(17, rank),
  },
  {
    ...typed('double', 'double: −0 and +0'),
    value: (rank) => (rank === 80 ? -0 : rank === 82 ? 0 : rank - 81),
  },
  {
    ...typed('string', 'string: at the end of the BMP'),
    value: (rank) => (rank < 80 ? `\uffee${String(rank).padStart(3, '0')}` : `\u{1f600}${rank + 100}`),
  },
];

/** Every engine evaluates every predicate on both tables, and must find the rows that were shipped. */
async function* certifyRows({ engines, notRun }: Context, tables: readonly Twins[]): AsyncIterable<Cell> {
  const asked = tables.flatMap(({ questions }) => [...Map.groupBy(questions, ({ column }) => column).keys()]);
  for (const [engine, detail] of notRun) {
    for (const { feature } of asked) yield { feature, engine, outcome: 'not-run', detail };
  }
  const cells = await Promise.all(
    engines.map(async (engine) => {
      const found: Cell[] = [];
      for (const table of tables) {
        for (const [{ feature }, some] of Map.groupBy(table.questions, ({ column }) => column)) {
          const lines: string[] = [];
          const asked = askedOf(engine, some);
          for (const { predicate } of asked) lines.push(...(await wrongRows(engine, table, predicate)));
          found.push(
            cellOf(engine.name, feature, lines, `${asked.length} predicates, with bounds and without`),
          );
        }
      }
      return found;
    }),
  );
  yield* cells.flat();
}

async function wrongRows(engine: Engine, { bounded, unbounded, files }: Twins, predicate: Predicate) {
  const expected = files
    .flat()
    .filter((row) => fulfils(row, predicate))
    .map(({ seq }) => Number(seq));
  const lines: string[] = [];
  for (const [kept, dataset] of [
    ['', bounded],
    [' without bounds', unbounded],
  ] as const) {
    const found = await seqsOf(engine, dataset, predicate).catch((error: Error) => error);
    if (found instanceof Error) {
      lines.push(`error: ${predicate.op}: ${found.message}`);
      continue;
    }
    if (found.join() !== expected.join()) {
      lines.push(`${worded(predicate)}${kept}: rows ${ranges(found)} for ${ranges(expected)}`);
    }
  }
  return lines;
}

/** Every engine that reports its plan reads exactly the files that the bounds leave. */
async function* certifyPlans({ engines }: Context, tables: readonly Twins[]): AsyncIterable<Cell> {
  for (const { name, plannedFiles } of engines) {
    if (plannedFiles === undefined) continue;
    for (const { bounded, unbounded, files, questions } of tables) {
      for (const [column, some] of Map.groupBy(questions, (question) => question.column)) {
        const lines: string[] = [];
        let [planned, least] = [0, 0];
        for (const { predicate } of some) {
          try {
            const count = await plannedFiles(bounded.table, predicate);
            const all = await plannedFiles(unbounded.table, predicate);
            const needed = files.filter((rows) => rows.some((row) => fulfils(row, predicate))).length;
            const possible = possibleFiles(files, predicate);
            planned += count;
            least += needed;
            if (count < needed)
              lines.push(`${worded(predicate)}: ${count} files are planned, ${needed} hold rows`);
            if (count > possible)
              lines.push(`${worded(predicate)}: ${count} files are planned, bounds leave ${possible}`);
            if (all !== FILES)
              lines.push(`${worded(predicate)}: ${all} of ${FILES} files are planned without bounds`);
          } catch (error) {
            lines.push(`error: ${predicate.op}: ${(error as Error).message}`);
          }
        }
        const all = FILES * some.length;
        yield cellOf(
          name,
          `files planned: ${column.feature}`,
          lines,
          `${planned} of ${all} files planned, ${least} hold rows`,
        );
      }
    }
  }
}

/** The number of files that bounds and null counts cannot rule out. */
function possibleFiles(files: readonly (readonly Row[])[], predicate: Predicate): number {
  const { column, type } = predicate;
  return files.filter((rows) => {
    const values = rows.map((row) => row[column] ?? null).filter((value) => value !== null);
    const sorted = values.toSorted((a, b) => compare(type, a, b));
    const hasNull = values.length < rows.length;
    return boundsAllow(predicate, cut(type, sorted[0], ''), cut(type, sorted.at(-1), '\u{10ffff}'), hasNull);
  }).length;
}

/** Bounds keep 16 characters or bytes; `end` is the rest of the value. */
function cut(type: PrimitiveType, value: Canonical | undefined, end: string): Canonical | undefined {
  const letters = typeof value === 'string' ? [...value] : [];
  const kept = type === 'string' ? 16 : type === 'binary' ? 32 : letters.length;
  return letters.length > kept ? `${letters.slice(0, kept).join('')}${end}` : value;
}

function boundsAllow(
  predicate: Predicate,
  low: Canonical | undefined,
  high: Canonical | undefined,
  hasNull: boolean,
): boolean {
  if (predicate.op === 'is null') return hasNull;
  if (low === undefined || high === undefined) return false;
  const order = (a: Canonical, b: Canonical) => compare(predicate.type, a, b);
  const within = (value: Canonical) => order(low, value) <= 0 && order(value, high) <= 0;
  switch (predicate.op) {
    case 'is not null':
      return true;
    case '=':
      return within(predicate.value);
    case '<':
      return order(low, predicate.value) < 0;
    case '>=':
      return order(high, predicate.value) >= 0;
    case 'in':
      return predicate.values.some(within);
    case 'starts with':
      return order(low, `${predicate.value}\u{10ffff}`) <= 0 && order(high, predicate.value) >= 0;
  }
}

export const predicates: Section = {
  name: 'predicates',
  title: 'Predicates: the same rows with pruning and without, and files that are skipped',
  short: true,
  async *run(context) {
    const tables = [
      await twins(context, 'predicates', columns),
      await twins(context, 'predicates_wild', wild),
      await twins(context, 'predicates_centuries', [centuries]),
      await twins(context, 'predicates_time', [typed('time')]),
      await twins(context, 'predicates_nano', [typed('timestamp_ns')], { format_version: 3 }),
    ];
    yield* certifyRows(context, tables);
    yield* certifyNaN(context, await twinsWithNaN(context));
    yield* certifyPlans(context, tables);
  },
};
