import { crc32 } from 'node:zlib';
import { parsePrimitive } from '../../lib/spec/primitive-type.ts';
import type { Schema, Type } from '../../lib/spec/schema.ts';
import { canonicalText, decimalText, fieldOf, nullText } from './canonical-text.ts';
import { type Column, columnsOf } from './column.ts';
import { compareValues, type Row, type Value } from './dataset.ts';

/** The shipper's figures for the rows that it wrote, computed from their values. */
export interface SegmentLog {
  readonly rows: number;
  readonly columns: ReadonlyMap<number, ColumnLog>;
  /** The checksum of a column that is null in every row, which the segment contributes to columns that it lacks. */
  readonly absentChecksum: bigint;
}

export interface ColumnLog {
  readonly nulls: number;
  /** The sum of numbers and times, the number of true booleans, or the total length of text, bytes, lists and maps. */
  readonly sum: Sum;
  /** The sum of CRC32(`seq|text`) over the rows, so that swapped values change it too. */
  readonly checksum: bigint;
  /** Least and greatest value of a primitive column; undefined when all are null. */
  readonly least: Value | undefined;
  readonly greatest: Value | undefined;
}

/** Exact sums: integers, decimals and times as bigint. The synthetic floating-point numbers have exact sums. */
export type Sum = bigint | number;

/** The log of rows that were written under a schema. */
export function logRows(schema: Schema, rows: readonly Row[]): SegmentLog {
  const prefixes = rows.map((row) => crc32(`${row['seq']}|`));
  return {
    rows: rows.length,
    columns: new Map(columnsOf(schema).map((column) => [column.id, logColumn(column, rows, prefixes)])),
    absentChecksum: prefixes.reduce((total, prefix) => total + BigInt(crc32(nullText, prefix)), 0n),
  };
}

/** Combines the logs of several segments under their final schema. */
export function mergeLogs(schema: Schema, logs: readonly SegmentLog[]): SegmentLog {
  return {
    rows: logs.reduce((total, log) => total + log.rows, 0),
    columns: new Map(columnsOf(schema).map(({ id, type }) => [id, mergeColumn(id, type, logs)])),
    absentChecksum: logs.reduce((total, log) => total + log.absentChecksum, 0n),
  };
}

/** A column's sum as text, for decimals with all digits of their scale. */
export function sumText(type: Type, sum: Sum): string {
  if (typeof type !== 'string') return String(sum);
  const primitive = parsePrimitive(type);
  return 'scale' in primitive ? decimalText(BigInt(sum), primitive.scale) : String(sum);
}

function logColumn({ path, type }: Column, rows: readonly Row[], prefixes: readonly number[]): ColumnLog {
  let { nulls, least, greatest } = noRows;
  let sum = zeroSum(type);
  let checksum = 0;
  for (const [index, row] of rows.entries()) {
    const value = path.reduce<Value>(fieldOf, row);
    const text = canonicalText(type, value);
    checksum += crc32(text ?? nullText, prefixes[index]);
    if (text === null) {
      nulls += 1;
      continue;
    }
    sum = add(sum, summand(type, value));
    if (typeof type !== 'string') continue;
    least = lesser(least, value);
    greatest = greater(greatest, value);
  }
  return { nulls, sum, checksum: BigInt(checksum), least, greatest };
}

function mergeColumn(id: number, type: Type, logs: readonly SegmentLog[]): ColumnLog {
  return logs
    .map((log) => log.columns.get(id) ?? absentColumn(type, log))
    .reduce(
      (a, b) => ({
        nulls: a.nulls + b.nulls,
        sum: add(a.sum, b.sum),
        checksum: a.checksum + b.checksum,
        least: lesser(a.least, b.least),
        greatest: greater(a.greatest, b.greatest),
      }),
      { ...noRows, sum: zeroSum(type) },
    );
}

function absentColumn(type: Type, log: SegmentLog): ColumnLog {
  return { ...noRows, nulls: log.rows, sum: zeroSum(type), checksum: log.absentChecksum };
}

const noRows: Omit<ColumnLog, 'sum'> = { nulls: 0, checksum: 0n, least: undefined, greatest: undefined };

function zeroSum(type: Type): Sum {
  return isFloating(type) ? 0 : 0n;
}

function isFloating(type: Type): boolean {
  return type === 'float' || type === 'double';
}

function summand(type: Type, value: Value): Sum {
  if (isFloating(type)) return Number(value);
  if (typeof value === 'string') return BigInt(Buffer.byteLength(value));
  if (Array.isArray(value) || value instanceof Uint8Array) return BigInt(value.length);
  if (value instanceof Map) return BigInt(value.size);
  return value === null ? 0n : BigInt(value as bigint | number | boolean);
}

function add(a: Sum, b: Sum): Sum {
  return typeof a === 'bigint' && typeof b === 'bigint' ? a + b : Number(a) + Number(b);
}

function lesser(a: Value | undefined, b: Value | undefined): Value | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareValues(a, b) <= 0 ? a : b;
}

function greater(a: Value | undefined, b: Value | undefined): Value | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareValues(a, b) >= 0 ? a : b;
}
