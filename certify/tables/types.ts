import type { NestedField } from '../../lib/spec/schema.ts';
import type { Value } from '../../local/shipper/dataset.ts';
import { list, map, optional, required, schema, struct } from '../../local/shipper/schema-notation.ts';
import { openDataset } from '../dataset.ts';
import type { Context, Section } from '../section.ts';
import { type CertifiedTable, certified, certifyTables } from './certified-table.ts';

/** A column and its values from the first row on. Rows beyond its last value are null. */
type Column = readonly [feature: string, field: NestedField, values: readonly Value[]];

const bytes = (...values: readonly number[]) => Uint8Array.from(values);
/** Days of 0001-01-01 and 9999-12-31 since 1970, and the microseconds of their first and last moments. */
const FIRST_DAY = -719_162;
const LAST_DAY = 2_932_896;
const DAY_MICROS = 86_400_000_000n;
const FIRST_MICRO = BigInt(FIRST_DAY) * DAY_MICROS;
const LAST_MICRO = BigInt(LAST_DAY + 1) * DAY_MICROS - 1n;
const moments = [0n, -1n, 1_767_225_600_123_456n, 951_782_400_000_000n];

/** A column for every type of format version 2, and separate columns for values that readers often get wrong. */
const primitives: readonly Column[] = [
  ['boolean', optional(2, 'a_boolean', 'boolean'), [true, false, null]],
  ['int', optional(3, 'an_int', 'int'), [-(2 ** 31), 2 ** 31 - 1, 0, null]],
  ['long', optional(4, 'a_long', 'long'), [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n, null]],
  ['float', optional(5, 'a_float', 'float'), [1.5, -2.25, Math.fround(0.1), Math.fround(3.4e38), null]],
  ['double', optional(6, 'a_double', 'double'), [0.1, -1e300, 5e-324, Number.MAX_VALUE, null]],
  [
    'float: NaN and infinities',
    optional(7, 'a_wild_float', 'float'),
    [Number.NaN, Infinity, -Infinity, 1, null],
  ],
  [
    'double: NaN and infinities',
    optional(8, 'a_wild_double', 'double'),
    [Number.NaN, Infinity, -Infinity, 1, null],
  ],
  // In separate columns, because the writer's dictionary takes both for one value.
  ['double: −0', optional(9, 'a_negative_zero', 'double'), [-0, null]],
  ['double: +0', optional(26, 'a_zero', 'double'), [0, null]],
  ['decimal(9,2)', optional(10, 'a_decimal9', 'decimal(9,2)'), [999_999_999n, -999_999_999n, -1n, 0n, null]],
  [
    'decimal(18,4)',
    optional(11, 'a_decimal18', 'decimal(18,4)'),
    [10n ** 18n - 1n, 1n - 10n ** 18n, -1n, null],
  ],
  [
    'decimal(38,10)',
    optional(12, 'a_decimal38', 'decimal(38,10)'),
    [10n ** 38n - 1n, 1n - 10n ** 38n, -1n, null],
  ],
  ['date', optional(13, 'a_date', 'date'), [0, -1, 20_454, null]],
  ['date: years 1 and 9999', optional(14, 'a_far_date', 'date'), [FIRST_DAY, LAST_DAY, null]],
  ['timestamp', optional(16, 'a_timestamp', 'timestamp'), [...moments, null]],
  [
    'timestamp: years 1 and 9999',
    optional(17, 'a_far_timestamp', 'timestamp'),
    [FIRST_MICRO, LAST_MICRO, null],
  ],
  ['timestamptz', optional(18, 'a_timestamptz', 'timestamptz'), [...moments, null]],
  [
    'timestamptz: years 1 and 9999',
    optional(19, 'a_far_timestamptz', 'timestamptz'),
    [FIRST_MICRO, LAST_MICRO, null],
  ],
  ['string', optional(20, 'a_string', 'string'), ['a', '', 'süß', 'null', null]],
  [
    'string: beyond the BMP',
    optional(21, 'an_astral_string', 'string'),
    ['𝒳', '👩‍👩‍👧', '\u{10ffff}', '\uffff', null],
  ],
  [
    'string: control characters',
    optional(22, 'a_control_string', 'string'),
    ['\t\n\r', '\'"\\', '\u0001\u007f', null],
  ],
  ['uuid', optional(23, 'a_uuid', 'uuid'), [bytes(...Array(16).keys()), new Uint8Array(16).fill(255), null]],
  ['fixed[4]', optional(24, 'a_fixed', 'fixed[4]'), [bytes(0, 1, 2, 3), bytes(255, 254, 0, 128), null]],
  ['binary', optional(25, 'a_binary', 'binary'), [bytes(0), bytes(), bytes(0xc3, 0x28, 0xff), null]],
];

const point = struct(optional(31, 'x', 'double'), optional(32, 'label', 'string'));
const deep = list(46, struct(required(47, 'k', 'string'), optional(48, 'v', list(49, 'int'))));

const nested: readonly Column[] = [
  [
    'struct',
    optional(30, 'a_struct', point),
    [
      { x: 1.5, label: 'ü' },
      { x: null, label: null },
    ],
  ],
  ['list', optional(33, 'a_list', list(34, 'long')), [[1n, null, 2n ** 62n], []]],
  [
    'map',
    optional(35, 'a_map', map(36, 'string', 37, 'decimal(9,2)')),
    [
      new Map([
        ['a', 1n],
        ['b', null],
      ]),
      new Map(),
    ],
  ],
  [
    'map with int keys',
    optional(38, 'an_int_map', map(39, 'int', 40, 'string')),
    [new Map([[7, 'seven']] as never), new Map()],
  ],
  [
    'struct in struct',
    optional(41, 'a_nest', struct(optional(42, 'inner', struct(required(43, 'z', 'int'))))),
    [{ inner: { z: 3 } }, { inner: { z: -3 } }],
  ],
  [
    'list of structs with lists',
    optional(45, 'a_deep', deep),
    [
      [
        { k: 'a', v: [1, null] },
        { k: 'b', v: [] },
      ],
      [],
    ],
  ],
  [
    'map of structs',
    optional(50, 'a_struct_map', map(51, 'string', 52, struct(optional(53, 'd', 'date')))),
    [new Map([['k', { d: 20_454 }]]), new Map()],
  ],
  ['null struct', optional(54, 'a_null_struct', struct(optional(55, 'x', 'int'))), [null, { x: 1 }]],
  ['null list', optional(56, 'a_null_list', list(57, 'int')), [null, [1]]],
  ['null map', optional(58, 'a_null_map', map(59, 'string', 60, 'int')), [null, new Map([['k', 1]])]],
];

const nanos = [0n, 1_767_225_600_123_456_789n, -1n, null];

/** Types for which some engines refuse the whole table, so each is in a table of its own. */
const lonely: readonly (readonly [Column, formatVersion: 2 | 3])[] = [
  [['time', optional(2, 'a_time', 'time'), [0n, DAY_MICROS - 1n, 43_200_000_001n, null]], 2],
  [['timestamp_ns (v3)', optional(2, 'a_nano', 'timestamp_ns'), nanos], 3],
  [['timestamptz_ns (v3)', optional(2, 'a_nanotz', 'timestamptz_ns'), nanos], 3],
];

async function typesTable(
  context: Context,
  name: string,
  columns: readonly Column[],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<CertifiedTable> {
  const dataset = await openDataset(context, name, settings);
  const shape = schema(required(1, 'seq', 'long'), ...columns.map(([, field]) => field));
  const length = Math.max(...columns.map(([, , values]) => values.length));
  // Two segments, one after the other.
  for (const segment of [0, 1]) {
    await dataset.ship(
      shape,
      Array.from({ length }, (_, row) => ({
        seq: BigInt(segment * length + row),
        ...Object.fromEntries(
          columns.map(([, { name: column }, values]) => [column, valueAt(values, row + segment)]),
        ),
      })),
    );
  }
  const features = columns.map(([feature, { name: column }]) => ({ feature, columns: [column] }));
  return certified(dataset, name, { features });
}

/** Repeats the values, so that a nested column without nulls gets none. */
function valueAt(values: readonly Value[], row: number): Value {
  return values[row % values.length] ?? null;
}

export const types: Section = {
  name: 'types',
  title: 'Types and values',
  short: true,
  async *run(context) {
    const tables = [
      await typesTable(context, 'types', primitives),
      await typesTable(context, 'nested', nested),
    ];
    for (const [index, [column, format_version]] of lonely.entries()) {
      tables.push(await typesTable(context, `lonely_${index + 1}`, [column], { format_version }));
    }
    yield* certifyTables(context, tables);
  },
};
