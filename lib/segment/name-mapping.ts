/** Field IDs of a file that has none, by name (spec, "Column Projection"). */
import { mappedByName, type NameMapping } from '../spec/name-mapping.ts';
import { childFields, type StructType, type Type } from '../spec/schema.ts';

/** The field IDs that a name mapping gives to the fields of a schema, by the fields' own IDs. Unmapped fields are left out. */
export function resolveByName(schema: StructType, mapping: NameMapping): ReadonlyMap<number, number> {
  const ids = new Map<number, number>();
  const visit = (type: Type, siblings: NameMapping): void => {
    if (typeof type === 'string') return;
    const named = mappedByName(siblings);
    for (const child of childFields(type)) {
      const mapped = named.get(child.name);
      if (mapped?.['field-id'] !== undefined) ids.set(child.id, mapped['field-id']);
      visit(child.type, mapped?.fields ?? []);
    }
  };
  visit(schema, mapping);
  return ids;
}
