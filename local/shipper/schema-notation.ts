import type { ListType, MapType, NestedField, Schema, StructType, Type } from '../../lib/spec/schema.ts';

/** A notation for Iceberg's JSON schemas with one line per column: `schema(required(1, 'seq', 'long'), optional(2, 'tags', list(3, 'string')))`. */
export function schema(...fields: readonly NestedField[]): Schema {
  return { type: 'struct', fields };
}

export function required(id: number, name: string, type: Type): NestedField {
  return { id, name, required: true, type };
}

export function optional(id: number, name: string, type: Type): NestedField {
  return { id, name, required: false, type };
}

export function struct(...fields: readonly NestedField[]): StructType {
  return { type: 'struct', fields };
}

/** A list of optional elements. */
export function list(elementId: number, element: Type): ListType {
  return { type: 'list', 'element-id': elementId, element, 'element-required': false };
}

/** A map of optional values. */
export function map(keyId: number, key: Type, valueId: number, value: Type): MapType {
  return { type: 'map', 'key-id': keyId, key, 'value-id': valueId, value, 'value-required': false };
}
