import { join } from 'node:path';
import { optional, required, schema } from '../../local/shipper/schema-notation.ts';
import type { Row } from '../../test/integration/readers/canonical.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import { startProgram } from '../../test/soak/python.ts';
import { type Dataset, openDataset } from '../dataset.ts';
import type { Engine } from '../engines/engine.ts';
import type { Context, Section } from '../section.ts';
import { type CertifiedTable, certified, certifyTables } from './certified-table.ts';

const shape = schema(required(1, 'seq', 'long'), optional(2, 'name', 'string'));
const ROWS = 6;

/** Every commit that may merges manifests, with delete manifests before and after them in the list. */
const settings = { table_properties: { 'commit.manifest.min-count-to-merge': '2' } };

async function shipFrom(dataset: Dataset, first: number): Promise<void> {
  await dataset.ship(
    shape,
    Array.from({ length: ROWS }, (_, index) => ({
      seq: BigInt(first + index),
      name: `row ${first + index}`,
    })),
  );
}

/** Segments, deletes by another writer, and more segments: deletes must apply to earlier segments only. */
async function deletedFrom(
  context: Context,
  feature: string,
  settingsOf: Readonly<Record<string, unknown>>,
  remove: (dataset: Dataset) => Promise<readonly number[]>,
): Promise<CertifiedTable> {
  const dataset = await openDataset(context, 'deletes', settingsOf);
  await shipFrom(dataset, 0);
  await shipFrom(dataset, 10);
  const removed = new Set((await remove(dataset)).map(String));
  await shipFrom(dataset, 20);
  await shipFrom(dataset, 30);
  const keeps = ({ seq }: Row) => !removed.has(String(seq));
  return certified(dataset, feature, { keeps });
}

const someRows = [1, 3, 14, 15] as const;

function bySql(engine: Engine, mergeOnRead: boolean) {
  return async ({ table }: Dataset) => {
    if (mergeOnRead) {
      await engine.execute?.(
        table,
        "ALTER TABLE {table} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')",
      );
    }
    await engine.execute?.(table, `DELETE FROM {table} WHERE seq IN (${someRows.join(', ')})`);
    return someRows;
  };
}

async function byEquality(context: Context, { table }: Dataset): Promise<readonly number[]> {
  const program = startProgram(
    join(installedFolder, 'readers/bin/python'),
    [join(import.meta.dirname, '../engines/programs/equality_deletes.py')],
    { PYTHONPATH: join(import.meta.dirname, '../../test/integration/readers') },
    context.log,
  );
  // Row 25 comes after the delete, so it must remain.
  await program
    .ask({ ...table, catalog: context.catalog, column: 'seq', values: [...someRows, 25] })
    .finally(() => program.stop());
  return someRows;
}

export const deletes: Section = {
  name: 'deletes',
  title: 'Deletes that others made, before manifests were merged',
  short: true,
  async *run(context) {
    const tables: CertifiedTable[] = [
      await deletedFrom(context, 'equality deletes', settings, (dataset) => byEquality(context, dataset)),
      await deletedFrom(context, 'rows deleted by PyIceberg: files rewritten', settings, async (dataset) => {
        await dataset.foreign({ do: 'delete', filter: `seq in (${someRows.join(', ')})` });
        return someRows;
      }),
    ];
    const named = (name: string) => context.engines.find((engine) => engine.name === name);
    const [duckDb, spark, trino] = [named('DuckDB'), named('Spark'), named('Trino')];
    if (duckDb !== undefined) {
      tables.push(await deletedFrom(context, 'position deletes by DuckDB', settings, bySql(duckDb, false)));
    }
    if (spark !== undefined) {
      const v3 = { ...settings, format_version: 3 };
      tables.push(
        await deletedFrom(context, 'position deletes by Spark', settings, bySql(spark, true)),
        await deletedFrom(context, 'deletion vectors by Spark (v3)', v3, bySql(spark, true)),
      );
    }
    if (trino !== undefined) {
      tables.push(await deletedFrom(context, 'position deletes by Trino', settings, bySql(trino, false)));
    }
    yield* certifyTables(context, tables);
  },
};
