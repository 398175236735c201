import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Schema } from '../../lib/spec/schema.ts';
import type { Row } from '../../local/shipper/dataset.ts';
import { parquetSchema } from '../../local/shipper/parquet-schema.ts';

/** Rows as a writer that knows nothing of field IDs leaves them. */
export function plainFile(schema: Schema, rows: readonly Row[]): Uint8Array {
  const columnData = schema.fields.map(({ name, type }) => ({
    name,
    data: rows.map((row) => (type === 'long' ? BigInt(Number(row[name])) : (row[name] ?? null))),
  }));
  const elements = parquetSchema(schema).map(({ field_id: _, ...element }) => element);
  return new Uint8Array(parquetWriteBuffer({ schema: elements, columnData, createdBy: 'plain' }));
}
