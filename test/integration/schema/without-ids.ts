import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Schema, StructType, Type } from '../../../lib/spec/schema.ts';
import type { Row as ShippedRow } from '../../../local/shipper/dataset.ts';
import { parquetSchema } from '../../../local/shipper/parquet-schema.ts';

/** The rows as most writers ship them: a Parquet file without one field ID. */
export function parquetWithoutIds(shape: Schema, rows: readonly ShippedRow[]): Uint8Array {
  const bytes = parquetWriteBuffer({
    schema: parquetSchema(shape).map(({ field_id: _, ...element }) => element),
    columnData: shape.fields.map(({ name }) => ({ name, data: rows.map((row) => row[name] ?? null) })),
  });
  return new Uint8Array(bytes);
}

/** The schema with the IDs that its columns have, by name, in the table. */
export function underIdsOf(table: StructType, { fields, ...shape }: StructType): StructType {
  return {
    ...shape,
    fields: fields.map((field) => {
      const held = table.fields.find(({ name }) => name === field.name);
      return { ...field, id: held?.id ?? -1, type: typeUnder(held?.type ?? field.type, field.type) };
    }),
  };
}

function typeUnder(table: Type, type: Type): Type {
  if (typeof type === 'string' || typeof table === 'string') return type;
  if (type.type === 'struct' && table.type === 'struct') return underIdsOf(table, type);
  if (type.type === 'list' && table.type === 'list') {
    return { ...type, element: typeUnder(table.element, type.element) };
  }
  return type.type === 'map' && table.type === 'map'
    ? { ...type, value: typeUnder(table.value, type.value) }
    : type;
}
