import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../lib/spec/json.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { freePort } from '../../test/integration/services/free-ports.ts';
import { startHostProcess } from '../../test/integration/services/host-process.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import type { ReadRow } from '../read-value.ts';
import type { Engine, ReadOptions } from './engine.ts';
import { predicateSql, trino } from './sql.ts';

/** A Trino server of one node with only the Iceberg plugin. Needs Java 25, at `JAVA_25_HOME` or where Debian's packages install it. */
export async function startTrino(catalog: CatalogService, scratch: string, logs: string): Promise<Engine> {
  const port = await freePort();
  const folder = join(scratch, 'trino');
  writeConfiguration(folder, port, catalog);
  const url = `http://127.0.0.1:${port}`;
  const server = await startHostProcess(
    { installed: installedFolder, logs, scratch },
    {
      name: 'trino',
      command: join(installedFolder, 'trino/bin/launcher'),
      args: ['run', `--etc-dir=${join(folder, 'etc')}`],
      env: { JAVA_HOME: process.env['JAVA_25_HOME'] ?? '/usr/lib/jvm/temurin-25-jdk-amd64' },
      ready: async () =>
        ((await (await fetch(`${url}/v1/info`)).json()) as { starting: boolean }).starting === false,
      timeoutMs: 400_000,
    },
  );
  const query = (sql: string) => runQuery(url, sql);
  const name = (table: TableIdentifier) => ['lake', ...table.namespace, table.name].map(trino.name).join('.');
  const info = (await (await fetch(`${url}/v1/info`)).json()) as { nodeVersion: { version: string } };
  return {
    name: 'Trino',
    version: info.nodeVersion.version,
    async rows(table, { select, where }: ReadOptions = {}) {
      const list = select?.map(trino.name).join(', ') ?? '*';
      const condition = where === undefined ? '' : ` WHERE ${predicateSql(trino, where)}`;
      const { columns, rows } = await query(`SELECT ${list} FROM ${name(table)}${condition}`);
      return rows.map(
        (row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])) as ReadRow,
      );
    },
    count: async (table) => Number((await query(`SELECT COUNT(*) FROM ${name(table)}`)).rows[0]?.[0]),
    async execute(table, statement) {
      await query(statement.replace('{table}', name(table)));
    },
    stop: () => server.stop(),
  };
}

function writeConfiguration(folder: string, port: number, { uri, store }: CatalogService): void {
  const etc = join(folder, 'etc');
  mkdirSync(join(etc, 'catalog'), { recursive: true });
  const file = (name: string, lines: readonly string[]) =>
    writeFileSync(join(etc, name), `${lines.join('\n')}\n`);
  file('node.properties', [
    'node.environment=certify',
    `node.data-dir=${join(folder, 'data')}`,
    // By default, the server connects to itself through any address of the machine, such as a bridge's.
    'node.internal-address=127.0.0.1',
    'node.bind-ip=127.0.0.1',
  ]);
  file('config.properties', [
    'coordinator=true',
    'node-scheduler.include-coordinator=true',
    `http-server.http.port=${port}`,
    `discovery.uri=http://127.0.0.1:${port}`,
    'query.max-memory=512MB',
    'query.max-memory-per-node=512MB',
    'memory.heap-headroom-per-node=256MB',
    'catalog.management=static',
  ]);
  file('jvm.config', [
    '-server',
    '-Xmx1500M',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-XX:ReservedCodeCacheSize=256M',
    '-Djdk.attach.allowAttachSelf=true',
  ]);
  file('log.properties', ['io.trino=WARN']);
  file('catalog/lake.properties', [
    'connector.name=iceberg',
    'iceberg.catalog.type=rest',
    `iceberg.rest-catalog.uri=${uri}`,
    'iceberg.rest-catalog.security=NONE',
    'iceberg.register-table-procedure.enabled=true',
    'fs.native-s3.enabled=true',
    `s3.endpoint=${store.endpoint}`,
    `s3.region=${store.region}`,
    's3.path-style-access=true',
    `s3.aws-access-key=${store.accessKeyId}`,
    `s3.aws-secret-key=${store.secretAccessKey}`,
  ]);
}

interface Page {
  readonly nextUri?: string;
  readonly columns?: readonly { readonly name: string; readonly type: string }[];
  readonly data?: readonly (readonly unknown[])[];
  readonly error?: { readonly message: string };
}

/** Runs a statement through the client protocol. @throws Error with Trino's own message */
async function runQuery(url: string, sql: string) {
  const headers = {
    'X-Trino-User': 'certify',
    'X-Trino-Client-Capabilities': 'PARAMETRIC_DATETIME',
    'X-Trino-Time-Zone': 'UTC',
  };
  let response = await fetch(`${url}/v1/statement`, { method: 'POST', headers, body: sql });
  const rows: (readonly unknown[])[] = [];
  let columns: NonNullable<Page['columns']> = [];
  for (;;) {
    const page = parseJson(await response.text()) as Page;
    if (page.error !== undefined) throw new Error(page.error.message.split('\n')[0]);
    columns = page.columns ?? columns;
    const spell = (value: unknown, index: number) =>
      columns[index]?.type === 'varbinary' ? hexOf(value) : value;
    rows.push(...(page.data ?? []).map((row) => row.map(spell)));
    if (page.nextUri === undefined) return { columns: columns.map(({ name }) => name), rows };
    response = await fetch(page.nextUri, { headers });
  }
}

/** Turns base64, in which the protocol sends bytes, into hexadecimal. */
function hexOf(value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('hex') : value;
}
