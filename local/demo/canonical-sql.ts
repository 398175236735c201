import { parsePrimitive } from '../../lib/spec/primitive-type.ts';
import type { PrimitiveType, Type } from '../../lib/spec/schema.ts';
import { nullText } from '../shipper/canonical-text.ts';

/** ClickHouse SQL for the text that `canonicalText` gives a value of this type; null for a null primitive. */
export function canonicalSql(type: Type, value: string): string {
  if (typeof type === 'string') return primitiveSql(type, value);
  switch (type.type) {
    case 'struct': {
      const members = type.fields.map(({ id, name, type: child }) => {
        const text = canonicalSql(child, `tupleElement(${value}, ${quoteText(name)})`);
        return `ifNull(concat('${id}=', ${text}, ';'), '')`;
      });
      return `concat('{', ${members.join(', ')}, '}')`;
    }
    case 'list': {
      const element = `e${type['element-id']}`;
      const texts = `arrayMap(${element} -> ${orNullText(canonicalSql(type.element, element))}, ${value})`;
      return `concat('[', arrayStringConcat(${texts}, ','), ']')`;
    }
    case 'map': {
      const [key, entry] = [`k${type['key-id']}`, `v${type['value-id']}`];
      const text = `concat(${canonicalSql(type.key, key)}, '=', ${orNullText(canonicalSql(type.value, entry))})`;
      const texts = `arrayMap((${key}, ${entry}) -> ${text}, mapKeys(${value}), mapValues(${value}))`;
      return `concat('(', arrayStringConcat(arraySort(${texts}), ','), ')')`;
    }
  }
}

/** The sum that the shipper's log has for a column, as text. */
export function sumSql(type: Type, value: string): string {
  if (typeof type !== 'string') return `toString(sum(toInt128(length(${value}))))`;
  const primitive = parsePrimitive(type);
  if (!('scale' in primitive)) return `ifNull(toString(sum(${summandSql(type, value)})), '0')`;
  const text = (decimal: string): string => `toDecimalString(${decimal}, ${primitive.scale})`;
  const wide = (number: string): string => `toDecimal256(${number}, ${primitive.scale})`;
  return `ifNull(${text(`sum(${wide(value)})`)}, ${text(wide('0'))})`;
}

/** Replaces null by the text that represents it in checksums. */
export function orNullText(text: string): string {
  return `ifNull(${text}, '${nullText}')`;
}

/** A name in ClickHouse SQL. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;
}

/** A text literal in ClickHouse SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}

function primitiveSql(type: PrimitiveType, value: string): string {
  const primitive = parsePrimitive(type);
  if ('scale' in primitive) return `toDecimalString(${value}, ${primitive.scale})`;
  switch (primitive.name) {
    case 'float':
    case 'double':
      return `toString(reinterpretAsUInt64(toFloat64(${value})))`;
    case 'timestamp':
    case 'timestamptz':
      return `toString(toUnixTimestamp64Micro(${value}))`;
    case 'date':
      return `toString(toInt32(${value}))`;
    case 'binary':
    case 'fixed':
      return `lower(hex(${value}))`;
    case 'uuid':
      return `lower(hex(UUIDStringToNum(toString(${value}))))`;
    default:
      return `toString(${value})`;
  }
}

function summandSql(type: PrimitiveType, value: string): string {
  switch (parsePrimitive(type).name) {
    case 'float':
    case 'double':
      return `toFloat64(${value})`;
    case 'timestamp':
    case 'timestamptz':
      return `toInt128(toUnixTimestamp64Micro(${value}))`;
    case 'string':
    case 'binary':
    case 'fixed':
      return `toInt128(length(${value}))`;
    case 'uuid':
      return `toInt128(if(isNull(${value}), 0, 16))`;
    default:
      return `toInt128(${value})`;
  }
}
