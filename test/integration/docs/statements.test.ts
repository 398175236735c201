import { expect, test } from 'vitest';
import type { EngineName } from '../../../certify/engines/engine.ts';
import { optional, schema, struct } from '../../../local/shipper/schema-notation.ts';
import { fences } from '../../docs/fences.ts';
import { enginesOn } from '../engines.ts';
import { type Lake, openLake } from '../schema/lake.ts';
import { describeWith } from '../services/describe-with.ts';

interface Statement {
  readonly page: string;
  readonly engine: EngineName;
  readonly sql: string;
}

/** Statements of the pages; `-- Spark` stands above those of an engine, and DuckDB alone has COPY. */
const statements = fences
  .filter(({ language }) => language === 'sql')
  .flatMap(({ page, text }): readonly Statement[] => {
    let engine: EngineName = 'Spark';
    return text.split(/;\s*$/m).flatMap((part) => {
      const named = /^-- (Spark|Trino)$/m.exec(part)?.[1];
      if (named !== undefined) engine = named as EngineName;
      const sql = part.replaceAll(/--.*$/gm, '').trim();
      return sql === '' ? [] : [{ page, engine: sql.startsWith('COPY') ? 'DuckDB' : engine, sql }];
    });
  });

/** Trino needs Java 25 and its time to start: `TEST_ENGINES=Trino` asks for it. */
const engineNames = [...new Set<EngineName>(['Spark', 'DuckDB', ...asked()])];

function asked(): readonly EngineName[] {
  return (process.env['TEST_ENGINES']?.split(',') ?? []) as EngineName[];
}

const dataset = schema(optional(1, 'id', 'long'), optional(2, 'day', 'date'));

describeWith(
  'the SQL of the documentation',
  ['seaweedfsCatalog'],
  ({ seaweedfsCatalog: catalog }) => {
    const engines = enginesOn(catalog, engineNames);

    /** Runs a statement on a table in place of the documentation's. */
    async function run(lake: Lake, { engine, sql }: Statement): Promise<void> {
      const [namespace = ''] = lake.table.namespace;
      const { location, metadataLocation = '' } = await lake.state();
      const onLake = sql
        .replaceAll("'analytics", `'${namespace}`)
        .replaceAll(/lake\.(analytics\.)?orders/g, '{table}')
        .replaceAll('s3://my-bucket/lake/thadam/v1/edge/orders', location)
        .replaceAll('s3://my-bucket/…/metadata/00042-….metadata.json', metadataLocation)
        .replaceAll('s3://my-bucket/…/orders', location)
        .replaceAll('s3://lake/in/orders', `${lake.url}/exported`)
        // Spark's catalog has another name here.
        .replaceAll('lake.system', engine === 'Spark' ? 'ice.system' : 'lake.system');
      if (sql.includes('register_table')) await execute('Spark', lake, 'DROP TABLE {table}');
      await execute(engine, lake, onLake);
    }
    const execute = async (engine: EngineName, { table }: Lake, sql: string) => {
      try {
        await engines.get(engine)?.execute?.(table, sql);
      } catch (error) {
        throw new Error(`${engine} does not run ${sql}: ${(error as Error).message}`);
      }
    };
    const statementsOf = (page: string) =>
      statements.filter((statement) => statement.page === page && engines.has(statement.engine));

    test('docs/maintenance.md: every statement runs, and leaves every row', async () => {
      const lake = await openLake(catalog);
      for (const id of [1n, 2n, 3n]) await lake.ship(dataset, [{ id, day: 20_000 }]);
      for (const statement of statementsOf('docs/maintenance.md')) await run(lake, statement);
      await lake.expectRows(dataset);
    });

    test('docs/maintenance.md: a DELETE by range takes rows with NaN too, unless it excludes them', async () => {
      const priced = schema(optional(1, 'id', 'long'), optional(2, 'price', 'double'));
      const rows = [
        { id: 1n, price: 5 },
        { id: 2n, price: Number.NaN },
      ];
      const left = async (condition: string) => {
        const lake = await openLake(catalog);
        await lake.ship(priced, rows);
        await execute('Spark', lake, `DELETE FROM {table} WHERE ${condition}`);
        const kept = await engines.get('Spark')?.rows(lake.table);
        return kept?.map(({ id }) => id);
      };
      expect(await left('price < 10 AND NOT isnan(price)')).toEqual(['2']);
      expect(await left('price < 10')).toEqual([]);
    });

    test('docs/exactly-once.md: the table keeps its snapshots for as long as said', async () => {
      const lake = await openLake(catalog);
      await lake.ship(dataset, [{ id: 1n, day: 20_000 }]);
      for (const statement of statementsOf('docs/exactly-once.md')) await run(lake, statement);
      expect((await lake.state()).properties).toMatchObject({
        'history.expire.max-snapshot-age-ms': String(15 * 86_400_000),
        'history.expire.min-snapshots-to-keep': '1',
      });
    });

    test('docs/shippers.md: the view of changes has the newest row of each key, deleted ones left out', async () => {
      const row = struct(optional(6, 'id', 'long'), optional(7, 'name', 'string'));
      const before = struct(optional(8, 'id', 'long'), optional(9, 'name', 'string'));
      const changes = schema(
        ...[optional(1, 'before', before), optional(2, 'after', row), optional(4, 'op', 'string')],
        optional(3, 'source', struct(optional(10, 'lsn', 'long'))),
      );
      const change = (lsn: bigint, op: string, id: bigint, name: string | null) => {
        const it = { id, name };
        return { source: { lsn }, op, before: op === 'c' ? null : it, after: op === 'd' ? null : it };
      };
      const lake = await openLake(catalog);
      await lake.ship(changes, [change(1n, 'c', 1n, 'a'), change(2n, 'c', 2n, 'b')]);
      await lake.ship(changes, [change(3n, 'u', 1n, 'c'), change(4n, 'd', 2n, 'b')]);
      const view = statementsOf('docs/shippers.md').filter(({ engine }) => engine === 'Spark');
      expect(view).toHaveLength(1);
      for (const { sql, ...rest } of view)
        await run(lake, { ...rest, sql: `CREATE TABLE ice.${lake.table.namespace}.newest AS ${sql}` });
      const rows = await engines.get('Spark')?.rows({ ...lake.table, name: 'newest' });
      expect(rows).toEqual([{ id: '1', name: 'c' }]);
    });

    test('docs/shippers.md: DuckDB exports under new names, partition columns kept in the files', async () => {
      const lake = await openLake(catalog);
      await lake.ship(dataset, [{ id: 1n, day: 20_000 }]);
      await execute('DuckDB', lake, 'CREATE OR REPLACE TABLE orders AS SELECT * FROM {table}');
      const exports = statementsOf('docs/shippers.md').filter(({ engine }) => engine === 'DuckDB');
      expect(exports).toHaveLength(1);
      for (const statement of exports) await run(lake, statement);
      await execute(
        'DuckDB',
        lake,
        `SELECT id, day FROM read_parquet('${lake.url}/exported/day=*/export_*.parquet', hive_partitioning = false)`,
      );
    });
  },
  { timeout: 400_000 },
);
