import { numberRanges } from '../../lib/counted.ts';
import type { PrimitiveType, Schema } from '../../lib/spec/schema.ts';
import type { Value } from '../../local/shipper/dataset.ts';
import { type Dice, seededDice } from '../../local/shipper/dice.ts';
import { optional, required, schema } from '../../local/shipper/schema-notation.ts';
import { type Canonical, canonicalRow, type Row } from '../../test/integration/readers/canonical.ts';
import { type Dataset, openDataset } from '../dataset.ts';
import type { Engine } from '../engines/engine.ts';
import type { Predicate } from '../predicate.ts';
import type { Context } from '../section.ts';
import { RANKS, valueAt } from './ranks.ts';

export const FILES = 8;
export const ROWS_A_FILE = 10;
/** A file in which all values of every column but `seq` are null. */
const NULL_FILE = 3;

export interface Column {
  readonly feature: string;
  readonly name: string;
  readonly type: PrimitiveType;
  readonly value: (rank: number) => Value;
  /** The literal in predicates for a rank. @default value */
  readonly literal?: (rank: number) => Value;
}

export const typed = (type: PrimitiveType, feature: string = type): Column => ({
  feature,
  name: `c_${feature.replaceAll(/\W+/g, '_')}`,
  type,
  value: (rank) => valueAt(type, rank),
});

/** A predicate and its column. */
export interface Question {
  readonly column: Column;
  readonly predicate: Predicate;
}

/** The same dataset twice: once with metrics, and once without, so that no engine can prune. */
export interface Twins {
  readonly bounded: Dataset;
  readonly unbounded: Dataset;
  readonly files: readonly (readonly Row[])[];
  readonly questions: readonly Question[];
}

/** Makes a Parquet file of canonical rows. */
export type FileWriter = (schema: Schema, rows: readonly Row[]) => Promise<Uint8Array>;

/** @param write Who writes the files, if not the shipper. */
export async function twins(
  context: Context,
  name: string,
  shown: readonly Column[],
  settings: Readonly<Record<string, unknown>> = {},
  write?: FileWriter,
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
  const files = segments.map((rows) => rows.map((row) => canonicalRow(shape, row)));
  for (const dataset of [bounded, unbounded]) {
    if (write === undefined) await dataset.shipMany(shape, segments);
    else for (const rows of files) await dataset.shipBytes(await write(shape, rows), shape, rows);
  }
  const dice = seededDice(`${context.seed}/${name}`);
  return {
    bounded,
    unbounded,
    files,
    questions: shown.flatMap((column) => questionsOf(column, dice)),
  };
}

/** Random predicates on a column, with values in the table, between those, at both ends and beyond. */
function questionsOf(column: Column, dice: Dice): readonly Question[] {
  const at = (rank: number): Canonical => {
    const shape = schema(required(1, 'v', column.type));
    return canonicalRow(shape, { v: (column.literal ?? column.value)(rank) })['v'] ?? null;
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

/** The part of the predicates that a slow engine evaluates. */
export function askedOf<T>(engine: Engine, questions: readonly T[]): readonly T[] {
  return questions.filter((_, index) => index % (engine.askedOf ?? 1) === 0);
}

/** The rows that an engine finds, by their `seq`, ascending. */
export async function seqsOf(
  engine: Engine,
  { table }: Dataset,
  where: Predicate,
): Promise<readonly number[]> {
  const rows = await engine.rows(table, { select: ['seq'], where });
  return rows.map(({ seq }) => Number(seq)).toSorted((a, b) => a - b);
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
  return numberRanges(numbers, '-') || 'none';
}
