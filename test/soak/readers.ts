import { join } from 'node:path';
import { openEngine } from '../../local/demo/engine.ts';
import { attachCatalog, tableSql } from '../../local/demo/lake.ts';
import type { CatalogService } from '../integration/services/service.ts';
import { installedFolder } from '../integration/services/services.ts';
import { type Program, startProgram } from './python.ts';

/** What an engine counts in a table, from its rows. */
export interface Count {
  readonly rows: number;
  /** Different `seq`. */
  readonly distinct: number;
  /** `checksum` of readings.ts. */
  readonly checksum: bigint;
}

export type CountTable = (name: string) => Promise<Count>;

/** An engine that reads tables of one namespace. */
export interface Reader {
  readonly name: string;
  readonly count: CountTable;
  stop(): Promise<void>;
}

/** PyIceberg and DuckDB, each in a Python of its own. */
export function pythonReader(
  engine: 'PyIceberg' | 'DuckDB',
  catalog: CatalogService,
  namespace: string,
  onErrors: (text: string) => void,
): Reader {
  const program = startProgram(
    join(installedFolder, 'readers/bin/python'),
    [join(import.meta.dirname, 'count.py')],
    { PYTHONPATH: join(import.meta.dirname, '../integration/readers') },
    onErrors,
  );
  const count: CountTable = async (name) =>
    readCount(await program.ask({ engine: engine.toLowerCase(), catalog, namespace: [namespace], name }));
  return { name: engine, count, stop: () => program.stop() };
}

/** Spark, in the session that maintained the tables. */
export function sparkReader(spark: Program, namespace: string): Reader {
  const count: CountTable = async (name) =>
    readCount(await spark.ask({ do: 'count', table: `${namespace}.${name}` }));
  return { name: 'Spark', count, stop: async () => {} };
}

/** ClickHouse, embedded in this process. */
export async function clickHouseReader({ uri, store }: CatalogService, namespace: string): Promise<Reader> {
  const engine = await openEngine();
  await attachCatalog(engine, { ...store, s3Endpoint: store.endpoint, catalogUri: uri });
  const or = (value: string) => `ifNull(toString(${value}), '~')`;
  const text = `concatWithSeparator('|', toString(seq), device, toString(toUnixTimestamp64Micro(measured_at)), ${or('reading')}, ${or('remark')},
    ${or('level')}, ${or("tupleElement(firmware, 'version')")}, ${or("tupleElement(firmware, 'channel')")})`;
  const head = `reinterpretAsUInt32(reverse(substring(MD5(${text}), 1, 4)))`;
  return {
    name: 'ClickHouse',
    count: async (name) => {
      const [row = []] = await engine.query(
        `SELECT toString(count()), toString(uniqExact(seq)), toString(sum(toUInt64(${head})))
         FROM (SELECT * FROM ${tableSql({ namespace: [namespace], name })})`,
      );
      const [rows, distinct, checksum] = row;
      return readCount({ rows, distinct, checksum });
    },
    stop: async () => engine.close(),
  };
}

function readCount(answer: unknown): Count {
  const { rows, distinct, checksum } = answer as Readonly<Record<string, string | number>>;
  return { rows: Number(rows), distinct: Number(distinct), checksum: BigInt(checksum ?? 0) };
}
