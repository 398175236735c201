import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { columnsOf } from '../../lib/schema/columns.ts';
import { partitionSpec } from '../../lib/schema/partition-by.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { openRegistrar, type Registrar } from './registrar.ts';
import { columns, everyTransform, evolved, rowsOf } from './rows.ts';

/** Tables that show one feature. */
export interface WrittenTables {
  readonly feature: string;
  readonly tables: readonly WrittenTable[];
}

export interface WrittenTable {
  /** What it was made of, in messages. */
  readonly name: string;
  readonly registrar: Registrar;
}

const tests = join(import.meta.dirname, '../../test');
/** The acceptance corpus lies beside a checkout of this repository where it is developed, and is no part of it. */
const corpus = join(tests, '../../shared/corpus');

const segment = (n: number): Uint8Array => writeParquet(columns, rowsOf(n));
const laterSegment = (n: number): Uint8Array => writeParquet(evolved, rowsOf(n, true));

/** Writes the tables of each feature through the registrar. */
export async function* writeTables(service: CatalogService): AsyncGenerator<WrittenTables> {
  for (const version of [1, 2, 3] as const) {
    for (const partition_by of [[], everyTransform]) {
      const feature = `v${version}${partition_by.length > 0 ? ', partitioned by every transform' : ''}`;
      const registrar = await openRegistrar(service, {
        partition_by,
        format_version: version === 1 ? 2 : version,
      });
      if (version === 1) await createV1(service, registrar, partition_by);
      await registrar.ship(segment(1));
      await registrar.ship(segment(2), segment(3));
      await registrar.ship(laterSegment(4), segment(5));
      yield { feature, tables: [{ name: feature, registrar }] };
    }
  }
  const many = await openRegistrar(service, { partition_by: ['bucket[16](id)', 'day'] });
  await many.ship(...Array.from({ length: 200 }, (_, n) => segment(n % 100)));
  await many.ship(segment(7));
  yield { feature: '200 segments in one commit', tables: [{ name: 'many', registrar: many }] };

  yield { feature: 'files of six writers', tables: await eachFile(service, golden()) };
  const cases = existsSync(corpus) ? corpusFiles() : [];
  if (cases.length > 0) yield { feature: 'files of the corpus', tables: await eachFile(service, cases) };
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

/** Those that must be registered, under format version 3 where they ask for it. */
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

/** A table a file, made by the registrar from that file. */
async function eachFile(service: CatalogService, files: readonly File[]): Promise<readonly WrittenTable[]> {
  const tables: WrittenTable[] = [];
  for (const { path, settings } of files) {
    const registrar = await openRegistrar(service, settings);
    await registrar.ship(readFileSync(path));
    tables.push({ name: path.slice(path.lastIndexOf('/') + 1), registrar });
  }
  return tables;
}

/** The registrar makes no tables of format version 1: another writer does, and numbers the columns as this one would. */
async function createV1(
  { uri }: CatalogService,
  { table, location }: Registrar,
  partition_by: readonly string[],
): Promise<void> {
  const post = async (path: string, body: unknown): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${uri}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`Cannot create a table: ${answer.status} ${await answer.text()}`);
  };
  const spec = partitionSpec(partition_by, columnsOf(columns));
  // What is left in format version 1 of a partition field that somebody dropped.
  const dropped = { name: 'gone', transform: 'void', 'source-id': 5, 'field-id': 1000 + spec.fields.length };
  await post('namespaces', { namespace: table.namespace });
  await post(`namespaces/${table.namespace.join('\x1f')}/tables`, {
    name: table.name,
    location,
    schema: columns,
    'partition-spec': partition_by.length > 0 ? { ...spec, fields: [...spec.fields, dropped] } : spec,
    properties: { 'format-version': '1' },
  });
}
