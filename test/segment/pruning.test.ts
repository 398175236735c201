import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metricsOf } from '../../lib/segment/metrics.ts';
import { metricsConfig } from '../../lib/segment/metrics-config.ts';
import { stringifyJson } from '../../lib/spec/json.ts';
import type { DataFile } from '../../lib/spec/manifest.ts';
import { type Engine, openEngine } from '../../local/demo/engine.ts';
import { compareValues, type Row, type Value } from '../../local/shipper/dataset.ts';
import { type Dice, seededDice } from '../../local/shipper/dice.ts';
import { optional, required, schema as schemaOf } from '../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import { emptyTable, firstAppend } from '../append/table.ts';
import { segmentOfFile } from './flat-footer.ts';

const FILES = 12;
const ROWS = 30;
const PREDICATES = 120;

const schema = {
  ...schemaOf(
    required(1, 'id', 'long'),
    optional(2, 'n', 'int'),
    optional(3, 'big', 'long'),
    optional(4, 'ratio', 'double'),
    optional(5, 'price', 'decimal(9,2)'),
    optional(6, 'name', 'string'),
    optional(7, 'day', 'date'),
    optional(8, 'at', 'timestamptz'),
  ),
  'schema-id': 0,
};

/** How each column is drawn, in a range of its file, and how a value stands in ClickHouse's SQL. */
const columns: Readonly<
  Record<string, { draw(dice: Dice, file: number): Value; sql(value: Value): string }>
> = {
  n: { draw: (dice, file) => dice.integer(file * 10 - 60, file * 10 - 40), sql: String },
  big: {
    draw: (dice, file) => 2n ** 53n + BigInt(file * 7 + dice.integer(0, 9)),
    sql: (value) => `toInt64('${value}')`,
  },
  ratio: {
    draw: (dice, file) => dice.pick([0, -0, dice.fraction() + file - 6] as const),
    sql: (value) => `toFloat64('${value}')`,
  },
  price: {
    draw: (dice, file) => BigInt(file * 100 - 600 + dice.integer(0, 150)),
    sql: (value) => `toDecimal32('${Number(value) / 100}', 2)`,
  },
  name: {
    draw: (dice, file) =>
      `${'ü'.repeat(file)}${dice.pick(['😀', '\ufffd', 'zebra with a long tail', ''] as const)}`,
    sql: (value) => `unhex('${Buffer.from(String(value)).toString('hex')}')`,
  },
  day: {
    draw: (dice, file) => file * 20 - 120 + dice.integer(0, 30),
    sql: (value) => `toDate32(toDateTime64(${value} * 86400, 0, 'UTC'), 'UTC')`,
  },
  at: {
    draw: (dice, file) => BigInt(file * 1_000_000 - 6_000_000 + dice.integer(0, 1_500_000)),
    sql: (value) => `fromUnixTimestamp64Micro(toInt64('${value}'), 'UTC')`,
  },
};

const operators: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

const folder = mkdtempSync(path.join(tmpdir(), 'pruning-'));
const dice = seededDice('pruning');
/** ClickHouse prunes little by the bounds of columns with nulls, so only every third file has some. */
const files = Array.from({ length: FILES }, (_, file) =>
  Array.from({ length: ROWS }, (_, row): Row => {
    const values = Object.entries(columns).map(([name, { draw }]) => [
      name,
      dice.chance(file % 3 === 0 ? 0.2 : 0) ? null : draw(dice, file),
    ]);
    return { id: BigInt(file * ROWS + row), ...Object.fromEntries(values) };
  }),
);

let engine: Engine;
beforeAll(async () => {
  // The engine reads files only below the working directory.
  process.chdir(folder);
  engine = await openEngine();
});
afterAll(() => {
  engine.close();
  rmSync(folder, { recursive: true });
});

/** Writes an Iceberg table of the files, its metrics as `change` makes them; answers what stands after FROM. */
function table(name: string, change: (file: DataFile) => DataFile = (file) => file): string {
  const location = path.join(folder, name);
  mkdirSync(path.join(location, 'metadata'), { recursive: true });
  const dataFiles = files.map((rows, index) => {
    const filePath = path.join(location, `${index}.parquet`);
    const bytes = writeParquet(schema, rows);
    writeFileSync(filePath, bytes);
    const metrics = metricsOf(segmentOfFile(bytes), schema, metricsConfig({}, schema));
    return change({ ...metrics, filePath, fileSizeInBytes: BigInt(bytes.length), specId: 0, partition: [] });
  });
  const spec = { 'spec-id': 0, fields: [] };
  const state = emptyTable(2, {
    location,
    schemas: [schema],
    currentSchema: schema,
    specs: [spec],
    defaultSpec: spec,
  });
  const { prepared, staged } = firstAppend(state, dataFiles);
  for (const { path: file, bytes } of prepared.manifests) writeFileSync(file, bytes);
  writeFileSync(staged.listPath, staged.listBytes);
  const added = staged.updates.find((update) => update.action === 'add-snapshot');
  const metadata = {
    'format-version': 2,
    'table-uuid': state.uuid,
    location,
    'last-sequence-number': 1,
    'last-updated-ms': 1_800_000_000_000,
    'last-column-id': 8,
    schemas: [schema],
    'current-schema-id': 0,
    'partition-specs': [spec],
    'default-spec-id': 0,
    'last-partition-id': 999,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
    properties: {},
    snapshots: added && [added.snapshot],
    'current-snapshot-id': 7,
    refs: { main: { type: 'branch', 'snapshot-id': 7 } },
  };
  writeFileSync(path.join(location, 'metadata/v1.metadata.json'), stringifyJson(metadata));
  return `icebergLocal('${name}')`;
}

async function idsWhere(from: string, predicate: string, prunes: boolean): Promise<readonly string[]> {
  const settings = `use_iceberg_partition_pruning = ${prunes ? 1 : 0}`;
  const rows = await engine.query(
    `SELECT toString(id) FROM ${from} WHERE ${predicate} ORDER BY id SETTINGS ${settings}`,
  );
  return rows.map(([id = '']) => id);
}

/** Predicates by chance, with the IDs of the rows that match them. */
function predicates(count: number): readonly { readonly sql: string; readonly ids: readonly string[] }[] {
  const all = files.flat();
  return Array.from({ length: count }, () => {
    const name = dice.pick(Object.keys(columns) as [string, ...string[]]);
    const operator = dice.pick(Object.keys(operators) as [string, ...string[]]);
    const known = all.map((row) => row[name] ?? null).filter((value) => value !== null);
    const value = dice.pick(known as [Value, ...Value[]]);
    const matches = (other: Value): boolean =>
      other !== null && (operators[operator]?.(compareValues(comparable(other), comparable(value))) ?? false);
    return {
      sql: `${name} ${operator} ${columns[name]?.sql(value)}`,
      ids: all.filter((row) => matches(row[name] ?? null)).map(({ id }) => String(id)),
    };
  });
}

/** Text by its UTF-8 bytes, as Iceberg and ClickHouse compare it (case B6). */
const comparable = (value: Value): Value => (typeof value === 'string' ? Buffer.from(value) : value);

describe('an engine that prunes by the bounds', () => {
  const asked = predicates(PREDICATES);

  test(`answers ${PREDICATES} random predicates as it does without them`, async () => {
    const from = table('right');
    for (const { sql, ids } of asked) {
      expect(await idsWhere(from, sql, true), sql).toEqual(ids);
      expect(await idsWhere(from, sql, false), sql).toEqual(ids);
    }
  });

  test('would lose rows by bounds that are wrong, and only then', async () => {
    const from = table('wrong', (file) => ({ ...file, lowerBounds: file.upperBounds }));
    let lost = 0;
    for (const { sql, ids } of asked) {
      if ((await idsWhere(from, sql, true)).length < ids.length) lost++;
      expect(await idsWhere(from, sql, false), sql).toEqual(ids);
    }
    expect(lost).toBeGreaterThan(PREDICATES / 4);
  });
});
