import { parsePrimitive } from '../../lib/spec/primitive-type.ts';
import type { PrimitiveType } from '../../lib/spec/schema.ts';
import type { Canonical } from '../../test/integration/readers/canonical.ts';
import type { Predicate } from '../predicate.ts';

/** The notation of names and literals in an engine's SQL. */
export interface Dialect {
  readonly name: (name: string) => string;
  /** `text` in the canonical spelling; see connection.py. */
  readonly literal: (type: PrimitiveType, text: string) => string;
}

/** The predicate in an engine's SQL. */
export function predicateSql(dialect: Dialect, predicate: Predicate): string {
  const column = dialect.name(predicate.column);
  const literal = (value: Canonical) =>
    typeof value === 'boolean' ? String(value) : dialect.literal(predicate.type, String(value));
  switch (predicate.op) {
    case '=':
    case '<':
    case '>=':
      return `${column} ${predicate.op} ${literal(predicate.value)}`;
    case 'in':
      return `${column} IN (${predicate.values.map(literal).join(', ')})`;
    case 'is null':
    case 'is not null':
      return `${column} ${predicate.op.toUpperCase()}`;
    case 'starts with':
      return `${column} LIKE ${dialect.literal('string', `${predicate.value}%`)}`;
  }
}

const doubleQuoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const backQuoted = (name: string) => `\`${name.replaceAll('`', '``')}\``;
const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
const escapedText = (value: string) => `'${value.replaceAll(/[\\']/g, '\\$&')}'`;
/** `2026-01-01T00:00:00.000000+00:00` as `2026-01-01 00:00:00.000000`. */
const moment = (value: string) => value.replace('T', ' ').replace('+00:00', '');

export const duckDb: Dialect = {
  name: doubleQuoted,
  literal(type, value) {
    switch (parsePrimitive(type).name) {
      case 'int':
      case 'long':
        return value;
      case 'float':
        return `CAST('${value}' AS FLOAT)`;
      case 'double':
        return `CAST('${value}' AS DOUBLE)`;
      case 'decimal':
        return `CAST('${value}' AS ${type})`;
      case 'date':
        return `DATE '${value}'`;
      case 'time':
        return `TIME '${value}'`;
      case 'timestamp':
        return `TIMESTAMP '${moment(value)}'`;
      case 'timestamptz':
        return `TIMESTAMPTZ '${moment(value)}+00'`;
      case 'timestamp_ns':
        return `TIMESTAMP_NS '${moment(value)}'`;
      case 'uuid':
        return `CAST('${value}' AS UUID)`;
      case 'binary':
      case 'fixed':
        return `from_hex('${value}')`;
      default:
        return text(value);
    }
  },
};

export const spark: Dialect = {
  name: backQuoted,
  literal(type, value) {
    switch (parsePrimitive(type).name) {
      case 'int':
        return value;
      case 'long':
        return `${value}L`;
      case 'float':
      case 'double':
      case 'decimal':
        return `CAST('${value}' AS ${type})`;
      case 'date':
        return `DATE '${value}'`;
      case 'time':
        return `TIME '${value}'`;
      case 'timestamp':
        return `TIMESTAMP_NTZ '${moment(value)}'`;
      case 'timestamptz':
        return `TIMESTAMP '${moment(value)}+00:00'`;
      case 'uuid':
        return text(value.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
      case 'binary':
      case 'fixed':
        return `X'${value}'`;
      default:
        return escapedText(value);
    }
  },
};

export const trino: Dialect = {
  name: doubleQuoted,
  literal(type, value) {
    switch (parsePrimitive(type).name) {
      case 'int':
      case 'long':
        return value;
      case 'float':
        return `CAST('${value}' AS REAL)`;
      case 'double':
      case 'decimal':
        return `CAST('${value}' AS ${type})`;
      case 'date':
        return `DATE '${value}'`;
      case 'time':
        return `TIME '${value}'`;
      case 'timestamp':
      case 'timestamp_ns':
        return `TIMESTAMP '${moment(value)}'`;
      case 'timestamptz':
      case 'timestamptz_ns':
        return `TIMESTAMP '${moment(value)} UTC'`;
      case 'uuid':
        return `CAST(X'${value}' AS UUID)`;
      case 'binary':
      case 'fixed':
        return `X'${value}'`;
      default:
        return text(value);
    }
  },
};

export const clickHouse: Dialect = {
  name: backQuoted,
  literal(type, value) {
    const primitive = parsePrimitive(type);
    if ('scale' in primitive) return `toDecimal128('${value}', ${primitive.scale})`;
    switch (primitive.name) {
      case 'int':
      case 'long':
        return value;
      case 'float':
        return `toFloat32('${value}')`;
      case 'double':
        return `toFloat64('${value}')`;
      case 'date':
        return `toDate32('${value}')`;
      case 'time':
        return `toTime64('${value}', 6)`;
      case 'timestamp':
      case 'timestamptz':
        return `toDateTime64('${moment(value)}', 6, 'UTC')`;
      case 'timestamp_ns':
      case 'timestamptz_ns':
        return `toDateTime64('${moment(value)}', 9, 'UTC')`;
      case 'uuid':
        return `toUUID('${value.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}')`;
      case 'binary':
      case 'fixed':
        return `unhex('${value}')`;
      default:
        return escapedText(value);
    }
  },
};

export const dataFusion: Dialect = {
  name: doubleQuoted,
  literal(type, value) {
    const primitive = parsePrimitive(type);
    switch (primitive.name) {
      case 'int':
      case 'long':
        return value;
      case 'float':
        return `CAST('${value}' AS REAL)`;
      case 'double':
      case 'decimal':
        return `CAST('${value}' AS ${type})`;
      case 'date':
        return `DATE '${value}'`;
      case 'time':
        return `arrow_cast('${value}', 'Time64(Microsecond)')`;
      case 'timestamp':
        return `arrow_cast('${moment(value)}', 'Timestamp(Microsecond, None)')`;
      case 'timestamptz':
        return `arrow_cast('${moment(value)}', 'Timestamp(Microsecond, Some("+00:00"))')`;
      case 'timestamp_ns':
        return `arrow_cast('${moment(value)}', 'Timestamp(Nanosecond, None)')`;
      case 'timestamptz_ns':
        return `arrow_cast('${moment(value)}', 'Timestamp(Nanosecond, Some("+00:00"))')`;
      case 'uuid':
        return `arrow_cast(X'${value}', 'FixedSizeBinary(16)')`;
      case 'fixed':
        return `arrow_cast(X'${value}', 'FixedSizeBinary(${'length' in primitive ? primitive.length : 0})')`;
      case 'binary':
        return `X'${value}'`;
      default:
        return text(value);
    }
  },
};

export const flink: Dialect = {
  name: backQuoted,
  literal(type, value) {
    switch (parsePrimitive(type).name) {
      case 'int':
      case 'long':
        return value;
      case 'float':
      case 'double':
      case 'decimal':
        return `CAST('${value}' AS ${type})`;
      case 'date':
        return `DATE '${value}'`;
      case 'time':
        return `TIME '${value}'`;
      case 'timestamp':
      case 'timestamp_ns':
        return `TIMESTAMP '${moment(value)}'`;
      case 'timestamptz':
        return `CAST(TIMESTAMP '${moment(value)}' AS TIMESTAMP_LTZ(6))`;
      case 'timestamptz_ns':
        return `CAST(TIMESTAMP '${moment(value)}' AS TIMESTAMP_LTZ(9))`;
      case 'uuid':
      case 'binary':
      case 'fixed':
        return `X'${value}'`;
      default:
        return text(value);
    }
  },
};
