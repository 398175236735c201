/**
 * Iceberg schemas in the JSON form of the table spec (Appendix C). The JSON form is the data model, so attributes unknown to
 * this project are preserved.
 */
import { onceFor } from '../memo.ts';

/** `"int"`, `"decimal(9,2)"`, `"fixed[16]"`, …, spelled without white space (`parsePrimitive` reads the parameters). */
export type PrimitiveType = string;

export interface StructType {
  readonly type: 'struct';
  readonly fields: readonly NestedField[];
}

export interface ListType {
  readonly type: 'list';
  readonly 'element-id': number;
  readonly element: Type;
  readonly 'element-required': boolean;
}

export interface MapType {
  readonly type: 'map';
  readonly 'key-id': number;
  readonly key: Type;
  readonly 'value-id': number;
  readonly value: Type;
  readonly 'value-required': boolean;
}

export type Type = PrimitiveType | StructType | ListType | MapType;

export interface NestedField {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: Type;
  readonly doc?: string;
  readonly 'initial-default'?: unknown;
  readonly 'write-default'?: unknown;
}

export interface Schema extends StructType {
  readonly 'schema-id'?: number;
  readonly 'identifier-field-ids'?: readonly number[];
}

/** A field in any role: struct field, list element, map key or map value. */
export interface IndexedField {
  readonly id: number;
  /** The name in its struct, or `element`, `key`, `value`. */
  readonly name: string;
  /** The names from the root, for messages and name mappings. Names may contain dots, so compare arrays, not joined text. */
  readonly path: readonly string[];
  readonly required: boolean;
  readonly type: Type;
  /** The ID of the struct field, list or map field around it; undefined at the root. */
  readonly parentId: number | undefined;
  readonly role: 'field' | 'element' | 'key' | 'value';
  /** The struct field as the schema has it (role `field` only): defaults, doc and attributes unknown to us. */
  readonly field: NestedField | undefined;
}

/** Every field of a schema by its ID, parents before children, in schema order. */
export const indexById = onceFor((schema: StructType): ReadonlyMap<number, IndexedField> => {
  const index = new Map<number, IndexedField>();
  const visit = (type: Type, parentId: number | undefined, path: readonly string[]): void => {
    if (typeof type === 'string') return;
    for (const child of childFields(type)) {
      const childPath = [...path, child.name];
      index.set(child.id, { ...child, path: childPath, parentId });
      visit(child.type, child.id, childPath);
    }
  };
  visit(schema, undefined, []);
  return index;
});

/** The direct children of a nested type, elements, keys and values included. */
export function childFields(
  type: StructType | ListType | MapType,
): readonly Pick<IndexedField, 'id' | 'name' | 'required' | 'type' | 'role' | 'field'>[] {
  switch (type.type) {
    case 'struct':
      return type.fields.map((field) => ({
        id: field.id,
        name: field.name,
        required: field.required,
        type: field.type,
        role: 'field',
        field,
      }));
    case 'list':
      return [
        {
          id: type['element-id'],
          name: 'element',
          required: type['element-required'],
          type: type.element,
          role: 'element',
          field: undefined,
        },
      ];
    case 'map':
      return [
        { id: type['key-id'], name: 'key', required: true, type: type.key, role: 'key', field: undefined },
        {
          id: type['value-id'],
          name: 'value',
          required: type['value-required'],
          type: type.value,
          role: 'value',
          field: undefined,
        },
      ];
  }
}

/** The highest field ID of a schema, nested ones included; 0 when it has none. */
export function highestFieldId(schema: StructType): number {
  let highest = 0;
  for (const id of indexById(schema).keys()) highest = Math.max(highest, id);
  return highest;
}
