import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Engine, openEngine } from '../../local/demo/engine.ts';
import { attachCatalog, lakeOf, tableSql } from '../../local/demo/lake.ts';
import { type Registration, startRegistration } from '../jobs/registration.ts';

/** What an engine that is not this project's code (ClickHouse) reads of registered files as other systems write them. */
let engine: Engine;
let registration: Registration;
beforeEach(async () => {
  engine = await openEngine();
});
afterEach(() => {
  engine.close();
  return registration.close();
});

async function register(
  settings: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  registration = await startRegistration(settings);
  for (const [key, file] of Object.entries(files)) {
    const uploaded = registration.upload(key, readFileSync(path.join(import.meta.dirname, 'samples', file)));
    expect(await registration.deliver([uploaded])).toEqual({ batchItemFailures: [] });
  }
}

/** The columns as text, row by row. */
async function rowsOfOrders(...columns: readonly string[]): Promise<readonly (readonly string[])[]> {
  const { stack } = registration;
  await attachCatalog(engine, lakeOf(stack, 'lake'));
  const texts = columns.map((column) => `toString(${column})`).join();
  return engine.query(
    `SELECT ${texts} FROM ${tableSql({ namespace: ['lake'], name: 'orders' })} ORDER BY ALL`,
  );
}

test("Spark's INT96 timestamps", async () => {
  const file = 'orders_int96/part-00000-2bdc4ade-d9df-45cf-b8e8-93b7c4e7055f-c000.snappy.parquet';
  await register({ layout: 'spark' }, { 'orders/part-00000.parquet': `spark/${file}` });
  const rows = await rowsOfOrders('id', 'name', 'price', 'placed', 'day');
  expect(rows).toHaveLength(6);
  expect(rows[3]).toEqual(['3', 'n3', '4.5', '2026-01-01 10:00:00.000000', '2026-01-02']);
});

test("the envelope of Debezium's changes: the log of them, deletes as rows", async () => {
  const key = 'topics/shop.public.orders/partition=0/shop.public.orders+0+0000000000.snappy.parquet';
  await register({ layout: 'debezium' }, { [key]: `debezium/${key}` });
  expect(await rowsOfOrders('ts_ms', 'op', 'before.name', 'after.name', 'source.lsn')).toEqual([
    ['1767225600000', 'c', null, 'a', '7'],
    ['1767225601000', 'u', 'a', 'b', '8'],
    ['1767225602000', 'd', 'b', null, '9'],
  ]);
});

test("ClickHouse's own export, unsigned integers as long", async () => {
  const months = ['202601', '202602', '202603'].map((month) => `orders/${month}/export-1.parquet`);
  const files = Object.fromEntries(months.map((key) => [key, `clickhouse/${key}`]));
  await register({ layout: 'clickhouse' }, files);
  expect(await rowsOfOrders('id', 'name', 'price', 'shop', 'flags')).toEqual([
    ['0', 'n0', '0', 'fra', '0'],
    ['1', 'n1', '1.5', 'fra', '1'],
    ['2', 'n2', '3', 'fra', '2'],
  ]);
});

test("DuckDB's export with WRITE_PARTITION_COLUMNS", async () => {
  const key = 'orders_whole/day=2026-01-01/export_1dd4aaa4-f508-4985-b5a3-3d6172ad89d6.parquet';
  await register(
    { layout: 'duckdb', partition_by: ['day'] },
    {
      'orders/day=2026-01-01/export.parquet': `duckdb/${key}`,
    },
  );
  expect(await rowsOfOrders('id', 'price', 'seen', 'day')).toEqual([
    ['0', '0', '2026-01-01 10:00:00.000000', '2026-01-01'],
    ['2', '3', '2026-01-01 10:00:00.000000', '2026-01-01'],
    ['4', '6', '2026-01-01 10:00:00.000000', '2026-01-01'],
  ]);
});
