import type { SchemaElement } from 'hyparquet-writer';
import { parsePrimitive } from '../../lib/spec/primitive-type.ts';
import type { NestedField, PrimitiveType, Schema, Type } from '../../lib/spec/schema.ts';

/**
 * The Parquet schema of an Iceberg schema, with a field ID on every field, list element, map key and map value. Lists have three
 * levels (spec, Appendix A, "Parquet"; parquet-format, LogicalTypes.md).
 */
export function parquetSchema(schema: Schema): SchemaElement[] {
  return [{ name: 'table', num_children: schema.fields.length }, ...schema.fields.flatMap(fieldElements)];
}

function fieldElements(field: Pick<NestedField, 'id' | 'name' | 'required' | 'type'>): SchemaElement[] {
  const { type } = field;
  const element = {
    name: field.name,
    field_id: field.id,
    repetition_type: field.required ? 'REQUIRED' : 'OPTIONAL',
  } satisfies SchemaElement;
  if (typeof type === 'string') return [{ ...element, ...primitiveElement(type) }];
  switch (type.type) {
    case 'struct':
      return [{ ...element, num_children: type.fields.length }, ...type.fields.flatMap(fieldElements)];
    case 'list':
      return [
        { ...element, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        ...child('element', type['element-id'], type.element, type['element-required']),
      ];
    case 'map':
      return [
        { ...element, num_children: 1, converted_type: 'MAP', logical_type: { type: 'MAP' } },
        { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
        ...child('key', type['key-id'], type.key, true),
        ...child('value', type['value-id'], type.value, type['value-required']),
      ];
  }
}

function child(name: string, id: number, type: Type, required: boolean): SchemaElement[] {
  return fieldElements({ id, name, required, type });
}

function primitiveElement(type: PrimitiveType): Omit<SchemaElement, 'name'> {
  const primitive = parsePrimitive(type);
  if ('precision' in primitive) return decimalElement(primitive.precision, primitive.scale);
  if ('length' in primitive) return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: primitive.length };
  const element = primitiveElements[primitive.name];
  if (element === undefined)
    throw new Error(`Cannot write type "${type}" to Parquet: the shipper does not know it`);
  return element;
}

const primitiveElements: Readonly<Record<string, Omit<SchemaElement, 'name'>>> = {
  boolean: { type: 'BOOLEAN' },
  int: { type: 'INT32' },
  long: { type: 'INT64' },
  float: { type: 'FLOAT' },
  double: { type: 'DOUBLE' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  time: {
    type: 'INT64',
    logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' },
  },
  timestamp: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  },
  timestamptz: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  timestamp_ns: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' },
  },
  timestamptz_ns: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' },
  },
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  uuid: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
  binary: { type: 'BYTE_ARRAY' },
};

function decimalElement(precision: number, scale: number): Omit<SchemaElement, 'name'> {
  const annotation = {
    converted_type: 'DECIMAL',
    precision,
    scale,
    logical_type: { type: 'DECIMAL', precision, scale },
  } as const;
  if (precision <= 9) return { type: 'INT32', ...annotation };
  if (precision <= 18) return { type: 'INT64', ...annotation };
  return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: decimalBytes(precision), ...annotation };
}

/** The smallest number of bytes that holds every decimal of a precision: 16 for 38 digits. */
function decimalBytes(precision: number): number {
  let bytes = 1;
  while (2n ** BigInt(bytes * 8 - 1) < 10n ** BigInt(precision)) bytes += 1;
  return bytes;
}
