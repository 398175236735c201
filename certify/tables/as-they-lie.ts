import { join } from 'node:path';
import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import type { Type } from '../../lib/spec/schema.ts';
import { list, map, optional, required, schema } from '../../local/shipper/schema-notation.ts';
import type { Canonical } from '../../test/integration/readers/canonical.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import { startProgram } from '../../test/soak/python.ts';
import { openDataset } from '../dataset.ts';
import type { Context, Section } from '../section.ts';
import { type CertifiedTable, certified, certifyTables } from './certified-table.ts';

/** A column in a Parquet encoding that Iceberg's own writers do not use. */
interface Oddity {
  readonly feature: string;
  /** Its type in the table that the registrar creates. */
  readonly type: Type;
  /** Its Parquet elements, the column's own first. */
  readonly elements: readonly Omit<SchemaElement, 'name'>[] | readonly SchemaElement[];
  readonly values: readonly unknown[];
  /** Its values as a reader must show them. */
  readonly shown: readonly Canonical[];
  readonly settings?: Readonly<Record<string, unknown>>;
}

const id = { field_id: 2, repetition_type: 'OPTIONAL' } as const;
const bytes = (text: string) => new TextEncoder().encode(text);

const oddities: readonly Oddity[] = [
  integer('UINT_8', 'int', [0, 255]),
  integer('UINT_16', 'int', [0, 65_535]),
  integer('INT_8', 'int', [-128, 127]),
  integer('INT_16', 'int', [-32_768, 32_767]),
  {
    feature: 'UINT_32 below 2³¹, as long',
    type: 'long',
    elements: [{ ...id, type: 'INT32', converted_type: 'UINT_32' }],
    values: [0, 2 ** 31 - 1],
    shown: ['0', '2147483647'],
  },
  {
    feature: 'UINT_32 from 2³¹ on, as long',
    type: 'long',
    elements: [{ ...id, type: 'INT32', converted_type: 'UINT_32' }],
    values: [2 ** 32 - 1, 2 ** 31],
    shown: ['4294967295', '2147483648'],
  },
  text('ENUM', 'string'),
  { ...text('JSON', 'string'), values: [{ a: 1 }, ['ü']], shown: ['{"a":1}', '["ü"]'] },
  {
    ...text('BSON', 'binary'),
    shown: ['a', 'ü'].map((value) => Buffer.from(value).toString('hex')),
  },
  {
    feature: 'TIMESTAMP_MILLIS, accepted',
    type: 'timestamptz',
    elements: [
      {
        ...id,
        type: 'INT64',
        converted_type: 'TIMESTAMP_MILLIS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      },
    ],
    values: [1_767_225_600_123n, -1n],
    shown: ['2026-01-01T00:00:00.123000+00:00', '1969-12-31T23:59:59.999000+00:00'],
    settings: { timestamp_millis: 'accept' },
  },
  {
    feature: 'decimal in BYTE_ARRAY',
    type: 'decimal(20,2)',
    elements: [{ ...id, type: 'BYTE_ARRAY', converted_type: 'DECIMAL', precision: 20, scale: 2 }],
    values: [1n, -256n],
    shown: ['0.01', '-2.56'],
  },
  {
    feature: 'list with Hive’s names',
    type: list(3, 'long'),
    elements: [
      { name: 'v', ...id, num_children: 1, converted_type: 'LIST' },
      { name: 'bag', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'array_element', type: 'INT64', repetition_type: 'OPTIONAL', field_id: 3 },
    ],
    values: [[1n], [2n, 3n]],
    shown: [['1'], ['2', '3']],
  },
  mapOf('map with optional keys', 'OPTIONAL', 'key_value'),
  mapOf('map whose entries are a MAP_KEY_VALUE', 'REQUIRED', 'map', 'MAP_KEY_VALUE'),
];

function integer(
  converted_type: 'UINT_8' | 'UINT_16' | 'INT_8' | 'INT_16',
  type: Type,
  values: readonly number[],
): Oddity {
  return {
    feature: converted_type,
    type,
    elements: [{ ...id, type: 'INT32', converted_type }],
    values,
    shown: values.map(String),
  };
}

function text(converted_type: 'ENUM' | 'JSON' | 'BSON', type: Type): Oddity {
  return {
    feature: converted_type,
    type,
    elements: [{ ...id, type: 'BYTE_ARRAY', converted_type }],
    values: [bytes('a'), bytes('ü')],
    shown: ['a', 'ü'],
  };
}

function mapOf(
  feature: string,
  repetition_type: 'OPTIONAL' | 'REQUIRED',
  entries: string,
  annotation?: 'MAP_KEY_VALUE',
): Oddity {
  return {
    feature,
    type: map(3, 'string', 4, 'long'),
    elements: [
      { name: 'v', ...id, num_children: 1, converted_type: 'MAP' },
      {
        name: entries,
        repetition_type: 'REPEATED',
        num_children: 2,
        ...(annotation && { converted_type: annotation }),
      },
      { name: 'key', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type, field_id: 3 },
      { name: 'value', type: 'INT64', repetition_type: 'OPTIONAL', field_id: 4 },
    ],
    values: [new Map([['k', 1n]]), new Map([['x', null]])],
    shown: [[['k', '1']], [['x', null]]],
  };
}

async function ship(context: Context, oddity: Oddity): Promise<CertifiedTable> {
  const { feature, type, elements, values, shown, settings } = oddity;
  const bytesOf = parquetWriteBuffer({
    schema: [
      { name: 'table', num_children: 2 },
      { name: 'seq', type: 'INT64', repetition_type: 'REQUIRED', field_id: 1 },
      ...elements.map((element) => ({ name: 'v', ...element })),
    ],
    columnData: [
      { name: 'seq', data: values.map((_, index) => BigInt(index)) },
      { name: 'v', data: [...values] },
    ],
  });
  const dataset = await openDataset(context, 'as_it_lies', settings);
  const shape = schema(required(1, 'seq', 'long'), optional(2, 'v', type));
  const rows = shown.map((v, index) => ({ seq: String(index), v }));
  await dataset.shipBytes(new Uint8Array(bytesOf), shape, rows);
  return certified(dataset, feature);
}

async function int96(context: Context): Promise<CertifiedTable> {
  const shown = ['1969-12-31T23:59:59.999999+00:00', null, '2262-04-10T01:02:03.000004+00:00'];
  const program = startProgram(
    join(installedFolder, 'readers/bin/python'),
    [join(import.meta.dirname, '../engines/programs/int96_file.py')],
    { PYTHONPATH: join(import.meta.dirname, '../../test/integration/readers') },
    context.log,
  );
  const base64 = await program.ask({ moments: shown }).finally(() => program.stop());
  const dataset = await openDataset(context, 'int96');
  const shape = schema(required(1, 'seq', 'long'), optional(2, 'v', 'timestamptz'));
  const rows = shown.map((v, index) => ({ seq: String(index), v }));
  await dataset.shipBytes(Buffer.from(String(base64), 'base64'), shape, rows);
  return certified(dataset, 'INT96');
}

export const asTheyLie: Section = {
  name: 'as-they-lie',
  title: 'Files as other writers lay them down',
  short: true,
  async *run(context) {
    const tables = [await int96(context)];
    for (const oddity of oddities) tables.push(await ship(context, oddity));
    yield* certifyTables(context, tables);
  },
};
