import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { indexById, type Schema } from '../../../lib/spec/schema.ts';
import type { Dataset } from '../../../local/shipper/dataset.ts';
import { events } from '../../../local/shipper/events.ts';
import { orders } from '../../../local/shipper/orders.ts';
import { type MadeSegment, makeSegment } from '../../../local/shipper/segment.ts';
import { telemetry } from '../../../local/shipper/telemetry.ts';
import { canonicalRow, projectRow, sorted } from '../readers/canonical.ts';
import { readWithDuckDb } from '../readers/duckdb.ts';
import { writeWithPyIceberg } from '../readers/foreign-writer.ts';
import { readWithPyIceberg } from '../readers/pyiceberg.ts';
import { describeWith } from '../services/describe-with.ts';
import { type Deployment, type DeployOptions, deploy } from './deployment.ts';

describeWith('LocalStack, which notifies', ['localstack', 'localstackCatalog'], (services) => {
  pipeline({ catalog: services.localstackCatalog, sqs: services.localstack, notifies: true });
});

describeWith(
  'SeaweedFS, whose events the test sends',
  ['localstack', 'seaweedfs', 'seaweedfsCatalog'],
  (services) => {
    pipeline({ catalog: services.seaweedfsCatalog, sqs: services.localstack, notifies: false });
  },
);

/** The way of the data, from the upload to the rows that others read. */
function pipeline(options: DeployOptions): void {
  describe('an uploaded segment', () => {
    let deployment: Deployment;
    const table = (dataset: Dataset) => ({ ...deployment, name: dataset.name });

    beforeAll(async () => {
      deployment = await deploy(options);
    });
    afterAll(() => deployment?.close());

    const shipped = [telemetry, events, orders].flatMap((dataset) =>
      [0, 1].map((index) => ({ dataset, segment: makeSegment(dataset, 0, index, { rows: 300 }) })),
    );
    const segmentsOf = (dataset: Dataset) =>
      shipped.filter((each) => each.dataset === dataset).map(({ segment }) => segment);

    test('becomes rows of its table, with its own values and field IDs, in PyIceberg and DuckDB (I5)', async () => {
      await Promise.all(shipped.map(({ segment }) => deployment.upload(segment.key, segment.bytes)));
      await deployment.untilAcknowledged(shipped.map(({ segment }) => segment));
      for (const dataset of [telemetry, events, orders]) {
        const schema = dataset.versions[0];
        const expected = expectedRows(schema, segmentsOf(dataset));
        const [pyIceberg, duckDb] = await Promise.all([
          readWithPyIceberg(table(dataset)),
          readWithDuckDb(table(dataset)),
        ]);
        expect(sorted(pyIceberg.rows)).toEqual(expected);
        expect(sorted(duckDb.rows)).toEqual(expected);
        expect([pyIceberg.rowCount, duckDb.rowCount]).toEqual([expected.length, expected.length]);
        expect(pyIceberg.schema.fields).toEqual(schema.fields);
        for (const fieldIds of Object.values(duckDb.fileFieldIds)) {
          expect(new Set(fieldIds.map(({ fieldId }) => fieldId))).toEqual(new Set(indexById(schema).keys()));
        }
        expect(
          pyIceberg.dataFiles
            .map(({ path, recordCount, sizeBytes }) => [path, recordCount, sizeBytes])
            .sort(),
        ).toEqual(
          segmentsOf(dataset).map(({ key, rows, bytes }) => [
            `${deployment.url}/${key}`,
            String(rows.length),
            String(bytes.length),
          ]),
        );
      }
    });

    test('delivered again, before and after a cold start, leaves one data file and no snapshot (I2)', async () => {
      const before = await readWithPyIceberg(table(orders));
      await deployment.redeliverAll();
      await deployment.restart();
      await deployment.redeliverAll();
      const after = await readWithPyIceberg(table(orders));
      expect(after.dataFiles).toEqual(before.dataFiles);
      expect(after.snapshots).toEqual(before.snapshots);
      expect(after.metadata.metadataLocation).toBe(before.metadata.metadataLocation);
    });

    test('of a changed dataset changes the table in the same commit (I4)', async () => {
      const [, changed = telemetry.versions[0]] = telemetry.versions;
      const newer = makeSegment(telemetry, 1, 2, { rows: 300 });
      const before = await readWithPyIceberg(table(telemetry));
      await deployment.upload(newer.key, newer.bytes);
      await deployment.untilAcknowledged([newer]);
      const [pyIceberg, duckDb] = await Promise.all([
        readWithPyIceberg(table(telemetry)),
        readWithDuckDb(table(telemetry)),
      ]);
      const expected = sorted([
        ...expectedRows(telemetry.versions[0], segmentsOf(telemetry), changed),
        ...expectedRows(changed, [newer]),
      ]);
      expect(sorted(pyIceberg.rows)).toEqual(expected);
      expect(sorted(duckDb.rows)).toEqual(expected);
      expect(pyIceberg.schema.fields).toEqual(changed.fields);
      expect(pyIceberg.snapshots).toHaveLength(before.snapshots.length + 1);
    });
  });

  describe('a table that does not fit', () => {
    let deployment: Deployment;
    beforeAll(async () => {
      deployment = await deploy(options);
    });
    afterAll(() => deployment?.close());

    test('is refused with sink.iceberg_schema_mismatch and stays as it was, while others go on', async () => {
      const misfit = { ...deployment, name: orders.name };
      await writeWithPyIceberg(misfit, [
        {
          do: 'create',
          schema: { type: 'struct', fields: [{ id: 1, name: 'seq', type: 'string', required: false }] },
        },
        { do: 'append', rows: [{ seq: 'not a number' }] },
      ]);
      const before = await readWithPyIceberg(misfit);
      const refused = makeSegment(orders, 0, 0, { rows: 50 });
      const accepted = makeSegment(events, 0, 0, { rows: 50 });
      await deployment.upload(refused.key, refused.bytes);
      await deployment.upload(accepted.key, accepted.bytes);
      await deployment.untilAcknowledged([refused, accepted]);
      expect(await readWithPyIceberg(misfit)).toEqual(before);
      expect(await deployment.quarantined()).toMatchObject([
        {
          kind: 'failure',
          code: 'sink.iceberg_schema_mismatch',
          table: [...deployment.namespace, orders.name].join('.'),
          segment: { uri: `${deployment.url}/${refused.key}` },
          message: expect.stringMatching(/seq.*\b1\b.*string.*long|seq.*\b1\b.*long.*string/s),
        },
      ]);
      expect((await readWithPyIceberg({ ...deployment, name: events.name })).rowCount).toBe(50);
    });
  });
}

/** The rows of segments written under one schema, as a table of another version of it shows them. */
function expectedRows(written: Schema, segments: readonly MadeSegment[], shown: Schema = written) {
  const rows = segments.flatMap((segment) => segment.rows);
  return sorted(rows.map((row) => projectRow(written, shown, canonicalRow(written, row))));
}
