import { afterAll, describe, expect, test } from 'vitest';
import { repair } from '../../../lib/jobs/repair/repair.ts';
import { planRepair, type RepairAction } from '../../../lib/jobs/repair/repair-plan.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { type Registration, type S3Record, startRegistration } from '../../jobs/registration.ts';
import { readWithDuckDb } from '../readers/duckdb.ts';
import { readWithPyIceberg } from '../readers/pyiceberg.ts';
import type { CatalogService } from '../services/service.ts';

const schema: Schema = {
  type: 'struct',
  fields: [
    { id: 1, name: 'id', required: true, type: 'int' },
    { id: 2, name: 'region', required: false, type: 'string' },
  ],
};

/** Manifests that were written again, as engines of others read them: rows, counts, partitions, sequence numbers. */
describe.each([2, 3] as const)('a repaired table of format version %i', (version) => {
  let registration: Registration;
  afterAll(() => registration.close());

  const upload = (name: string, id: number, region: string): S3Record =>
    registration.upload(
      `thadam/v1/plant/orders/${name}.parquet`,
      writeParquet(schema, [
        { id, region },
        { id: id + 1, region },
      ]),
    );
  const repaired = async (name: string, action: RepairAction) => {
    const uri = `s3://lake/in/thadam/v1/plant/orders/${name}.parquet`;
    await repair(await planRepair(uri, action, registration.ports), registration.ports, () => 60_000);
  };

  test('is read by PyIceberg and DuckDB', async () => {
    registration = await startRegistration({ format_version: version, partition_by: ['region'] });
    await registration.deliver([upload('a', 1, 'eu'), upload('b', 10, 'us'), upload('c', 20, 'eu')]);
    await registration.deliver([upload('d', 30, 'eu')]);
    await repaired('b', 'remove');
    upload('c', 200, 'ap');
    await repaired('c', 'replace');

    const request = { catalog: catalogOf(registration), namespace: ['lake'], name: 'orders' };
    const expected = ['1', '2', '200', '201', '30', '31'];
    const table = await readWithPyIceberg(request);
    expect(table.rows.map(({ id }) => String(id)).toSorted()).toEqual(expected);
    expect(table.rowCount).toBe(6);
    expect(table.dataFiles.length).toBe(3);
    expect(table.snapshots.map(({ summary }) => summary['operation'])).toEqual([
      'append',
      'append',
      'delete',
      'overwrite',
    ]);
    if (version === 2) {
      const rows = (await readWithDuckDb(request)).rows.map(({ id }) => String(id));
      expect(rows.toSorted()).toEqual(expected);
    }
  });
});

function catalogOf({ stack }: Registration): CatalogService {
  const { accessKeyId, secretAccessKey } = stack.credentials;
  return {
    uri: stack.catalogUri,
    store: { endpoint: stack.s3Endpoint, region: stack.region, accessKeyId, secretAccessKey, bucket: 'lake' },
  };
}
