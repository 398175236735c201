import { join } from 'node:path';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { install, installedFolder } from '../../test/integration/services/services.ts';
import { startClickHouse } from './clickhouse.ts';
import type { Engine, EngineName } from './engine.ts';
import { startFlink } from './flink.ts';
import { startPythonEngine } from './python-engine.ts';
import * as dialects from './sql.ts';
import { startTrino } from './trino.ts';

export interface StartOptions {
  readonly catalog: CatalogService;
  readonly scratch: string;
  readonly logFolder: string;
  readonly log: (text: string) => void;
}

type Start = (options: StartOptions) => Promise<Engine>;

/** What Spark needs besides itself: Iceberg's runtime and its S3 client. */
export const sparkJars = ['iceberg-spark-runtime-4.1_2.13-1.12.0.jar', 'iceberg-aws-bundle-1.12.0.jar'].map(
  (jar) => join(installedFolder, 'spark/jars', jar),
);

/** How each engine is started, after its installation. */
const starts: Readonly<Record<EngineName, Start>> = {
  PyIceberg: python({
    name: 'PyIceberg',
    environment: 'readers',
    program: 'pyiceberg_program.py',
    plans: true,
  }),
  DuckDB: python({
    name: 'DuckDB',
    environment: 'readers',
    program: 'duckdb_program.py',
    dialect: dialects.duckDb,
    writes: true,
  }),
  Polars: python({ name: 'Polars', environment: 'engines', program: 'polars_program.py' }),
  ClickHouse: ({ catalog }) => startClickHouse(catalog),
  async Spark(options) {
    const { catalog, log } = options;
    await install('spark');
    return startPythonEngine(
      {
        name: 'Spark',
        environment: 'spark',
        program: 'spark_program.py',
        args: [JSON.stringify(catalog), ...sparkJars],
        dialect: dialects.spark,
        plans: true,
        writes: true,
      },
      catalog,
      log,
    );
  },
  async Trino({ catalog, scratch, logFolder }) {
    await install('trino');
    return startTrino(catalog, scratch, logFolder);
  },
  'iceberg-rust': python({
    name: 'iceberg-rust',
    environment: 'engines',
    program: 'iceberg_rust_program.py',
    dialect: dialects.dataFusion,
  }),
  Daft: python({ name: 'Daft', environment: 'engines', program: 'daft_program.py' }),
  async Flink({ catalog, log }) {
    await install('flink');
    return startFlink(catalog, log);
  },
};

function python(engine: Parameters<typeof startPythonEngine>[0]): Start {
  return async ({ catalog, log }) => {
    await install(engine.environment);
    return startPythonEngine(engine, catalog, log);
  };
}

/** Starts engines in parallel, and reports those that did not start, with the reason. */
export async function startEngines(names: readonly EngineName[], options: StartOptions) {
  const engines: Engine[] = [];
  const notRun = new Map<EngineName, string>();
  await Promise.all(
    names.map(async (name) => {
      try {
        engines.push(await starts[name](options));
      } catch (error) {
        notRun.set(name, (error as Error).message.split('\n')[0] ?? 'it did not start');
      }
    }),
  );
  return { engines: engines.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name)), notRun };
}
