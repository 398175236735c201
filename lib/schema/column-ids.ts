import { type MappedField, mappedField, type NameMapping } from '../spec/name-mapping.ts';
import { childFields, type Schema, type Type } from '../spec/schema.ts';
import type { Columns } from './columns.ts';
import type { Merged } from './follow.ts';

/**
 * The field IDs of a file that has none: the name mapping's (aliases and dropped columns included), then the table's column
 * of that name, then the dataset's (dropped by others), then the next free ID, at every depth.
 *
 * @returns final IDs by the file's provisional ones; two may be equal when the mapping has both names for one column
 */
export function fieldIdsByName(
  schema: Schema,
  mapping: NameMapping,
  merged: Merged,
  lastColumnId: number,
): ReadonlyMap<number, number> {
  const ids = new Map<number, number>();
  let lastId = Math.max(lastColumnId, ...merged.table.keys(), ...merged.dataset.columns.keys());

  const visit = (type: Type, mapped: NameMapping, parentId: number | undefined): void => {
    if (typeof type === 'string') return;
    for (const child of childFields(type)) {
      const field: MappedField | undefined = mappedField(mapped, child.name);
      const id =
        field?.['field-id'] ??
        idOf(merged.table, parentId, child.name) ??
        idOf(merged.dataset.columns, parentId, child.name) ??
        ++lastId;
      ids.set(child.id, id);
      visit(child.type, field?.fields ?? [], id);
    }
  };
  visit(schema, mapping, undefined);
  return ids;
}

function idOf(columns: Columns, parentId: number | undefined, name: string): number | undefined {
  return columns.values().find((column) => column.parentId === parentId && column.name === name)?.id;
}

/** The columns under their final IDs. */
export function withIds(columns: Columns, ids: ReadonlyMap<number, number>): Columns {
  const finalId = (id: number) => ids.get(id) ?? id;
  return new Map(
    columns.values().map((column) => {
      const id = finalId(column.id);
      const parentId = column.parentId === undefined ? undefined : finalId(column.parentId);
      return [id, { ...column, id, parentId }];
    }),
  );
}
