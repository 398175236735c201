import type { Schema } from '../../lib/spec/schema.ts';
import type { Row } from '../../local/shipper/dataset.ts';
import { list, map, optional, required, schema, struct } from '../../local/shipper/schema-notation.ts';

/** Every primitive type of format version 1, and nested types. Field IDs are as a create request assigns them, top level first. */
export const columns = schema(
  required(1, 'id', 'long'),
  optional(2, 'flag', 'boolean'),
  optional(3, 'small', 'int'),
  optional(4, 'ratio', 'float'),
  optional(5, 'exact', 'double'),
  optional(6, 'amount', 'decimal(9,2)'),
  optional(7, 'large', 'decimal(38,10)'),
  optional(8, 'day', 'date'),
  optional(9, 'at', 'timestamp'),
  optional(10, 'seen', 'timestamptz'),
  optional(11, 'name', 'string'),
  optional(12, 'raw', 'binary'),
  optional(13, 'code', 'fixed[4]'),
  optional(14, 'region', 'string'),
  optional(15, 'tags', list(18, 'string')),
  optional(16, 'labels', map(19, 'string', 20, 'int')),
  optional(17, 'place', struct(optional(21, 'x', 'double'), optional(22, 'y', 'double'))),
);

/** A later version of the schema: one column is promoted, one renamed and one added, also in the struct. */
export const evolved = schema(
  ...columns.fields.flatMap((field) => {
    if (field.name === 'small') return [{ ...field, type: 'long' }];
    if (field.name === 'name') return [{ ...field, name: 'süd–name 1' }];
    if (field.name !== 'place') return [field];
    const { fields: within } = struct(optional(21, 'x', 'double'), optional(22, 'y', 'double'));
    return [{ ...field, type: struct(...within, optional(31, 'z', 'double')) }];
  }),
  optional(30, 'note', 'string'),
);

/** A `partition_by` with every transform but void, and every type but fixed that an engine can read as a partition. */
export const everyTransform = [
  'flag',
  'bucket[16](id)',
  'truncate[100](small)',
  'bucket[8](amount)',
  'year(day)',
  'month(at)',
  'hour(seen)',
  'region',
  'large',
  'truncate[2](raw)',
];

/** Rows of one partition, with values derived from `n`: nulls, the ends of ranges, long and non-BMP text. */
export function rowsOf(n: number, shape: Schema = columns): readonly Row[] {
  const text =
    ['ascii', '名古屋 and more than sixteen code points 🚚🚚🚚', `\u{10ffff}`.repeat(20), null][n % 4] ??
    null;
  const row: Row = {
    id: BigInt(n) * 7_000_000_007n,
    flag: n % 2 === 0,
    small: 100 * n - 250,
    ratio: n - 0.5,
    exact: -(n + 0.25),
    amount: -12_345n - BigInt(n),
    large: 12_345_678_901_234_567_890n * BigInt(n - 1),
    day: 20_000 + n,
    at: 1_754_856_293_080_758n + BigInt(n) * 86_400_000_000n,
    seen: -1n - BigInt(n) * 3_600_000_000n,
    [shape === columns ? 'name' : 'süd–name 1']: text,
    raw: Buffer.alloc(12, 0xfe + (n % 2)),
    code: Buffer.from([n, 0, 255, 1]),
    region: ['eu', 'süd', '🚚', null][n % 4] ?? null,
    tags: ['a', null],
    labels: new Map([['k', n]]),
    place: { x: 1.5, y: null },
  };
  return [row, { ...row, tags: null, place: null }];
}
