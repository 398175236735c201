import type { PrimitiveType } from '../../lib/spec/schema.ts';
import type { Row as ShippedRow, Value } from '../../local/shipper/dataset.ts';
import { optional, required, schema } from '../../local/shipper/schema-notation.ts';
import { type Canonical, canonicalRow, type Row } from '../../test/integration/readers/canonical.ts';
import type { Cell } from '../cell.ts';
import { differences } from '../compare.ts';
import { type Dataset, openDataset } from '../dataset.ts';
import type { Engine } from '../engines/engine.ts';
import { fulfils } from '../evaluate.ts';
import type { Predicate } from '../predicate.ts';
import type { Context, Section } from '../section.ts';
import { cellOf, certified, certifyTables } from './certified-table.ts';
import { valueAt } from './ranks.ts';

/** Each transform, with the source types that it partitions. */
const transforms: readonly (readonly [transform: string, ...types: PrimitiveType[]])[] = [
  [
    'identity',
    'boolean',
    'int',
    'long',
    'decimal(9,2)',
    'decimal(38,10)',
    'date',
    'timestamp',
    'timestamptz',
  ],
  ['identity', 'string', 'uuid', 'binary'],
  [
    'bucket[4]',
    'int',
    'long',
    'decimal(18,4)',
    'date',
    'timestamp',
    'timestamptz',
    'string',
    'uuid',
    'binary',
  ],
  ['truncate[1000]', 'int', 'long', 'decimal(9,2)'],
  ['truncate[4]', 'string'],
  ['truncate[1]', 'binary'],
  ['year', 'date', 'timestamp', 'timestamptz'],
  ['month', 'date', 'timestamp', 'timestamptz'],
  ['day', 'date', 'timestamp', 'timestamptz'],
  ['hour', 'timestamp', 'timestamptz'],
  ['void', 'int'],
];

/** Each of these ranks is one file in its own partition; the last file has only nulls. */
const RANKS = [0, 40, 79, 81, 130];
const FILES = RANKS.length + 1;

/** Writers truncate the statistics of long values, but a partition value must be exact. */
function shortValueAt(type: PrimitiveType, rank: number): Value {
  if (type === 'string') return `ö-${String(rank).padStart(3, '0')}`;
  return type === 'binary' ? Uint8Array.of(rank, 255, 0) : valueAt(type, rank);
}

interface Partitioned {
  readonly feature: string;
  readonly dataset: Dataset;
  readonly files: readonly (readonly Row[])[];
  readonly predicates: readonly Predicate[];
}

/** Without column metrics, an engine can prune by partition only. */
async function partitioned(context: Context, transform: string, type: PrimitiveType): Promise<Partitioned> {
  const field =
    transform === 'identity'
      ? 'v'
      : transform.replace(
          /^(\w+)(?:\[(\d+)\])?$/,
          (_, name, width) => `${name}${width ? `[${width}]` : ''}(v)`,
        );
  const shape = schema(required(1, 'seq', 'long'), optional(2, 'v', type));
  const properties = { 'write.metadata.metrics.default': 'none' };
  const isVoid = transform === 'void';
  const dataset = await openDataset(context, 'partitioned', {
    table_properties: properties,
    ...(!isVoid && { partition_by: [field] }),
  });
  if (isVoid) {
    // No table is created like this, but another writer may leave one in this state.
    await dataset.foreign({ do: 'create', schema: shape, properties });
    await dataset.foreign({ do: 'partition_by', column: 'v', transform, name: 'v_void' });
  }
  const values = [...RANKS.map((rank) => shortValueAt(type, rank)), null];
  const segments = values.map((v, index): readonly ShippedRow[] => [
    { seq: BigInt(2 * index), v },
    { seq: BigInt(2 * index + 1), v },
  ]);
  await dataset.shipMany(shape, segments);
  const files = segments.map((rows) => rows.map((row) => canonicalRow(shape, row)));
  const at = (index: number): Canonical => files[index]?.[0]?.['v'] ?? null;
  const column = { column: 'v', type } as const;
  const ordered = type !== 'boolean';
  return {
    feature: `${transform} of ${type}`,
    dataset,
    files,
    predicates: [
      { ...column, op: '=', value: at(1) },
      { ...column, op: 'in', values: [at(0), at(4)] },
      { ...column, op: 'is null' },
      ...(ordered
        ? [{ ...column, op: '<', value: at(3) } as const, { ...column, op: '>=', value: at(2) } as const]
        : []),
    ],
  };
}

async function certifyPartitioned(engine: Engine, table: Partitioned): Promise<Cell> {
  const { feature, dataset, files, predicates } = table;
  const shape = schema(required(1, 'seq', 'long'), optional(2, 'v', predicates[0]?.type ?? 'int'));
  const binary = predicates[0]?.type === 'binary' ? ['v'] : [];
  const lines: string[] = [];
  const read = async (where?: Predicate) => {
    const expected = files.flat().filter((row) => where === undefined || fulfils(row, where));
    const what = where === undefined ? '' : `${where.op}: `;
    try {
      const rows = await engine.rows(dataset.table, { binary, ...(where && { where }) });
      lines.push(...differences(shape, expected, rows, ['v']).map((line) => `${what}${line}`));
    } catch (error) {
      lines.push(`${what}error: ${(error as Error).message}`);
    }
  };
  await read();
  const asked = predicates.filter((_, index) => index % (engine.askedOf ?? 1) === 0);
  for (const predicate of asked) await read(predicate);
  let planned = '';
  if (engine.plannedFiles !== undefined && lines.length === 0) {
    let [sum, least] = [0, 0];
    for (const predicate of predicates) {
      const count = await engine.plannedFiles(dataset.table, predicate);
      const needed = files.filter((rows) => rows.some((row) => fulfils(row, predicate))).length;
      if (count < needed) lines.push(`${predicate.op}: ${count} files are planned, ${needed} hold rows`);
      sum += count;
      least += needed;
    }
    planned = `; ${sum} of ${FILES * predicates.length} files planned, ${least} hold rows`;
    const prunes = !feature.startsWith('void');
    if (prunes && sum === FILES * predicates.length) lines.push('no file is skipped by its partition');
  }
  return cellOf(engine.name, feature, lines, `${asked.length} predicates${planned}`);
}

/** Another writer changes the partition spec, and the dataset promotes and renames the source column. */
async function evolved(context: Context): Promise<Dataset> {
  const first = schema(required(1, 'seq', 'long'), optional(2, 'id', 'int'), optional(3, 'region', 'string'));
  const later = schema(
    required(1, 'seq', 'long'),
    optional(2, 'ident', 'long'),
    optional(3, 'area', 'string'),
  );
  const dataset = await openDataset(context, 'specs', { partition_by: ['region'] });
  await dataset.ship(first, [{ seq: 1n, id: 34, region: 'eu' }]);
  await dataset.foreign({ do: 'partition_by', column: 'id', transform: 'bucket[8]', name: 'id_bucket' });
  await dataset.ship(first, [{ seq: 2n, id: 34, region: 'us' }]);
  await dataset.ship(later, [{ seq: 3n, ident: 2n ** 40n, area: 'süd' }]);
  return dataset;
}

export const partitions: Section = {
  name: 'partitions',
  title: 'Partitioned tables: every transform, pruned by partition alone',
  short: true,
  async *run(context) {
    const { engines, notRun } = context;
    const tables: Partitioned[] = [];
    for (const [transform, ...types] of transforms) {
      for (const type of types) tables.push(await partitioned(context, transform, type));
    }
    for (const [engine, detail] of notRun) {
      for (const { feature } of tables) yield { feature, engine, outcome: 'not-run', detail };
    }
    const cells = await Promise.all(
      engines.map(async (engine) => {
        const found: Cell[] = [];
        for (const table of tables) found.push(await certifyPartitioned(engine, table));
        return found;
      }),
    );
    yield* cells.flat();
    yield* certifyTables(context, [
      await certified(await evolved(context), 'several specs, the source promoted and renamed'),
    ]);
  },
};
