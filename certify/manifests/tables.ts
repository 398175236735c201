import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { columnsOf } from '../../lib/schema/columns.ts';
import { partitionSpec } from '../../lib/schema/partition-by.ts';
import { acceptanceCorpus as corpus } from '../../test/acceptance-corpus.ts';
import { type Dataset, openDataset } from '../dataset.ts';
import type { Context } from '../section.ts';
import { columns, everyTransform, evolved, rowsOf } from './rows.ts';

/** Tables that show one feature. */
export interface WrittenTables {
  readonly feature: string;
  readonly tables: readonly WrittenTable[];
  /** Whether manifests were merged. */
  readonly merges?: boolean;
}

export interface WrittenTable {
  /** Its name in messages. */
  readonly name: string;
  readonly dataset: Dataset;
}

const tests = join(import.meta.dirname, '../../test');

/** Writes the tables of each feature through the registrar. */
export async function* writeTables(context: Context): AsyncGenerator<WrittenTables> {
  for (const version of [1, 2, 3] as const) {
    for (const partition_by of [[], everyTransform]) {
      const name = `v${version}${partition_by.length > 0 ? ', partitioned by every transform' : ''}`;
      const dataset = await openDataset(context, 't', {
        partition_by,
        format_version: version === 1 ? 2 : version,
      });
      if (version === 1) await createV1(context, dataset, partition_by);
      await dataset.ship(columns, rowsOf(1));
      await dataset.shipMany(columns, [rowsOf(2), rowsOf(3)]);
      await dataset.ship(evolved, rowsOf(4, evolved));
      await dataset.ship(columns, rowsOf(5));
      yield { feature: name, tables: [{ name, dataset }] };
    }
  }
  const many = await openDataset(context, 't', { partition_by: ['bucket[16](id)', 'day'] });
  await many.shipMany(
    columns,
    Array.from({ length: 200 }, (_, n) => rowsOf(n % 100)),
  );
  await many.ship(columns, rowsOf(7));
  yield { feature: '200 segments in one commit', tables: [{ name: '200 segments', dataset: many }] };

  for (const format_version of [2, 3]) {
    const table_properties = { 'commit.manifest.min-count-to-merge': '3' };
    const dataset = await openDataset(context, 't', {
      format_version,
      table_properties,
      partition_by: ['region'],
    });
    for (const n of [1, 2, 5, 3]) await dataset.ship(columns, rowsOf(n));
    for (const n of [4, 6, 7, 9]) await dataset.ship(evolved, rowsOf(n, evolved));
    yield {
      feature: `v${format_version}, merged manifests`,
      tables: [{ name: 'merged', dataset }],
      merges: true,
    };
  }

  yield { feature: 'files of six writers', tables: await eachFile(context, golden()) };
  const cases = existsSync(corpus) ? corpusFiles() : [];
  if (cases.length > 0) yield { feature: 'files of the corpus', tables: await eachFile(context, cases) };
}

interface File {
  readonly path: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

function golden(): readonly File[] {
  const folder = join(tests, 'files');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.parquet'))
    .map((name) => ({ path: join(folder, name), settings: {} }));
}

/** The files that must be registered, in format version 3 if they need it. */
function corpusFiles(): readonly File[] {
  return ['segments', 'parquet-testing'].flatMap((folder) =>
    readdirSync(join(corpus, folder))
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const { expect, expectV3, expectNameMapping, ...or } = JSON.parse(
          readFileSync(join(corpus, folder, name), 'utf8'),
        );
        const path = join(corpus, folder, name.replace(/json$/, 'parquet'));
        if (or.orExpect?.refuse || or.orExpectNameMapping?.refuse) return [];
        if (expect?.schema) return [{ path, settings: {} }];
        if (expectV3?.schema) return [{ path, settings: { format_version: 3 } }];
        return expectNameMapping?.schema ? [{ path, settings: { field_ids: 'by_name' } }] : [];
      }),
  );
}

/** One table per file, created by the registrar from that file. */
async function eachFile(context: Context, files: readonly File[]): Promise<readonly WrittenTable[]> {
  const tables: WrittenTable[] = [];
  for (const { path, settings } of files) {
    const dataset = await openDataset(context, 't', settings);
    await dataset.shipBytes(readFileSync(path), columns, []);
    tables.push({ name: basename(path), dataset });
  }
  return tables;
}

/** The registrar does not create tables of format version 1, so another writer does, with the same column IDs. */
async function createV1(
  { catalog }: Context,
  { table, url }: Dataset,
  partition_by: readonly string[],
): Promise<void> {
  const post = async (path: string, body: unknown): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${catalog.uri}/v1/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`Cannot create a table: ${answer.status} ${await answer.text()}`);
  };
  const spec = partitionSpec(partition_by, columnsOf(columns));
  // In format version 1, a dropped partition field remains with the transform void.
  const dropped = { name: 'gone', transform: 'void', 'source-id': 5, 'field-id': 1000 + spec.fields.length };
  await post('namespaces', { namespace: table.namespace });
  await post(`namespaces/${table.namespace.join('\x1f')}/tables`, {
    name: table.name,
    location: url,
    schema: columns,
    'partition-spec': partition_by.length > 0 ? { ...spec, fields: [...spec.fields, dropped] } : spec,
    properties: { 'format-version': '1' },
  });
}
