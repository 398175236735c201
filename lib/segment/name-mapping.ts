/** Field IDs of a file that has none, by name (spec, "Column Projection" and "Name Mapping Serialization"). */
import { childFields, indexById, type NestedField, type StructType, type Type } from '../spec/schema.ts';
import type { Segment } from './segment.ts';

/** `schema.name-mapping.default`: names are literal, `a.b` is one name; lists have `element`, maps `key` and `value`. */
export type NameMapping = readonly MappedField[];

export interface MappedField {
  readonly 'field-id'?: number;
  readonly names: readonly string[];
  readonly fields?: NameMapping;
}

/** The field IDs that a mapping has for a schema, by the IDs of that schema; what it does not map is left out. */
export function resolveByName(schema: StructType, mapping: NameMapping): ReadonlyMap<number, number> {
  const ids = new Map<number, number>();
  const visit = (type: Type, mappings: NameMapping): void => {
    if (typeof type === 'string') return;
    const byName = new Map(mappings.flatMap((mapped) => mapped.names.map((name) => [name, mapped] as const)));
    for (const child of childFields(type)) {
      const mapped = byName.get(child.name);
      if (mapped?.['field-id'] !== undefined) ids.set(child.id, mapped['field-id']);
      visit(child.type, mapped?.fields ?? []);
    }
  };
  visit(schema, mapping);
  return ids;
}

/**
 * The segment under other field IDs. A field without one is left out, as readers leave out what a name mapping does not name;
 * with it what it holds, and a list or map of which a part has none.
 *
 * @param ids The new IDs by the segment's own.
 */
export function withFieldIds(segment: Segment, ids: ReadonlyMap<number, number>): Segment {
  const fields = segment.schema.fields.flatMap((field) => relabelField(field, ids));
  const kept = indexById({ type: 'struct', fields });
  const relabel = (id: number): number => ids.get(id) ?? -1;
  const columns = segment.columns.map((column) => ({
    ...column,
    fieldId: relabel(column.fieldId),
    lineage: column.lineage.map(relabel),
  }));
  return {
    ...segment,
    schema: { ...segment.schema, fields },
    columns: columns.filter(({ fieldId }) => kept.has(fieldId)),
    provenNonNull: new Set([...segment.provenNonNull].map(relabel).filter((id) => kept.has(id))),
  };
}

function relabelField(field: NestedField, ids: ReadonlyMap<number, number>): readonly NestedField[] {
  const id = ids.get(field.id);
  const type = relabelType(field.type, ids);
  return id === undefined || type === undefined ? [] : [{ ...field, id, type }];
}

function relabelType(type: Type, ids: ReadonlyMap<number, number>): Type | undefined {
  if (typeof type === 'string') return type;
  switch (type.type) {
    case 'struct': {
      const fields = type.fields.flatMap((field) => relabelField(field, ids));
      return fields.length === 0 ? undefined : { ...type, fields };
    }
    case 'list': {
      const id = ids.get(type['element-id']);
      const element = relabelType(type.element, ids);
      return id === undefined || element === undefined ? undefined : { ...type, 'element-id': id, element };
    }
    case 'map': {
      const [keyId, valueId] = [ids.get(type['key-id']), ids.get(type['value-id'])];
      const [key, value] = [relabelType(type.key, ids), relabelType(type.value, ids)];
      if (keyId === undefined || valueId === undefined || key === undefined || value === undefined)
        return undefined;
      return { ...type, 'key-id': keyId, key, 'value-id': valueId, value };
    }
  }
}
