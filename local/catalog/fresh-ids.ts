import type { NestedField, Schema, Type } from '../../lib/spec/schema.ts';

/**
 * Assigns new field IDs from 1, as every catalog does for `POST …/tables` (`TypeUtil.assignFreshIds`): first to the fields of a struct in
 * order, then to the types inside them. `newId` maps a field's old ID to its new one.
 */
export function withFreshIds(schema: Schema): {
  readonly schema: Schema;
  readonly newId: ReadonlyMap<number, number>;
} {
  const newId = new Map<number, number>();
  let last = 0;
  const assign = (id: number): number => {
    last += 1;
    newId.set(id, last);
    return last;
  };
  const renumberFields = (fields: readonly NestedField[]): readonly NestedField[] =>
    fields
      .map((field) => ({ ...field, id: assign(field.id) }))
      .map((field) => ({ ...field, type: renumber(field.type) }));
  const renumber = (type: Type): Type => {
    if (typeof type === 'string') return type;
    switch (type.type) {
      case 'struct':
        return { ...type, fields: renumberFields(type.fields) };
      case 'list': {
        const elementId = assign(type['element-id']);
        return { ...type, 'element-id': elementId, element: renumber(type.element) };
      }
      case 'map': {
        const ids = { 'key-id': assign(type['key-id']), 'value-id': assign(type['value-id']) };
        return { ...type, ...ids, key: renumber(type.key), value: renumber(type.value) };
      }
    }
  };
  const renumbered: Schema = { ...schema, fields: renumberFields(schema.fields), 'schema-id': 0 };
  const identifiers = schema['identifier-field-ids']?.map((id) => newId.get(id) ?? id);
  return { schema: identifiers ? { ...renumbered, 'identifier-field-ids': identifiers } : renumbered, newId };
}
