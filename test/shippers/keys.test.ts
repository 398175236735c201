import { describe, expect, test } from 'vitest';
import { LAYOUT_PRESET_NAMES } from '../../lib/config/layout-presets.ts';
import { validateEntry } from '../../lib/config/validate.ts';
import { ignoredKey } from '../../lib/event/noted-object.ts';
import { layoutRouter } from '../../lib/route/layout.ts';

/**
 * Keys in the formats of each system (docs/shippers.md names the settings that make them), and what becomes of them: the dataset,
 * or why there is none.
 */
const keys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'kafka-connect': {
    'topics/orders/partition=3/orders+3+0000000042.snappy.parquet': 'orders',
    'topics/orders/region=eu/orders+0+0000000042.snappy.parquet': 'orders',
    'topics/orders/year=2026/month=01/day=31/hour=10/orders+0+0000000042.gz.parquet': 'orders',
    'topics/shop.public.orders/partition=0/shop.public.orders+0+0000000000.parquet': 'shop.public.orders',
    'orders/partition=0/orders+0+0000000000.parquet': 'unroutable',
  },
  aiven: {
    'orders-0-12': 'orders',
    'eu-orders-0-12.gz': 'eu-orders',
    'eu-orders-0-12.snappy.parquet': 'eu-orders',
    'orders/0-12.parquet': 'unroutable',
  },
  debezium: {
    'topics/shop.public.orders/partition=0/shop.public.orders+0+0000000000.snappy.parquet': 'orders',
    'topics/eu.shop.public.order_lines/year=2026/x.parquet': 'order_lines',
    'topics/schema-changes/partition=0/schema-changes+0+0000000000.parquet': 'unroutable',
  },
  firehose: {
    'orders/2026/01/31/10/orders-1-2026-01-31-10-00-05-0b8e1f0a-6d8e-4f0c-9a39-6a1f2f1c9d11.parquet':
      'orders',
    'orders/region=eu/2026/01/31/10/orders-12-2026-01-31-10-00-05-0b8e1f0a-6d8e-4f0c-9a39-6a1f2f1c9d11.parquet':
      'orders',
    '2026/01/31/10/orders-1-2026-01-31-10-00-05-0b8e1f0a-6d8e-4f0c-9a39-6a1f2f1c9d11.parquet': 'unroutable',
  },
  spark: {
    'orders/part-00000-a9092fc8-463b-4c4f-89b2-1f667e9929dd-c000.snappy.parquet': 'orders',
    'orders/day=2026-01-31/part-00000-a9092fc8-463b-4c4f-89b2-1f667e9929dd.c000.snappy.parquet': 'orders',
    'orders/_SUCCESS': 'temporary',
    'orders/_temporary/0/_temporary/attempt_202601311000_0000_m_000000_0/part-00000-a-c000.snappy.parquet':
      'temporary',
    'orders/__magic_job-1/job-1/01/task_1/__base/part-00000-a-c000.snappy.parquet': 'temporary',
    'orders/.spark-staging-a9092fc8/day=1/part-00000-a.c000.snappy.parquet': 'temporary',
    'orders/.part-00000-a-c000.snappy.parquet.crc': 'hidden',
    'orders/_committed_7012345678901234567': 'hidden',
    'orders/_delta_log/00000000000000000010.checkpoint.parquet': 'hidden',
    'orders/_metadata': 'hidden',
  },
  flink: {
    'orders/2026-01-31--10/part-3f2a1c9e-0a55-4a4f-8f0b-7d4a7b7d5c11-0': 'orders',
    'orders/dt=2026-01-31/part-3f2a1c9e-0a55-4a4f-8f0b-7d4a7b7d5c11-task-0-file-0': 'orders',
    'orders/2026-01-31--10/.part-3f2a1c9e-0a55-4a4f-8f0b-7d4a7b7d5c11-0.inprogress.7b1d': 'hidden',
    'orders/dt=2026-01-31/.uncompacted-part-3f2a1c9e-0-0': 'hidden',
    'orders/dt=2026-01-31/compacted-part-3f2a1c9e-0-0': 'orders',
    'orders/.staging_1767225600000/task-0/dt=2026-01-31/part-0': 'hidden',
    'orders/dt=2026-01-31/_SUCCESS': 'temporary',
  },
  dbt: {
    'orders/part-00000-a9092fc8-463b-4c4f-89b2-1f667e9929dd-c000.snappy.parquet': 'orders',
    'orders/data_0.parquet': 'orders',
    'orders/_SUCCESS': 'temporary',
  },
  duckdb: {
    'orders/day=2026-01-31/data_0.parquet': 'orders',
    'orders/export_23d35879-45bc-46c4-8f67-11a04ce72809.parquet': 'orders',
    'orders.parquet': 'unroutable',
  },
  clickhouse: {
    'orders/202601/export-1.parquet': 'orders',
    'orders/year=2026/country=fr/7351307847391293440.parquet': 'orders',
  },
  vector: {
    'orders/date=2026-01-31/1769853605-0b8e1f0a-6d8e-4f0c-9a39-6a1f2f1c9d11.parquet': 'orders',
    'date=2026-01-31/1769853605-0b8e1f0a-6d8e-4f0c-9a39-6a1f2f1c9d11.parquet': 'unroutable',
  },
  'fluent-bit': {
    'fluent-bit-logs/orders/2026/01/31/10/00/05-object1a2B3c4D': 'orders',
    'fluent-bit-logs/orders/2026/01/31/10-00-05-1a2B3c4D.parquet': 'orders',
    'fluent-bit-logs/app.orders/2026/01/31/10/00/05-object1a2B3c4D': 'app.orders',
  },
};

test('every preset has keys here', () => {
  expect(Object.keys(keys).sort()).toEqual([...LAYOUT_PRESET_NAMES].sort());
});

describe.each(Object.entries(keys))('layout: %s', (layout, ends) => {
  const settings = {
    url: 's3://lake/in',
    namespace: 'lake',
    catalog_uri: 'http://127.0.0.1:8181',
    layout,
    ...(layout === 'firehose' && { from: ['orders'] }),
    ...(layout === 'aiven' && { table_location: 's3://lake/tables/{dataset}' }),
  };
  const { entry } = validateEntry(settings, settings);
  const routeOf = layoutRouter(entry === undefined ? [] : [entry]);

  test.each(Object.entries(ends))('%s: %s', (key, end) => {
    const routing = routeOf({ scheme: 's3', bucket: 'lake', key: `in/${key}` });
    const becomes = routing.kind === 'table' ? routing.dataset : routing.kind;
    const reason = routing.kind === 'ignored' ? routing.reason : becomes;
    expect(ignoredKey(key, 1) ?? reason).toBe(end);
  });
});
