import { type BackfillOptions, backfill } from '../../../lib/jobs/backfill/backfill.ts';
import type { BackfillPorts } from '../../../lib/jobs/backfill/backfill-ports.ts';
import type { BackfillReport } from '../../../lib/jobs/backfill/backfill-report.ts';
import { lakeAt, listedObjects } from '../../../lib/jobs/backfill/lake.ts';
import { manifestReader } from '../../../lib/jobs/register/table-manifests.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { branchHead } from '../../../lib/spec/table-state.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { portsOf } from '../queue-ports.ts';
import type { Registration, S3Record } from '../registration.ts';

const schema: Schema = { type: 'struct', fields: [{ id: 1, name: 'id', required: true, type: 'int' }] };

export const rows = (id: number, count = 1): Uint8Array =>
  writeParquet(
    schema,
    Array.from({ length: count }, (_, row) => ({ id: id + row })),
  );

export function ship(registration: Registration, names: readonly string[], dataset = 'orders'): S3Record[] {
  return names.map((name, id) => registration.upload(`thadam/v1/plant/${dataset}/${name}.parquet`, rows(id)));
}

/** Backfills all that lies below the `url`. */
export function backfilled(
  registration: Registration,
  options: BackfillOptions = {},
  ports: BackfillPorts = portsOf(registration),
): Promise<BackfillReport> {
  return backfill(
    ({ entries, portsOf: services }) => listedObjects(lakeAt('s3://lake/in', entries), services),
    ports,
    options,
  );
}

/** The live paths of a table, in order, those that are there twice twice. */
export async function livePaths(registration: Registration, table = 'orders'): Promise<readonly string[]> {
  const { entries, portsOf: services } = registration.ports;
  const [entry] = entries;
  const state = await registration.table(table);
  const head = state && branchHead(state, 'main');
  if (entry === undefined || head === undefined) return [];
  const files = await Array.fromAsync(manifestReader(services(entry).store).live(head));
  return files.map(({ filePath }) => filePath).toSorted();
}
