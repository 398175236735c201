/**
 * The catalog of a synthetic backfill: `catalog-program.ts FOLDER`. It is the embedded one in a process of its own, so that the memory of
 * the backfill is measured alone. It prints its address, and ends when its standard input does.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { handleCatalog } from '../../local/catalog/catalog-service.ts';
import { openTables } from '../../local/catalog/tables.ts';
import { startHttpService } from '../../local/http-service.ts';

const [folder = ''] = process.argv.slice(2);
const tables = openTables({
  database: ':memory:',
  warehouse: 's3://lake/warehouse',
  files: {
    // Only a table's first metadata file is read, which the backfill wrote. A thousand later ones would be gigabytes.
    read: (uri) => readFile(path.join(folder, path.basename(uri))),
    write: async () => undefined,
  },
  now: Date.now,
  uuid: randomUUID,
});
const service = await startHttpService((request) => handleCatalog(tables, {}, request));
console.log(service.url);
process.stdin.resume().once('end', () => process.exit());
