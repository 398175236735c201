import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Schema } from '../../../lib/spec/schema.ts';
import type { Row } from '../../../local/shipper/dataset.ts';
import { type Stack, startStack } from '../../../local/stack.ts';
import { lineage, steps } from '../../schema/lineage.ts';
import { canonicalRow, projectRow } from '../readers/canonical.ts';
import { openLake } from '../schema/lake.ts';
import { parquetWithoutIds, underIdsOf } from '../schema/without-ids.ts';
import { bucket } from '../services/service.ts';
import { rowsOf } from './rows.ts';

const RUNS = 15;
const SEED = 20260101;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  stack.createBucket(bucket);
});
afterAll(() => stack.close());

const service = () => ({
  uri: stack.catalogUri,
  store: { endpoint: stack.s3Endpoint, region: stack.region, ...stack.credentials, bucket },
});

test(`${RUNS} random datasets: PyIceberg and DuckDB show every value of every segment under the last schema`, async () => {
  for (const [index, changes] of fc.sample(steps, { numRuns: RUNS, seed: SEED }).entries()) {
    const lake = await openLake(service());
    const schemas = lineage(changes);
    for (const [version, schema] of schemas.entries()) {
      await lake.ship(schema, someRows(schema, 100 * index + version));
    }
    const { currentSchema, snapshots } = await lake.state();
    expect(snapshots.size).toBe(schemas.length);
    await lake.expectRows(currentSchema);
  }
}, 300_000);

test(`${RUNS} random datasets without field IDs: the same, by the names of the columns`, async () => {
  for (const [index, changes] of fc.sample(steps, { numRuns: RUNS, seed: SEED + 1 }).entries()) {
    const lake = await openLake(service(), { field_ids: 'by_name' });
    const shipped = lineage(changes).map((schema, version) => ({
      schema,
      rows: someRows(schema, 100 * index + version),
    }));
    for (const { schema, rows } of shipped) await lake.shipBytes(parquetWithoutIds(schema, rows), schema, []);
    const { currentSchema } = await lake.state();
    const more = shipped.flatMap(({ schema, rows }) =>
      rows.map((row) =>
        projectRow(underIdsOf(currentSchema, schema), currentSchema, canonicalRow(schema, row)),
      ),
    );
    await lake.expectRows(currentSchema, { more });
  }
}, 300_000);

function someRows(schema: Schema, seed: number): readonly Row[] {
  return fc.sample(rowsOf(schema), { numRuns: 1, seed: SEED + seed })[0] ?? [];
}
