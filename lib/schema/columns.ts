/**
 * A schema as a flat map of columns by field ID, the form on which schema changes work. Parents come before their children and
 * siblings in their order, so a column that is set again keeps its place and a new one comes last.
 */
import {
  type IndexedField,
  indexById,
  type NestedField,
  type Schema,
  type StructType,
  type Type,
} from '../spec/schema.ts';

export interface Column {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  /** A primitive type, or `struct`, `list`, `map`. */
  readonly type: string;
  readonly parentId: number | undefined;
  readonly role: IndexedField['role'];
  /** The field and nested type as they were read, so that attributes unknown to this project are preserved. */
  readonly field: NestedField | undefined;
  readonly nested: Exclude<Type, string> | undefined;
}

export type Columns = ReadonlyMap<number, Column>;

export function columnsOf(schema: StructType): Map<number, Column> {
  const columns = new Map<number, Column>();
  for (const { id, name, required, type, parentId, role, field } of indexById(schema).values()) {
    const nested = typeof type === 'string' ? undefined : type;
    columns.set(id, { id, name, required, type: kindOf(type), parentId, role, field, nested });
  }
  return columns;
}

function kindOf(type: Type): string {
  return typeof type === 'string' ? type : type.type;
}

/** Builds the schema of these columns; `schema` provides the attributes beside the fields. */
export function schemaOf(columns: Columns, schema: Schema): Schema {
  const children = Map.groupBy(columns.values(), (column) => column.parentId);
  const fieldsOf = (parentId: number | undefined): NestedField[] =>
    (children.get(parentId) ?? []).map((column) => ({
      ...column.field,
      id: column.id,
      name: column.name,
      required: column.required,
      type: typeOf(column),
    }));
  const typeOf = (column: Column): Type => {
    if (column.nested === undefined) return column.type;
    switch (column.nested.type) {
      case 'struct':
        return { ...column.nested, fields: fieldsOf(column.id) };
      case 'list': {
        const element = childOf(column, 'element');
        return {
          ...column.nested,
          'element-id': element.id,
          element: typeOf(element),
          'element-required': element.required,
        };
      }
      case 'map': {
        const key = childOf(column, 'key');
        const value = childOf(column, 'value');
        return {
          ...column.nested,
          'key-id': key.id,
          key: typeOf(key),
          'value-id': value.id,
          value: typeOf(value),
          'value-required': value.required,
        };
      }
    }
  };
  const childOf = (parent: Column, role: Column['role']): Column => {
    const child = children.get(parent.id)?.find((candidate) => candidate.role === role);
    if (child === undefined)
      throw new Error(`Cannot build the ${parent.type} ${parent.id}: it has no ${role}`);
    return child;
  };
  return { ...schema, fields: fieldsOf(undefined) };
}

/** Indexes columns by parent and name. In a dataset, several columns may have had the same name. */
export function columnsNamed(
  columns: Columns,
): (parentId: number | undefined, name: string) => readonly Column[] {
  const keyOf = (parentId: number | undefined, name: string) => `${parentId} ${name}`;
  const index = Map.groupBy(columns.values(), ({ parentId, name }) => keyOf(parentId, name));
  return (parentId, name) => index.get(keyOf(parentId, name)) ?? [];
}

/** The names from the root to a column. */
export function pathOf(columns: Columns, column: Column): readonly string[] {
  const path = [];
  for (const at of withAncestors(columns, column)) path.unshift(at.name);
  return path;
}

/** The column's full name as engines and table properties spell it: `list.element.x`. */
export function fullName(columns: Columns, column: Column): string {
  return pathOf(columns, column).join('.');
}

/** The column itself, then the columns around it, from the inside out. */
export function* withAncestors(columns: Columns, column: Column): Generator<Column> {
  for (let at: Column | undefined = column; at !== undefined; ) {
    yield at;
    at = at.parentId === undefined ? undefined : columns.get(at.parentId);
  }
}

/** Whether a column is a map key or inside one: map keys never change (table spec, "Schema Evolution"). */
export function isInMapKey(columns: Columns, column: Column): boolean {
  return withAncestors(columns, column).some((at) => at.role === 'key');
}
