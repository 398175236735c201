/** The rows of rows.ndjson through hyparquet-writer, which makes this file the way the local shipper makes its segments. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { parseJson } from '../../../lib/spec/json.ts';

interface Line {
  readonly id: number | bigint;
  readonly name: string | null;
  readonly price: string | null;
  readonly at: string | null;
  readonly day: string | null;
  readonly ok: boolean | null;
  readonly ratio: number | null;
  readonly raw: string | null;
  readonly code: string | null;
  readonly place: { readonly city: string | null; readonly zip: number | null } | null;
  readonly tags: readonly (string | null)[] | null;
  readonly attrs: Readonly<Record<string, number | null>> | null;
}

const file = (name: string): URL => new URL(name, import.meta.url);
const lines = readFileSync(file('rows.ndjson'), 'utf8').trimEnd().split('\n').map((line) => parseJson(line) as Line);

const micros = (text: string): bigint =>
  BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(text.slice(20, 26));
const column = <T>(name: string, value: (line: Line) => T) => ({ name, data: lines.map(value) });
const when = <T, R>(value: T | null, convert: (value: T) => R): R | null => (value === null ? null : convert(value));

const bytes = parquetWriteBuffer({
  rowGroupSize: 2,
  schema: [
    { name: 'root', num_children: 12 },
    { name: 'id', type: 'INT64', repetition_type: 'REQUIRED', field_id: 1 },
    { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL', field_id: 2 },
    { name: 'price', type: 'INT32', converted_type: 'DECIMAL', precision: 9, scale: 2, repetition_type: 'OPTIONAL', field_id: 3 },
    { name: 'at', type: 'INT64', converted_type: 'TIMESTAMP_MICROS', repetition_type: 'OPTIONAL', field_id: 4 },
    { name: 'day', type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL', field_id: 5 },
    { name: 'ok', type: 'BOOLEAN', repetition_type: 'OPTIONAL', field_id: 6 },
    { name: 'ratio', type: 'DOUBLE', repetition_type: 'OPTIONAL', field_id: 7 },
    { name: 'raw', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL', field_id: 8 },
    { name: 'code', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 3, repetition_type: 'OPTIONAL', field_id: 9 },
    { name: 'place', num_children: 2, repetition_type: 'OPTIONAL', field_id: 10 },
    { name: 'city', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL', field_id: 11 },
    { name: 'zip', type: 'INT32', repetition_type: 'OPTIONAL', field_id: 12 },
    { name: 'tags', num_children: 1, converted_type: 'LIST', repetition_type: 'OPTIONAL', field_id: 13 },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL', field_id: 14 },
    { name: 'attrs', num_children: 1, converted_type: 'MAP', repetition_type: 'OPTIONAL', field_id: 15 },
    { name: 'key_value', num_children: 2, repetition_type: 'REPEATED' },
    { name: 'key', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED', field_id: 16 },
    { name: 'value', type: 'INT64', repetition_type: 'OPTIONAL', field_id: 17 },
  ],
  columnData: [
    column('id', ({ id }) => BigInt(id)),
    column('name', ({ name }) => name),
    column('price', ({ price }) => when(price, Number)),
    column('at', ({ at }) => when(at, micros)),
    column('day', ({ day }) => when(day, (text) => Date.parse(text) / 86_400_000)),
    column('ok', ({ ok }) => ok),
    column('ratio', ({ ratio }) => ratio),
    column('raw', ({ raw }) => when(raw, (hex) => new Uint8Array(Buffer.from(hex, 'hex')))),
    column('code', ({ code }) => when(code, (hex) => new Uint8Array(Buffer.from(hex, 'hex')))),
    column('place', ({ place }) => place ?? undefined),
    column('tags', ({ tags }) => tags ?? undefined),
    column('attrs', ({ attrs }) => when(attrs, (all) => new Map(Object.entries(all).map(([key, value]) => [key, when(value, BigInt)]))) ?? undefined),
  ],
});
writeFileSync(file('../hyparquet-writer.parquet'), new Uint8Array(bytes));
