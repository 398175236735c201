import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseEntries, type RawSettings } from '../../lib/config/document.ts';
import { datasetsOf } from '../../lib/jobs/datasets/datasets.ts';
import { route } from '../../lib/jobs/route.ts';
import type { LogRecord } from '../../lib/ports.ts';
import type { Schema, Type } from '../../lib/spec/schema.ts';
import { branchHead } from '../../lib/spec/table-state.ts';
import { memoryLog } from '../fakes/log.ts';
import { type Registration, type S3Record, startRegistration } from '../jobs/registration.ts';

/**
 * Files and keys as other systems write them, by preset: `samples/<preset>/<key>`. DuckDB, ClickHouse, Spark and Flink wrote theirs (`make/`);
 * those of the others are shaped by hand after their documentation (docs/shippers.md).
 */
const SAMPLES = path.join(import.meta.dirname, 'samples');

interface Expected {
  /** Columns, `!` for required ones, and records of each table. */
  readonly tables: Readonly<Record<string, { readonly columns: string; readonly records: number }>>;
  /** How many keys are ignored, by reason. */
  readonly ignored?: Readonly<Record<string, number>>;
}

const logLines = { columns: 'id long, name string, placed timestamptz', records: 2 };
const sparkOrders = 'id! long, name! string, price decimal(9,2), placed! timestamptz';
const duckdbOrders = 'id long, name string, price decimal(9,2), placed timestamp, seen timestamptz';
const flinkOrders = 'id long, name string, price decimal(9,2)';
const row = 'struct<id! long, name string>';

const expectations: Readonly<Record<string, Expected>> = {
  'kafka-connect': { tables: { orders: logLines } },
  aiven: { tables: { orders: logLines } },
  debezium: {
    tables: {
      orders: {
        columns: `before ${row}, after ${row}, source struct<version string, table string, lsn long>, op string, ts_ms long`,
        records: 3,
      },
    },
  },
  firehose: { tables: { orders: logLines } },
  flink: {
    tables: {
      orders: { columns: `${flinkOrders}, placed timestamp, day date`, records: 6 },
      orders_int96: { columns: `${flinkOrders}, placed timestamptz, day date`, records: 6 },
      orders_by_day: { columns: `${flinkOrders}, placed timestamp`, records: 6 },
    },
    ignored: { temporary: 2, hidden: 1 },
  },
  vector: { tables: { orders: logLines } },
  'fluent-bit': { tables: { orders: logLines } },
  spark: {
    tables: {
      orders: { columns: `${sparkOrders}, day date`, records: 6 },
      orders_int96: { columns: `${sparkOrders}, day date`, records: 6 },
      orders_by_day: { columns: sparkOrders, records: 6 },
    },
    ignored: { temporary: 3, hidden: 7 },
  },
  duckdb: {
    tables: {
      orders_by_day: { columns: duckdbOrders, records: 6 },
      orders_whole: { columns: `${duckdbOrders}, day date`, records: 6 },
    },
  },
  clickhouse: {
    tables: {
      orders: {
        columns: 'id! long, name string, price! decimal(9,2), placed! timestamptz, shop! string, flags! long',
        records: 3,
      },
    },
  },
};

let registration: Registration;
afterEach(() => registration?.close());

const sample = (preset: string, key: string) => readFileSync(path.join(SAMPLES, preset, key));

test('every sample is of a preset that is tested here', () => {
  expect(readdirSync(SAMPLES).sort()).toEqual(Object.keys(expectations).sort());
});

describe.each(Object.entries(expectations))('layout: %s', (preset, { tables, ignored = {} }) => {
  test('I9: every key is registered or ignored by rule, none is unroutable', async () => {
    registration = await startRegistration(await documented(preset));
    const records = filesBelow(path.join(SAMPLES, preset)).map((key) =>
      registration.upload(key, sample(preset, key)),
    );
    expect(await routed(records)).toMatchObject({ unroutable: 0, ignored });

    expect(await registration.deliver(records)).toEqual({ batchItemFailures: [] });
    expect(registration.log.filter(({ event }) => event === 'quarantined')).toEqual([]);
    for (const [name, { columns, records }] of Object.entries(tables)) {
      const state = await registration.table(name);
      expect(state && columnsOf(state.currentSchema)).toBe(columns);
      expect(state && branchHead(state, 'main')?.summary['total-records']).toBe(String(records));
    }
  });
});

describe('partitions that are in the key alone', () => {
  const whole = 'orders_whole/day=2026-01-01/export_1dd4aaa4-f508-4985-b5a3-3d6172ad89d6.parquet';
  const without = 'orders_by_day/day=2026-01-02/data_0.parquet';

  test('a column of the table that the file lacks has the value of the key, where it is an identity partition', async () => {
    registration = await startRegistration({ layout: 'duckdb', partition_by: ['day'] });
    await registration.deliver([
      registration.upload('orders/day=2026-01-01/a.parquet', sample('duckdb', whole)),
    ]);
    const second = registration.upload('orders/day=2026-01-02/b.parquet', sample('duckdb', without));
    expect(await registration.deliver([second])).toEqual({ batchItemFailures: [] });

    const state = await registration.table('orders');
    expect(state && branchHead(state, 'main')?.summary).toMatchObject({
      'total-records': '6',
      'changed-partition-count': '1',
      'total-data-files': '2',
    });
  });

  test('a table is not made with a partition of a column that the file lacks', async () => {
    registration = await startRegistration({ layout: 'duckdb', partition_by: ['day'] });
    await registration.deliver([
      registration.upload('orders/day=2026-01-02/b.parquet', sample('duckdb', without)),
    ]);
    expect(registration.log).toContainEqual(
      expect.objectContaining({
        code: 'sink.iceberg_partition_undetermined',
        message: expect.stringContaining('it has no such column'),
      }),
    );
    expect(await registration.table('orders')).toBeUndefined();
  });
});

describe('layout: dbt', () => {
  test('I9: what its engines leave, Spark’s part files and DuckDB’s exports, is registered or ignored by rule', async () => {
    const left = { spark: 'orders', duckdb: 'orders_whole' };
    registration = await startRegistration({ ...(await documented('dbt')), from: Object.values(left) });
    const records = Object.entries(left).flatMap(([engine, table]) =>
      filesBelow(path.join(SAMPLES, engine, table)).map((key) =>
        registration.upload(`${table}/${key}`, sample(engine, `${table}/${key}`)),
      ),
    );
    expect(await routed(records)).toMatchObject({ unroutable: 0, ignored: { temporary: 1, hidden: 2 } });
    expect(await registration.deliver(records)).toEqual({ batchItemFailures: [] });
    for (const table of Object.values(left)) {
      const state = await registration.table(table);
      expect(state && branchHead(state, 'main')?.summary['total-records']).toBe('6');
    }
  });
});

describe('millisecond timestamps', () => {
  test('layout: kafka-connect refuses them unless they are accepted', async () => {
    registration = await startRegistration({ layout: 'kafka-connect' });
    const key = 'topics/orders/partition=0/orders+0+0000000000.snappy.parquet';
    await registration.deliver([registration.upload(key, sample('kafka-connect', key))]);
    expect(registration.log).toContainEqual(
      expect.objectContaining({
        code: 'sink.iceberg_unsupported_type',
        message: expect.stringContaining('set timestamp_millis: accept'),
      }),
    );
    expect(await registration.table('orders')).toBeUndefined();
  });
});

describe('layout: aiven', () => {
  test('datasets that share a directory are all found for reconciliation', async () => {
    registration = await startRegistration({ layout: 'aiven', table_location: 's3://lake/tables/{dataset}' });
    for (const key of ['a-0-1', 'b-0-1', 'a-eu-0-1', 'b-1-7', 'x/c-0-1'])
      registration.upload(key, Buffer.from('x'));
    const { entries, portsOf } = registration.ports;
    const [entry] = entries;
    const found: string[] = [];
    if (entry !== undefined) {
      for await (const { dataset } of datasetsOf(entry, entries, portsOf(entry).store)) found.push(dataset);
    }
    expect(found).toEqual(['a', 'a-eu', 'b']);
  });
});

/** The configuration of a preset as its section of the page has it. */
async function documented(preset: string): Promise<RawSettings> {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/shippers.md'), 'utf8');
  const blocks = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = '']) => yaml);
  const block = blocks.find((yaml) => yaml.startsWith(`layout: ${preset}\n`));
  const [settings] = await parseEntries(block ?? '');
  if (settings === undefined) throw new Error(`docs/shippers.md has no configuration of "${preset}"`);
  return settings;
}

/** What the router logs of an event with these objects. */
async function routed(objects: readonly S3Record[]): Promise<LogRecord | undefined> {
  const log = memoryLog();
  const { entries } = registration.ports;
  const queues = { registrations: 'https://sqs.example.com/registrations.fifo' };
  const Records = objects.map(({ key, size, eTag }) => ({
    eventVersion: '2.1',
    eventName: 'ObjectCreated:Put',
    s3: { bucket: { name: 'lake' }, object: { key: encodeURIComponent(key), size, eTag } },
  }));
  await route(
    { Records },
    {
      ...registration.ports,
      entries: entries.map((entry) => ({ ...entry, queues })),
      queue: { send: async () => [] },
      log,
    },
  );
  return log.records.find(({ event }) => event === 'routed');
}

function columnsOf({ fields }: Schema): string {
  return fields
    .map(({ name, required, type }) => `${name}${required ? '!' : ''} ${typeText(type)}`)
    .join(', ');
}

function typeText(type: Type): string {
  if (typeof type === 'string') return type;
  return type.type === 'struct' ? `struct<${columnsOf(type)}>` : type.type;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => path.relative(folder, path.join(file.parentPath, file.name)))
    .sort();
}
