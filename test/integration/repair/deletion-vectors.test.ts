import { expect, test } from 'vitest';
import { repair } from '../../../lib/jobs/repair/repair.ts';
import { planRepair, type RepairAction } from '../../../lib/jobs/repair/repair-plan.ts';
import { branchHead } from '../../../lib/spec/table-state.ts';
import { wire } from '../../../lib/wire.ts';
import { required, schema } from '../../../local/shipper/schema-notation.ts';
import { memoryLog } from '../../fakes/log.ts';
import { enginesOn } from '../engines.ts';
import { openLake } from '../schema/lake.ts';
import { describeWith } from '../services/describe-with.ts';
import { storeSettings } from '../services/settings.ts';

const ids = schema(required(1, 'id', 'int'));

/** Java scans no table that has an older deletion vector than the file, so a vector goes with its file. */
describeWith('repair of a file that has a deletion vector', ['seaweedfsCatalog'], (services) => {
  const catalog = services.seaweedfsCatalog;
  const engines = enginesOn(catalog, ['Spark']);

  test.each<[RepairAction, readonly number[]]>([
    ['replace', [4, 11, 12, 13]],
    ['remove', [4]],
  ])('%s: Spark reads the table', async (action, expected) => {
    const lake = await openLake(catalog, {
      format_version: 3,
      table_properties: { 'write.delete.mode': 'merge-on-read' },
    });
    const rows = (...of: readonly number[]) => of.map((id) => ({ id }));
    await lake.ship(ids, rows(1, 2, 3), 'a.parquet');
    await lake.ship(ids, rows(4, 5), 'b.parquet');
    const spark = engines.get('Spark');
    await spark?.execute?.(lake.table, 'DELETE FROM {table} WHERE id IN (2, 5)');
    await lake.upload(ids, rows(11, 12, 13), 'a.parquet');

    const config = {
      url: lake.url,
      layout: '{url}/{dataset}/…',
      catalog_uri: catalog.uri,
      namespace: lake.table.namespace[0],
      store: storeSettings(catalog.store),
    };
    const ports = { ...(await wire({ REGISTRAR_CONFIG: JSON.stringify(config) })), log: memoryLog() };
    await repair(await planRepair(`${lake.url}/orders/a.parquet`, action, ports), ports, () => 60_000);

    const found = await spark?.rows(lake.table);
    expect(found?.map(({ id }) => Number(id)).toSorted((one, other) => one - other)).toEqual(expected);
    expect(branchHead(await lake.state(), 'main')?.summary).toMatchObject({
      'removed-dvs': '1',
      'removed-position-deletes': '1',
      'total-delete-files': '1',
      'total-position-deletes': '1',
    });
  });
});
