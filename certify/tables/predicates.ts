import type { PrimitiveType } from '../../lib/spec/schema.ts';
import type { Value } from '../../local/shipper/dataset.ts';
import { type Dice, seededDice } from '../../local/shipper/dice.ts';
import { optional, required, schema } from '../../local/shipper/schema-notation.ts';
import { type Canonical, canonicalRow, type Row } from '../../test/integration/readers/canonical.ts';
import type { Cell } from '../cell.ts';
import { type Dataset, openDataset } from '../dataset.ts';
import type { Engine } from '../engines/engine.ts';
import { compare, fulfils } from '../evaluate.ts';
import type { Predicate } from '../predicate.ts';
import type { Context, Section } from '../section.ts';
import { cellOf } from './certified-table.ts';
import { RANKS, valueAt } from './ranks.ts';

const FILES = 8;
const ROWS_A_FILE = 10;
/** A file in which every column but `seq` is null throughout. */
const NULL_FILE = 3;

interface Column {
  readonly feature: string;
  readonly name: string;
  readonly type: PrimitiveType;
  readonly value: (rank: number) => Value;
}

const typed = (type: PrimitiveType, feature: string = type): Column => ({
  feature,
  name: `c_${feature.replaceAll(/\W+/g, '_')}`,
  type,
  value: (rank) => valueAt(type, rank),
});

const columns: readonly Column[] = [
  ...['boolean', 'int', 'long', 'float', 'double', 'decimal(9,2)', 'decimal(18,4)', 'decimal(38,10)'],
  ...['date', 'timestamp', 'timestamptz', 'string', 'uuid', 'fixed[4]', 'binary'],
].map((type) => typed(type));

/** 1800 to 2200, which is more than every engine's dates hold. */
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

interface Question {
  readonly column: Column;
  readonly predicate: Predicate;
}

/** One dataset as it is, and once more with no metrics kept, so that nothing can be pruned. */
interface Twins {
  readonly bounded: Dataset;
  readonly unbounded: Dataset;
  readonly files: readonly (readonly Row[])[];
  readonly questions: readonly Question[];
}

async function twins(
  context: Context,
  name: string,
  shown: readonly Column[],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Twins> {
  const shape = schema(
    required(1, 'seq', 'long'),
    ...shown.map(({ name: column, type }, index) => optional(index + 2, column, type)),
  );
  const segments = Array.from({ length: FILES }, (_, file) =>
    Array.from({ length: ROWS_A_FILE }, (_, row) => {
      const index = file * ROWS_A_FILE + row;
      const isNull = file === NULL_FILE || row === 4;
      return {
        seq: BigInt(index),
        ...Object.fromEntries(
          shown.map(({ name: column, value }) => [column, isNull ? null : value(2 * index)]),
        ),
      };
    }),
  );
  const bounded = await openDataset(context, name, settings);
  const table_properties = { 'write.metadata.metrics.default': 'none' };
  const unbounded = await openDataset(context, `${name}_unbounded`, { ...settings, table_properties });
  await bounded.shipMany(shape, segments);
  await unbounded.shipMany(shape, segments);
  const dice = seededDice(`${context.seed}/${name}`);
  return {
    bounded,
    unbounded,
    files: segments.map((rows) => rows.map((row) => canonicalRow(shape, row))),
    questions: shown.flatMap((column) => questionsOf(column, dice)),
  };
}

/** What is asked of a column: values that are there and values between them, at either end and beyond, at random. */
function questionsOf(column: Column, dice: Dice): readonly Question[] {
  const at = (rank: number): Canonical => {
    const shape = schema(required(1, 'v', column.type));
    return canonicalRow(shape, { v: column.value(rank) })['v'] ?? null;
  };
  const there = () => 2 * dice.integer(0, FILES * ROWS_A_FILE - 1);
  const between = () => there() + 1;
  const { name, type } = column;
  const ask = (...rest: readonly DistributiveOmit<Predicate, 'column' | 'type'>[]) =>
    rest.map((predicate) => ({ column, predicate: { ...predicate, column: name, type } as Predicate }));
  if (type === 'boolean') {
    return ask({ op: '=', value: true }, { op: '=', value: false }, { op: 'is null' }, { op: 'is not null' });
  }
  return ask(
    { op: '=', value: at(there()) },
    { op: '=', value: at(between()) },
    { op: '<', value: at(there()) },
    { op: '<', value: at(0) },
    { op: '>=', value: at(between()) },
    { op: '>=', value: at(RANKS - 2) },
    { op: 'in', values: [at(there()), at(there()), at(between())] },
    { op: 'is null' },
    { op: 'is not null' },
    ...(type === 'string' ? prefixes(String(at(there()))) : []),
  );
}

function prefixes(text: string): readonly { readonly op: 'starts with'; readonly value: string }[] {
  const letters = [...text];
  return [1, 7, 9, letters.length]
    .filter((length) => length <= letters.length)
    .map((length) => ({ op: 'starts with', value: letters.slice(0, length).join('') }));
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Every engine answers every question on both tables: the same rows as were shipped. */
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
          const asked = some.filter((_, index) => index % (engine.askedOf ?? 1) === 0);
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
  for (const [kept, { table }] of [
    ['', bounded],
    [' without bounds', unbounded],
  ] as const) {
    const read = await engine
      .rows(table, { select: ['seq'], where: predicate })
      .catch((error: Error) => error);
    if (read instanceof Error) {
      lines.push(`error: ${predicate.op}: ${read.message}`);
      continue;
    }
    const found = read.map(({ seq }) => Number(seq)).toSorted((a, b) => a - b);
    if (found.join() !== expected.join()) {
      lines.push(`${worded(predicate)}${kept}: rows ${ranges(found)} for ${ranges(expected)}`);
    }
  }
  return lines;
}

/** Every engine that tells plans as few files as the bounds allow, and none too few. */
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

/** How many files bounds and null counts leave. */
export function possibleFiles(files: readonly (readonly Row[])[], predicate: Predicate): number {
  const { column, type } = predicate;
  return files.filter((rows) => {
    const values = rows.map((row) => row[column] ?? null).filter((value) => value !== null);
    const sorted = values.toSorted((a, b) => compare(type, a, b));
    const hasNull = values.length < rows.length;
    return boundsAllow(predicate, cut(type, sorted[0], ''), cut(type, sorted.at(-1), '\u{10ffff}'), hasNull);
  }).length;
}

/** Bounds are kept of 16 letters or bytes; `end` stands for whatever followed. */
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

export function worded(predicate: Predicate): string {
  const value =
    'value' in predicate
      ? ` ${predicate.value}`
      : 'values' in predicate
        ? ` (${predicate.values.join(', ')})`
        : '';
  return `${predicate.op}${value}`;
}

/** `3-5, 9`, or `none`. */
export function ranges(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(', ') || 'none';
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
    yield* certifyPlans(context, tables);
  },
};
