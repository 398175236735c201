import { join } from 'node:path';
import { s3Store } from '../../lib/drivers/s3.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import { storeSettings } from '../../test/integration/services/settings.ts';
import { startProgram } from '../../test/soak/python.ts';
import type { Cell } from '../cell.ts';
import type { Dataset } from '../dataset.ts';
import type { Engine } from '../engines/engine.ts';
import type { Context, Section } from '../section.ts';
import { cellOf } from '../tables/certified-table.ts';
import { fastAppendCell } from './fast-append.ts';
import { type JavaTable, type MetadataTables, startJava } from './java.ts';
import { mergesCell } from './merges.ts';
import { differentRows, metadataTables } from './metadata-tables.ts';
import { mirror } from './mirror.ts';
import { type WrittenTable, writeTables } from './tables.ts';

const JAVA = 'Iceberg for Java 1.12.0';

/** An engine that shows the metadata tables of a table. */
interface Inspector {
  readonly name: string;
  /** The number of tables per feature that it reads: Spark takes seconds for each. */
  readonly mostTables: number;
  readonly inspect: (dataset: Dataset) => Promise<MetadataTables>;
}

interface JavaRead extends WrittenTable {
  readonly java: JavaTable;
}

export const manifests: Section = {
  name: 'manifests',
  title: 'Manifests under the strictest readers',
  short: false,
  async *run(context) {
    const folder = join(context.scratch, 'mirror');
    const store = s3Store(storeSettings(context.catalog.store));
    const java = await startJava(context, folder);
    const inspectors = [pyIceberg(context), ...spark(context.engines)];

    for await (const { feature, tables, merges } of writeTables(context)) {
      const read: JavaRead[] = [];
      for (const table of tables) {
        const { metadataLocation = '' } = await table.dataset.state();
        await mirror(store, `${table.dataset.url}/`, folder);
        read.push({ ...table, java: await java(metadataLocation) });
      }
      yield await javaCell(feature, read);
      const javaTables = read.map((table) => table.java);
      if (merges) yield mergesCell(`${feature}: entries as they were before`, JAVA, javaTables);
      const appends = read.map(({ name, java: { appends } }) => ({ name, appends }));
      yield fastAppendCell(`${feature}: as FastAppend writes it`, JAVA, appends);
      for (const inspector of inspectors) yield await inspectCell(feature, inspector, read);
      for (const [engine, reason] of context.notRun) {
        if (engine === 'Spark') {
          yield { feature: metadataFeature(feature), engine, outcome: 'not-run', detail: reason };
        }
      }
    }
  },
};

const metadataFeature = (feature: string) => `${feature}: metadata tables`;

/** Compares the files that Java's own readers find with the registrar's state and summaries. */
async function javaCell(feature: string, tables: readonly JavaRead[]): Promise<Cell> {
  const lines: string[] = [];
  let files = 0;
  for (const { name, dataset, java } of tables) {
    const state = await dataset.state();
    const head = state.snapshots.get(state.refs['main']?.snapshotId ?? 0n);
    const expected = {
      files: head?.summary['total-data-files'],
      records: head?.summary['total-records'],
      snapshots: String(state.snapshots.size),
    };
    const records = java.read.reduce((sum, file) => sum + Number(file['recordCount']), 0);
    const found = {
      files: String(java.read.length),
      records: String(records),
      snapshots: String(java.tables['snapshots']?.length),
    };
    if (JSON.stringify(expected) !== JSON.stringify(found)) {
      lines.push(`${name}: ${JSON.stringify(found)} for ${JSON.stringify(expected)}`);
    }
    for (const file of java.read) {
      if (state.formatVersion > 1 && !(Number(file['dataSequenceNumber']) > 0))
        lines.push(`${name}: ${file['path']} has no sequence number`);
      if (state.formatVersion > 2 && file['firstRowId'] === null)
        lines.push(`${name}: ${file['path']} has no first row ID`);
    }
    files += java.read.length;
  }
  return cellOf(
    JAVA,
    `${feature}: ManifestReader, ${metadataTables.join(', ')}`,
    lines,
    `${files} data files`,
  );
}

/** Compares another engine's metadata tables with Java's. */
async function inspectCell(
  feature: string,
  { name: engine, mostTables, inspect }: Inspector,
  tables: readonly JavaRead[],
): Promise<Cell> {
  const lines: string[] = [];
  let rows = 0;
  for (const { name, dataset, java } of tables.slice(0, mostTables)) {
    try {
      const found = await inspect(dataset);
      rows += Object.values(found).reduce((sum, list) => sum + list.length, 0);
      lines.push(...differentRows(java.tables, found).map((line) => `${name}: ${line}`));
    } catch (error) {
      lines.push(`${name}: error: ${(error as Error).message.trim().split('\n').at(-1)}`);
    }
  }
  return cellOf(engine, metadataFeature(feature), lines, `${rows} rows`);
}

function pyIceberg({ catalog, log, onClose }: Context): Inspector {
  const program = startProgram(
    join(installedFolder, 'readers/bin/python'),
    [join(import.meta.dirname, 'metadata_tables.py')],
    { PYTHONPATH: join(import.meta.dirname, '../../test/integration/readers') },
    log,
  );
  onClose(() => program.stop());
  return {
    name: 'PyIceberg',
    mostTables: Infinity,
    inspect: async ({ table }) => (await program.ask({ catalog, ...table })) as MetadataTables,
  };
}

/** Spark addresses a metadata table as a table below the table. */
function spark(engines: readonly Engine[]): readonly Inspector[] {
  return engines
    .filter(({ name }) => name === 'Spark')
    .map(({ name: engine, rows }) => ({
      name: engine,
      mostTables: 6,
      inspect: async ({ table }) => {
        const found: Record<string, MetadataTables[string]> = {};
        for (const name of metadataTables)
          found[name] = await rows({ namespace: [...table.namespace, table.name], name });
        return found;
      },
    }));
}
