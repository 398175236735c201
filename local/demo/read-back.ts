import type { Schema } from '../../lib/spec/schema.ts';
import { type Column, columnsOf } from '../shipper/column.ts';
import { type SegmentLog, sumText } from '../shipper/segment-log.ts';
import { canonicalSql, orNullText, quoteName, quoteText, sumSql } from './canonical-sql.ts';
import type { Engine } from './engine.ts';

/** Figures that an engine computed from the rows of a table, with sums as text. */
export interface ReadBack {
  readonly rows: number;
  readonly columns: ReadonlyMap<number, ColumnReadBack>;
}

export interface ColumnReadBack {
  readonly nulls: string;
  readonly sum: string;
  readonly checksum: string;
}

/**
 * Reads every value of a table (or of anything else that ClickHouse accepts after FROM) and computes the figures of the shipper's log for
 * the columns of `schema`. None of them can be answered from metadata.
 */
export async function readBack(engine: Engine, from: string, schema: Schema): Promise<ReadBack> {
  const columns = columnsOf(schema);
  const [row = []] = await engine.query(
    `SELECT ${['toString(count())', ...columns.flatMap(figuresSql)].join(',\n')} FROM ${from}`,
  );
  const [rows, ...figures] = row;
  return {
    rows: Number(rows),
    columns: new Map(
      columns.map(({ id }, index) => {
        const [nulls = '', sum = '', checksum = ''] = figures.slice(index * 3);
        return [id, { nulls, sum, checksum }];
      }),
    ),
  };
}

/** One line for each figure that differs between the rows read and shipped; empty when all agree. */
export function differences(
  table: string,
  schema: Schema,
  shipped: SegmentLog,
  read: ReadBack,
): readonly string[] {
  const lines = differ(`${table}: rows read back`, read.rows, shipped.rows);
  for (const { id, path, type } of columnsOf(schema)) {
    const column = `${table}.${path.join('.')} (field ${id})`;
    const [expected, found] = [shipped.columns.get(id), read.columns.get(id)];
    lines.push(
      ...differ(`${column}: nulls`, found?.nulls, String(expected?.nulls)),
      ...differ(`${column}: sum`, found?.sum, expected && sumText(type, expected.sum)),
      ...differ(`${column}: checksum`, found?.checksum, String(expected?.checksum)),
    );
  }
  return lines;
}

/** One line if two figures differ, otherwise none. */
export function differ<T extends string | number | bigint | undefined>(
  what: string,
  found: T,
  expected: T,
): string[] {
  return found === expected ? [] : [`${what}: ${found}, expected ${expected}`];
}

function figuresSql({ path, type }: Column): readonly string[] {
  const [top = '', ...fields] = path;
  const value = fields.reduce(
    (parent, name) => `tupleElement(${parent}, ${quoteText(name)})`,
    quoteName(top),
  );
  const text = orNullText(canonicalSql(type, value));
  return [
    `toString(countIf(isNull(${value})))`,
    sumSql(type, value),
    `toString(sum(CRC32(concat(toString(seq), '|', ${text}))))`,
  ];
}
