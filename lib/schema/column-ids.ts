import { highestId, mappedByName, type NameMapping } from '../spec/name-mapping.ts';
import { childFields, type Schema, type Type } from '../spec/schema.ts';
import { type Columns, columnsNamed } from './columns.ts';
import type { DatasetSchema } from './dataset-schema.ts';

/**
 * Assigns field IDs to a file that has none, at every depth: first by the table's name mapping (aliases and dropped columns
 * included), then by the table's column of that name, then by the dataset's (which others may have dropped from the table),
 * else the next free ID.
 *
 * @returns final IDs by the file's provisional ones; two may be equal if the mapping has both names for one column
 */
export function fieldIdsByName(
  schema: Schema,
  mapping: NameMapping,
  merged: { readonly table: Columns; readonly dataset: Pick<DatasetSchema, 'columns'> },
  lastColumnId: number,
): ReadonlyMap<number, number> {
  const ids = new Map<number, number>();
  const inTable = columnsNamed(merged.table);
  const inDataset = columnsNamed(merged.dataset.columns);
  let lastId = Math.max(lastColumnId, highestId(mapping));
  for (const columns of [merged.table, merged.dataset.columns]) {
    for (const id of columns.keys()) lastId = Math.max(lastId, id);
  }

  const visit = (type: Type, mapped: NameMapping, parentId: number | undefined): void => {
    if (typeof type === 'string') return;
    const named = mappedByName(mapped);
    for (const child of childFields(type)) {
      const field = named.get(child.name);
      const id =
        field?.['field-id'] ??
        inTable(parentId, child.name)[0]?.id ??
        inDataset(parentId, child.name)[0]?.id ??
        ++lastId;
      ids.set(child.id, id);
      visit(child.type, field?.fields ?? [], id);
    }
  };
  visit(schema, mapping, undefined);
  return ids;
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
