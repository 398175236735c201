import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import { startProgram } from '../../test/soak/python.ts';
import type { ReadRow } from '../read-value.ts';
import type { Engine, ReadOptions } from './engine.ts';
import { flink, predicateSql } from './sql.ts';

/** The packages of Java 17 that Flink's documentation tells to open. */
const opened = ['java.util', 'java.lang', 'java.time', 'java.nio', 'java.util.concurrent'].flatMap((name) => [
  '--add-opens',
  `java.base/${name}=ALL-UNNAMED`,
]);

/** Flink in batch mode: a single-file Java program that embeds its SQL client and its cluster. */
export async function startFlink(catalog: CatalogService, log: (text: string) => void): Promise<Engine> {
  const jars = join(installedFolder, 'flink');
  const program = startProgram(
    'java',
    [
      '-Xmx768m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      ...opened,
      '-cp',
      join(jars, '*'),
      join(import.meta.dirname, 'flink/FlinkReader.java'),
      catalogSql(catalog),
    ],
    {},
    log,
  );
  const query = async (sql: string): Promise<readonly ReadRow[]> =>
    (await program.ask(sql).catch((error: Error) => {
      throw new Error(error.message.split('\n')[0]);
    })) as readonly ReadRow[];
  const name = (table: TableIdentifier) => ['lake', ...table.namespace, table.name].map(flink.name).join('.');
  await query('SHOW CATALOGS');
  return {
    name: 'Flink',
    version: versionIn(jars),
    askedOf: 4,
    async rows(table, { select, where }: ReadOptions = {}) {
      const list = select?.map(flink.name).join(', ') ?? '*';
      const condition = where === undefined ? '' : ` WHERE ${predicateSql(flink, where)}`;
      return query(`SELECT ${list} FROM ${name(table)}${condition}`);
    },
    count: async (table) => Number((await query(`SELECT COUNT(*) AS n FROM ${name(table)}`))[0]?.['n']),
    stop: () => program.stop(),
  };
}

function catalogSql({ uri, store }: CatalogService): string {
  const settings = {
    type: 'iceberg',
    'catalog-type': 'rest',
    uri,
    'io-impl': 'org.apache.iceberg.aws.s3.S3FileIO',
    's3.endpoint': store.endpoint,
    's3.path-style-access': 'true',
    's3.access-key-id': store.accessKeyId,
    's3.secret-access-key': store.secretAccessKey,
    'client.region': store.region,
    'cache-enabled': 'false',
  };
  const list = Object.entries(settings).map(([key, value]) => `'${key}' = '${value}'`);
  return `CREATE CATALOG lake WITH (${list.join(', ')})`;
}

/** `1.20.3 with Iceberg 1.10.1`, by the names of the installed files. */
function versionIn(jars: string): string {
  const files = readdirSync(jars);
  const of = (pattern: RegExp) =>
    files.map((file) => pattern.exec(file)?.[1]).find((found) => found !== undefined);
  return `${of(/^flink-clients-(.*)\.jar$/)} with Iceberg ${of(/^iceberg-flink-runtime-[\d.]+-(.*)\.jar$/)}`;
}
