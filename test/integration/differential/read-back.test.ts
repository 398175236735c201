import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../../../local/stack.ts';
import { lineage, steps } from '../../schema/lineage.ts';
import { openLake } from '../schema/lake.ts';
import { bucket } from '../services/service.ts';
import { rowsOf } from './rows.ts';

const RUNS = 30;
const SEED = 20260101;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  stack.createBucket(bucket);
});
afterAll(() => stack.close());

test(`${RUNS} random datasets: PyIceberg and DuckDB show every value of every segment under the last schema`, async () => {
  const service = {
    uri: stack.catalogUri,
    store: { endpoint: stack.s3Endpoint, region: stack.region, ...stack.credentials, bucket },
  };
  const datasets = fc.sample(steps, { numRuns: RUNS, seed: SEED }).map(lineage);
  for (const [index, schemas] of datasets.entries()) {
    const lake = await openLake(service);
    for (const [version, schema] of schemas.entries()) {
      const [rows = []] = fc.sample(rowsOf(schema), { numRuns: 1, seed: SEED + 100 * index + version });
      await lake.ship(schema, rows);
    }
    const { currentSchema, snapshots } = await lake.state();
    expect(snapshots.size).toBe(schemas.length);
    await lake.expectRows(currentSchema);
  }
});
