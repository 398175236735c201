import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sparkJars } from '../../../certify/engines/start.ts';
import { optional, schema } from '../../../local/shipper/schema-notation.ts';
import { sample } from '../../docs/fences.ts';
import { type Program, startProgram } from '../../soak/python.ts';
import { type Lake, openLake } from '../schema/lake.ts';
import { describeWith } from '../services/describe-with.ts';
import { install, installedFolder } from '../services/services.ts';

const dataset = schema(optional(1, 'id', 'long'));
const HOUR_MS = 3_600_000;

/** The page's statement, which SQL runs only for files that are older than a day. */
const statement = sample('docs/maintenance.md', 'sql', 'remove_orphan_files');
const TABLE_ON_PAGE = 's3://my-bucket/lake/thadam/v1/edge/orders';

describeWith(
  'remove_orphan_files',
  ['seaweedfsCatalog'],
  ({ seaweedfsCatalog: catalog }) => {
    let spark: Program;
    beforeAll(async () => {
      await install('spark');
      const folders = ['test/soak', 'test/integration/readers'];
      spark = startProgram(
        path.join(installedFolder, 'spark/bin/python'),
        [path.join(import.meta.dirname, 'remove_orphan_files.py'), JSON.stringify(catalog), ...sparkJars],
        { PYTHONPATH: folders.map((folder) => path.resolve(folder)).join(':') },
        () => {},
      );
    });
    afterAll(() => spark?.stop());

    /** Removes every orphan, however young. Returns the keys of the deleted files, relative to the table's location. */
    async function removeOrphans(lake: Lake, location?: string): Promise<readonly string[]> {
      const request = {
        ...lake.table,
        location,
        older_than_ms: Date.now() + HOUR_MS,
        prefix_listing: /prefix_listing => true/.test(statement),
      };
      const deleted = (await spark.ask(request)) as readonly string[];
      return deleted.map((uri) => uri.replace(`${lake.url}/orders/`, ''));
    }

    /** A table with two commits, one segment that waits to be registered, and a manifest of a commit that was refused. */
    async function tableWithOrphan() {
      const lake = await openLake(catalog);
      for (const id of [1n, 2n]) await lake.ship(dataset, [{ id }]);
      const waiting = await lake.upload(dataset, [{ id: 3n }], 'waiting.parquet');
      // A removal judges by the name, not by the content.
      const orphan = await lake.upload(dataset, [], 'metadata/refused-m0.avro');
      return { lake, waiting, orphan };
    }

    test('as docs/maintenance.md states it, removes an orphan of metadata/ and spares a segment that waits', async () => {
      const { lake, waiting, orphan } = await tableWithOrphan();
      const [, onPage = ''] = /location => '([^']+)'/.exec(statement) ?? [];
      const location = onPage.replace(TABLE_ON_PAGE, (await lake.state()).location);
      expect(await removeOrphans(lake, location)).toEqual([orphan]);
      expect(await removeOrphans(lake, location)).toEqual([]);
      expect(await lake.register([waiting])).toMatchObject([{ kind: 'committed' }]);
      await lake.expectRows(dataset);
    });

    test('without a location, deletes a segment that waits: the statement that the page warns of', async () => {
      const { lake, waiting, orphan } = await tableWithOrphan();
      expect(await removeOrphans(lake)).toEqual([orphan, waiting].toSorted());
      expect(await lake.register([waiting])).toMatchObject([{ kind: 'ignored', reason: 'missing' }]);
      await lake.expectRows(dataset);
    });
  },
  { timeout: 200_000 },
);
