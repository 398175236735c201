import { formatIdentifier, type TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { openEngine } from '../../local/demo/engine.ts';
import { attachCatalog, tableSql } from '../../local/demo/lake.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import type { ReadRow } from '../read-value.ts';
import type { Engine, ReadOptions } from './engine.ts';
import { clickHouse, predicateSql } from './sql.ts';

/** ClickHouse, embedded in this process by chdb. */
export async function startClickHouse({ uri, store }: CatalogService): Promise<Engine> {
  const engine = await openEngine();
  await attachCatalog(engine, { ...store, s3Endpoint: store.endpoint, catalogUri: uri });
  for (const setting of [
    'output_format_json_quote_64bit_integers = 1',
    'output_format_json_quote_decimals = 1',
    'output_format_json_quote_denormals = 1',
    'output_format_json_named_tuples_as_objects = 1',
    "date_time_output_format = 'simple'",
    "session_timezone = 'UTC'",
  ]) {
    await engine.query(`SET ${setting}`);
  }
  const query = async (sql: string): Promise<readonly (readonly unknown[])[]> => {
    try {
      return await engine.query(sql);
    } catch (error) {
      throw new Error((error as Error).message.split('\n')[0]?.slice(0, 400));
    }
  };
  /** Names and types of the columns, from `DESCRIBE`. */
  const columnsOf = async (table: TableIdentifier) =>
    (await query(`DESCRIBE TABLE ${tableSql(table)}`)).map(([name, type]) => ({
      name: String(name),
      type: String(type),
    }));
  const known = new Map<string, Awaited<ReturnType<typeof columnsOf>>>();

  const [[version = '?'] = []] = await query('SELECT version()');
  return {
    name: 'ClickHouse',
    version: `${version} (chdb)`,
    async rows(table, { select, where, binary = [] }: ReadOptions = {}) {
      const key = formatIdentifier(table);
      const columns = known.get(key) ?? (await columnsOf(table));
      known.set(key, columns);
      const wanted =
        select === undefined
          ? columns
          : select.map((name) => columns.find((one) => one.name === name) ?? { name, type: '' });
      const list = wanted
        .map(({ name, type }) => expression(clickHouse.name(name), type, binary.includes(name)))
        .join(', ');
      const condition = where === undefined ? '' : ` WHERE ${predicateSql(clickHouse, where)}`;
      const found = await query(`SELECT ${list} FROM ${tableSql(table)}${condition}`);
      return found.map(
        (row) => Object.fromEntries(wanted.map(({ name }, index) => [name, row[index]])) as ReadRow,
      );
    },
    count: async (table) => Number((await query(`SELECT count() FROM ${tableSql(table)}`))[0]?.[0]),
    stop: async () => engine.close(),
  };
}

/** Selects binary columns as hexadecimal text, since JSON has no bytes. */
function expression(column: string, type: string, isBinary: boolean): string {
  return isBinary || /^(Nullable\()?FixedString/.test(type) ? `lower(hex(${column}))` : column;
}
