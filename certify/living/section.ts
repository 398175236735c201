import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '../../lib/spec/schema.ts';
import { restFixtureOnHost } from '../../test/integration/services/rest-fixture.ts';
import type { CatalogService, Folders, Services } from '../../test/integration/services/service.ts';
import { install, installedFolder, startServices } from '../../test/integration/services/services.ts';
import { bundle } from '../../test/soak/bundle.ts';
import type { Count } from '../../test/soak/readers.ts';
import type { Cell } from '../cell.ts';
import { startEngines } from '../engines/start.ts';
import type { Context, Section } from '../section.ts';
import { cellOf } from '../tables/certified-table.ts';
import { countRows } from './count-rows.ts';
import { postgresql } from './postgresql.ts';
import type { CountedRows } from './rows.ts';
import { type Together, together } from './together.ts';

const databases = { SQLite: sqliteCatalog, PostgreSQL: postgresqlCatalog };

export const living: Section = {
  name: 'living',
  title: 'Living together',
  short: false,
  async *run(context) {
    await Promise.all([install('spark'), install('readers'), install('fixture'), bundle(context.scratch)]);
    const catalogs = Object.entries(databases);
    for (const [database, start] of catalogs) {
      try {
        yield* onDatabase(database, { ...context, minutes: context.minutes / catalogs.length }, start);
      } catch (error) {
        context.log(`${(error as Error).stack}\n`);
        yield cellOf('registrar', featureOn(database), [`error: ${(error as Error).message}`], '');
      }
    }
  },
};

interface Running {
  readonly catalog: CatalogService;
  readonly localstack: Services['localstack'];
  /** The engines on that catalog, started if necessary. */
  readonly engines: () => Promise<Readers>;
}

type Readers = Pick<Context, 'engines' | 'notRun'>;

type Start = (context: Context, folders: Folders) => Promise<Running>;

const featureOn = (database: string) => `one table of many writers, on ${database}`;

async function* onDatabase(database: string, context: Context, start: Start): AsyncGenerator<Cell> {
  const feature = featureOn(database);
  const closing: (() => Promise<void>)[] = [];
  const end = async () => {
    for (const close of closing.splice(0).toReversed()) await close().catch(() => {});
  };
  context.onClose(end);
  const own = { ...context, onClose: (close: () => Promise<void>) => void closing.push(close) };
  try {
    const scratch = join(context.scratch, `living-${database}`);
    mkdirSync(scratch, { recursive: true });
    const folders = { installed: installedFolder, logs: scratch, scratch };
    const running = await start(own, folders);
    const lived = await together({ ...own, ...running, scratch, bundles: join(context.scratch, 'dist') });
    const { commits, conflicts, work, othersFiles } = lived;
    context.say(
      `${feature}: ${JSON.stringify({ rows: lived.expected.rows, commits, conflicts, othersFiles, ...work, gaveUp: work.gaveUp.length })}`,
    );
    for (const line of [...lived.faults, ...work.gaveUp]) context.log(`${line}\n`);
    yield cellOf('registrar', feature, [...lived.faults, ...tooLittle(lived)], told(lived));
    yield cellOf(
      'Spark',
      `${feature}, through a table cache, after REFRESH TABLE`,
      difference(lived.expected, lived.cached.refreshed),
      `${lived.expected.rows} rows`,
    );
    yield* counted(feature, await running.engines(), running.catalog, lived);
  } finally {
    await end();
  }
}

/** Every engine reads every row. */
async function* counted(
  feature: string,
  { engines, notRun }: Readers,
  catalog: CatalogService,
  { table, expected }: Together,
): AsyncGenerator<Cell> {
  const schema = await currentSchema(catalog, table);
  for (const engine of engines) {
    try {
      const found = countRows(schema, await engine.rows(table));
      yield cellOf(engine.name, feature, difference(expected, found), `${found.rows} rows`);
    } catch (error) {
      yield cellOf(engine.name, feature, [`error: ${(error as Error).message}`], '');
    }
  }
  for (const [engine, detail] of notRun) yield { feature, engine, outcome: 'not-run', detail };
}

function difference(expected: CountedRows, found: Count & Partial<CountedRows>): readonly string[] {
  const { rows, distinct, checksum, seqs } = found;
  if (rows === expected.rows && distinct === expected.distinct && checksum === expected.checksum) return [];
  const missing = seqs && expected.seqs.difference(seqs);
  const more = seqs?.difference(expected.seqs);
  return [
    `${rows} rows (${distinct} different) with checksum ${checksum}; ${expected.rows} with ${expected.checksum} were written and not deleted`,
    ...(missing?.size ? [`missing are ${some(missing)}`] : []),
    ...(more?.size ? [`too many are ${some(more)}`] : []),
  ];
}

const MOST_SEQS = 100;

function some(seqs: ReadonlySet<string>): string {
  return `${seqs.size} rows: ${[...seqs].slice(0, MOST_SEQS).join(' ')}`;
}

/** What must have happened for the run to prove something. */
function tooLittle({ commits, work, othersFiles }: Together): readonly string[] {
  const seen = { ...commits, ...work, 'files of others': othersFiles, gaveUp: 1 };
  return Object.entries(seen).flatMap(([what, count]) =>
    Number(count) > 0 ? [] : [`nothing seen of ${what}`],
  );
}

function told({ commits, work, othersFiles }: Together): string {
  const by = Object.entries(commits).map(([writer, count]) => `${writer} ${count}`);
  return (
    `commits: ${by.join(', ')}; Spark: ${work.compacted} files compacted, ${work.manifests} manifests rewritten, ` +
    `${work.snapshots} snapshots expired, ${work.deleted} rows deleted, ${work.rollbacks} rollback, killed twice; ${othersFiles} files of others notified`
  );
}

async function currentSchema(
  { uri }: CatalogService,
  { namespace, name }: Together['table'],
): Promise<Schema> {
  const answer = await fetch(`${uri}/v1/namespaces/${namespace.join('\x1f')}/tables/${name}`);
  const { metadata } = (await answer.json()) as {
    readonly metadata: { readonly schemas: readonly Schema[]; readonly 'current-schema-id': number };
  };
  const schema = metadata.schemas.find((one) => one['schema-id'] === metadata['current-schema-id']);
  if (schema === undefined) throw new Error(`Cannot find the schema of "${name}"`);
  return schema;
}

/** The certification's own catalog with its engines. */
async function sqliteCatalog({ catalog, engines, notRun, onClose }: Context): Promise<Running> {
  const started = await startServices({ want: ['localstack'] });
  onClose(() => started.stop({ keepLogs: false }));
  const { localstack } = started.services;
  if (localstack === undefined) throw new Error(Object.values(started.notRun).join('; '));
  return { localstack, catalog, engines: async () => ({ engines, notRun }) };
}

async function postgresqlCatalog(context: Context, folders: Folders): Promise<Running> {
  const { onClose } = context;
  await install('postgresql');
  const { services, notRun, stop } = await startServices({ want: ['seaweedfs', 'localstack'] });
  onClose(() => stop({ keepLogs: false }));
  const { localstack, seaweedfs } = services;
  if (localstack === undefined || seaweedfs === undefined) throw new Error(Object.values(notRun).join('; '));
  const database = await postgresql(folders);
  onClose(database.stop);
  const { service: catalog, stop: end } = await restFixtureOnHost(
    folders,
    'fixture',
    seaweedfs,
    database.service,
  );
  onClose(end);
  return {
    localstack,
    catalog,
    engines: () => enginesAnew({ ...context, scratch: folders.scratch }, catalog),
  };
}

/** The same engines on another catalog. */
async function enginesAnew(
  { engines, notRun, scratch, log, onClose }: Context,
  catalog: CatalogService,
): Promise<Readers> {
  // A process can have only one chdb.
  for (const engine of engines) if (engine.name === 'ClickHouse') await engine.stop();
  const names = engines.map(({ name }) => name);
  const started = await startEngines(names, { catalog, scratch, logFolder: scratch, log });
  for (const engine of started.engines) onClose(() => engine.stop());
  return { engines: started.engines, notRun: new Map([...notRun, ...started.notRun]) };
}
