import fc from 'fast-check';
import type { NestedField, Schema } from '../../lib/spec/schema.ts';
import type { Row as ShippedRow } from '../../local/shipper/dataset.ts';
import { list, map, optional, required, schema, struct } from '../../local/shipper/schema-notation.ts';
import { rowsOf } from '../../test/integration/differential/rows.ts';
import { canonicalRow } from '../../test/integration/readers/canonical.ts';
import type { ForeignStep } from '../../test/integration/readers/foreign-writer.ts';
import { parquetWithoutIds, underIdsOf } from '../../test/integration/schema/without-ids.ts';
import { lineage, steps } from '../../test/schema/lineage.ts';
import { type Dataset, openDataset } from '../dataset.ts';
import type { Context, Section } from '../section.ts';
import { type CertifiedTable, certified, certifyTables } from './certified-table.ts';

/** The steps of a dataset in order: a segment under a schema, or a change that another writer makes to the table. */
type Event = readonly [Schema, ...ShippedRow[]] | ForeignStep;

interface Story {
  readonly feature: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly events: readonly Event[];
}

const seq = required(1, 'seq', 'long');
const of = (...fields: readonly NestedField[]) => schema(seq, ...fields);
const plain = of(optional(2, 'a', 'int'));

const stories: readonly Story[] = [
  {
    feature: 'column added',
    events: [
      [plain, { seq: 1n, a: 1 }],
      [of(optional(2, 'a', 'int'), optional(3, 'b', 'string')), { seq: 2n, a: 2, b: 'ü' }],
      [plain, { seq: 3n, a: 3 }],
    ],
  },
  {
    feature: 'columns of every kind added',
    events: [
      [plain, { seq: 1n, a: 1 }],
      [
        of(
          optional(2, 'a', 'int'),
          optional(3, 'd', 'decimal(38,10)'),
          optional(4, 't', 'timestamptz'),
          optional(5, 'u', 'uuid'),
          optional(6, 'b', 'binary'),
          optional(7, 'day', 'date'),
          optional(8, 'flag', 'boolean'),
        ),
        {
          seq: 2n,
          a: 2,
          d: 1n,
          t: 1n,
          u: new Uint8Array(16).fill(7),
          b: Uint8Array.of(1),
          day: 1,
          flag: true,
        },
      ],
    ],
  },
  {
    feature: 'struct, list and map added',
    events: [
      [plain, { seq: 1n, a: 1 }],
      [
        of(
          optional(2, 'a', 'int'),
          optional(3, 's', struct(optional(4, 'x', 'int'))),
          optional(5, 'l', list(6, 'string')),
          optional(7, 'm', map(8, 'string', 9, 'int')),
        ),
        { seq: 2n, a: 2, s: { x: 1 }, l: ['a'], m: new Map([['k', 1]]) },
      ],
    ],
  },
  {
    feature: 'column renamed',
    events: [
      [plain, { seq: 1n, a: 1 }],
      [of(optional(2, 'b', 'int')), { seq: 2n, b: 2 }],
    ],
  },
  {
    feature: 'names swapped',
    settings: { field_ids: 'stable' },
    events: [
      [of(optional(2, 'a', 'int'), optional(3, 'b', 'int')), { seq: 1n, a: 1, b: 2 }],
      [of(optional(2, 'b', 'int'), optional(3, 'a', 'int')), { seq: 2n, b: 1, a: 2 }],
    ],
  },
  {
    feature: 'int promoted to long',
    events: [
      [plain, { seq: 1n, a: -(2 ** 31) }],
      [of(optional(2, 'a', 'long')), { seq: 2n, a: 2n ** 40n }],
      [plain, { seq: 3n, a: 7 }],
    ],
  },
  {
    feature: 'float promoted to double',
    events: [
      [of(optional(2, 'a', 'float')), { seq: 1n, a: 1.5 }, { seq: 2n, a: Number.NaN }],
      [of(optional(2, 'a', 'double')), { seq: 3n, a: 1e300 }],
    ],
  },
  {
    feature: 'decimal widened',
    events: [
      [of(optional(2, 'a', 'decimal(9,2)')), { seq: 1n, a: -1n }],
      [of(optional(2, 'a', 'decimal(18,2)')), { seq: 2n, a: 10n ** 17n }],
      [of(optional(2, 'a', 'decimal(38,2)')), { seq: 3n, a: -(10n ** 37n) }],
    ],
  },
  {
    feature: 'required column made optional',
    events: [
      [of(required(2, 'a', 'int')), { seq: 1n, a: 1 }],
      [plain, { seq: 2n, a: null }],
    ],
  },
  {
    feature: 'column absent from later segments',
    events: [
      [of(optional(2, 'a', 'int'), optional(3, 'b', 'string')), { seq: 1n, a: 1, b: 'x' }],
      [plain, { seq: 2n, a: 2 }],
    ],
  },
  {
    feature: 'column dropped by SQL',
    events: [
      [of(optional(2, 'a', 'int'), optional(3, 'b', 'string')), { seq: 1n, a: 1, b: 'x' }],
      { do: 'drop_column', column: 'b' },
      [of(optional(2, 'a', 'int'), optional(3, 'b', 'string')), { seq: 2n, a: 2, b: 'y' }],
    ],
  },
  {
    feature: 'column dropped by SQL, its name used again',
    events: [
      [of(optional(2, 'a', 'int'), optional(3, 'b', 'int')), { seq: 1n, a: 1, b: 1 }],
      { do: 'drop_column', column: 'b' },
      [of(optional(2, 'a', 'int'), optional(4, 'b', 'string')), { seq: 2n, a: 2, b: 'new' }],
    ],
  },
  {
    feature: 'column renamed by SQL',
    events: [
      [plain, { seq: 1n, a: 1 }],
      { do: 'rename_column', column: 'a', to: 'theirs' },
      [plain, { seq: 2n, a: 2 }],
    ],
  },
  {
    feature: 'column added by SQL',
    events: [
      [plain, { seq: 1n, a: 1 }],
      { do: 'add_column', column: 'theirs', type: 'string' },
      [plain, { seq: 2n, a: 2 }],
    ],
  },
  {
    feature: 'columns in another order',
    events: [
      [of(optional(2, 'a', 'int'), optional(3, 'b', 'string')), { seq: 1n, a: 1, b: 'x' }],
      [schema(optional(3, 'b', 'string'), optional(2, 'a', 'int'), seq), { seq: 2n, a: 2, b: 'y' }],
    ],
  },
  {
    feature: 'struct field added, renamed, promoted',
    events: [
      [
        of(optional(2, 's', struct(optional(3, 'x', 'int'), optional(4, 'y', 'string')))),
        { seq: 1n, s: { x: 1, y: 'a' } },
      ],
      [
        of(
          optional(
            2,
            's',
            struct(optional(3, 'x', 'long'), optional(4, 'why', 'string'), optional(5, 'z', 'date')),
          ),
        ),
        { seq: 2n, s: { x: 2n ** 40n, why: 'b', z: 1 } },
      ],
    ],
  },
  {
    feature: 'list elements and map values evolved',
    events: [
      [
        of(
          optional(2, 'l', list(3, struct(optional(4, 'x', 'int')))),
          optional(5, 'm', map(6, 'string', 7, 'float')),
        ),
        { seq: 1n, l: [{ x: 1 }], m: new Map([['k', 1.5]]) },
      ],
      [
        of(
          optional(2, 'l', list(3, struct(optional(4, 'x', 'long'), optional(8, 'y', 'string')))),
          optional(5, 'm', map(6, 'string', 7, 'double')),
        ),
        { seq: 2n, l: [{ x: 2n ** 40n, y: 'z' }], m: new Map([['k', 1e300]]) },
      ],
    ],
  },
  {
    feature: 'names that need quotes',
    events: [
      [
        of(optional(2, 'süd–region 1', 'string'), optional(3, 'a.b', 'int'), optional(4, 'select', 'int')),
        { seq: 1n, 'süd–region 1': 'x', 'a.b': 1, select: 2 },
      ],
      [
        of(optional(2, 'süd–region 1', 'string'), optional(3, 'a.b', 'int'), optional(4, 'select', 'int')),
        { seq: 2n, 'süd–region 1': 'y', 'a.b': 3, select: 4 },
      ],
    ],
  },
];

async function tell(
  context: Context,
  { feature, settings, events }: Story,
  name: string,
): Promise<CertifiedTable> {
  const dataset = await openDataset(context, name, settings);
  for (const event of events) {
    if ('do' in event) await dataset.foreign(event);
    else await dataset.ship(event[0], event.slice(1) as readonly ShippedRow[]);
  }
  return certified(dataset, feature);
}

/** Segments without field IDs, whose columns are resolved by name. */
async function byName(context: Context): Promise<readonly CertifiedTable[]> {
  const nested = (...more: readonly NestedField[]) =>
    of(
      optional(2, 's', struct(optional(3, 'x', 'int'))),
      optional(4, 'l', list(5, 'string')),
      optional(6, 'm', map(7, 'string', 8, 'int')),
      ...more,
    );
  const values = { s: { x: 1 }, l: ['a', null], m: new Map([['k', 1]]) };
  const flat = [
    [
      plain,
      [
        { seq: 1n, a: 1 },
        { seq: 2n, a: null },
      ],
    ],
    [of(optional(2, 'a', 'long'), optional(3, 'b', 'string')), [{ seq: 3n, a: 2n ** 40n, b: 'ü' }]],
  ] as const;
  const deep = [
    [nested(), [{ seq: 1n, ...values }]],
    [nested(optional(9, 'note', 'string')), [{ seq: 2n, ...values, note: 'x' }]],
  ] as const;
  return [
    await withoutIds(context, 'by_name', 'no field IDs: added, promoted', flat),
    await withoutIds(context, 'by_name_nested', 'no field IDs: nested columns', deep),
  ];
}

async function withoutIds(
  context: Context,
  name: string,
  feature: string,
  segments: readonly (readonly [Schema, readonly ShippedRow[]])[],
): Promise<CertifiedTable> {
  const dataset = await openDataset(context, name, { field_ids: 'by_name' });
  for (const [shape, rows] of segments) {
    await dataset.shipBytes(
      parquetWithoutIds(shape, rows),
      shape,
      rows.map((row) => canonicalRow(shape, row)),
    );
  }
  return certified(await underTableIds(dataset), feature);
}

/** The shipped rows under the IDs that the table assigned to its columns. */
async function underTableIds(dataset: Dataset): Promise<Dataset> {
  const { currentSchema } = await dataset.state();
  const shipped = dataset.shipped.map(({ schema: shape, rows }) => ({
    schema: underIdsOf(currentSchema, shape),
    rows,
  }));
  return { ...dataset, shipped };
}

const RANDOM_DATASETS = 8;

/** Datasets with random steps, all of them changes that the rules follow, and random values. */
async function random(context: Context): Promise<readonly CertifiedTable[]> {
  const seed = [...context.seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7);
  const tables: CertifiedTable[] = [];
  for (const [index, changes] of fc.sample(steps, { numRuns: RANDOM_DATASETS, seed }).entries()) {
    const dataset = await openDataset(context, `random_${index + 1}`);
    let next = 0n;
    for (const [version, shape] of lineage(changes).entries()) {
      const keyed = schema(required(5000, 'seq', 'long'), ...shape.fields);
      const [rows = []] = fc.sample(rowsOf(shape), { numRuns: 1, seed: seed + 100 * index + version });
      const numbered = rows.map((row) => ({ ...row, seq: next++ }));
      await dataset.ship(keyed, numbered);
    }
    tables.push(await certified(dataset, `random evolution ${index + 1}, ${changes.length} steps`));
  }
  return tables;
}

export const evolution: Section = {
  name: 'evolution',
  title: 'Evolution: values of old and new segments',
  short: true,
  async *run(context) {
    const tables: CertifiedTable[] = [];
    for (const [index, story] of stories.entries())
      tables.push(await tell(context, story, `story_${index + 1}`));
    yield* certifyTables(context, [...tables, ...(await byName(context)), ...(await random(context))]);
  },
};
