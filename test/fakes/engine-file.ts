import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Schema } from '../../lib/spec/schema.ts';
import type { Row } from '../../local/shipper/dataset.ts';
import { parquetSchema } from '../../local/shipper/parquet-schema.ts';

/** Rows as Iceberg's Java writers leave them: the table's schema stands in the footer (I11). */
export function engineFile(
  schema: Schema,
  rows: readonly Row[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  return new Uint8Array(
    parquetWriteBuffer({
      schema: parquetSchema(schema),
      columnData: schema.fields.map(({ name }) => ({ name, data: rows.map((row) => row[name] ?? null) })),
      createdBy: 'parquet-mr',
      kvMetadata: Object.entries({ ...metadata, 'iceberg.schema': JSON.stringify(schema) }).map(
        ([key, value]) => ({
          key,
          value,
        }),
      ),
    }),
  );
}
