import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { optional, schema } from '../../../local/shipper/schema-notation.ts';
import { openLake } from '../schema/lake.ts';
import { describeWith } from '../services/describe-with.ts';

const orders = schema(
  optional(1, 'id', 'long'),
  optional(2, 'name', 'string'),
  optional(3, 'price', 'decimal(9,2)'),
  optional(4, 'placed', 'timestamp'),
  optional(5, 'seen', 'timestamptz'),
  optional(6, 'day', 'date'),
);
/** `i * 1.5`, as DuckDB was told (test/shippers/make/duckdb_export.py). */
const row = (i: number, price: string, day: string) => ({
  id: String(i),
  name: `n${i}`,
  price,
  placed: '2026-01-01T10:00:00.000000',
  seen: '2026-01-01T10:00:00.000000+00:00',
  day,
});
const sample = (key: string) =>
  readFileSync(new URL(`../../shippers/samples/duckdb/${key}`, import.meta.url));

/**
 * Iceberg's specification, "Column Projection": a column that a file lacks has the value of its identity partition. ClickHouse reads null
 * instead, so docs/shippers.md advises to keep the column in the file.
 */
describeWith('a partition column that is in the key alone', ['seaweedfsCatalog'], ({ seaweedfsCatalog }) => {
  test("has the key's value in PyIceberg and DuckDB", async () => {
    const lake = await openLake(seaweedfsCatalog, { layout: 'duckdb', partition_by: ['day'] });
    await lake.shipBytes(
      sample('orders_whole/day=2026-01-01/export_1dd4aaa4-f508-4985-b5a3-3d6172ad89d6.parquet'),
      orders,
      [row(0, '0.00', '2026-01-01'), row(2, '3.00', '2026-01-01'), row(4, '6.00', '2026-01-01')],
      'day=2026-01-01/export.parquet',
    );
    await lake.shipBytes(
      sample('orders_by_day/day=2026-01-02/data_0.parquet'),
      orders,
      [row(1, '1.50', '2026-01-02'), row(3, '4.50', '2026-01-02'), row(5, '7.50', '2026-01-02')],
      'day=2026-01-02/data_0.parquet',
    );
    await lake.expectRows(orders);
  });
});
