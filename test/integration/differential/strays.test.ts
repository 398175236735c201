import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf, pathOf } from '../../../lib/schema/columns.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { lineage, mutated, steps } from '../../schema/lineage.ts';
import { openLake } from '../schema/lake.ts';
import { describeWith } from '../services/describe-with.ts';
import { rowsOf } from './rows.ts';

const RUNS = 20;
const SEED = 20260101;

const strays = fc.array(fc.tuple(fc.nat(1000), fc.nat(4)), { minLength: 3, maxLength: 8 });

/** The writer finds columns by name, and the rows' maps have text for keys. */
function isWritable(schema: Schema): boolean {
  const columns = columnsOf(schema);
  const names = new Set(columns.values().map((column) => JSON.stringify(pathOf(columns, column))));
  return (
    names.size === columns.size &&
    columns.values().every(({ role, type }) => role !== 'key' || type === 'string')
  );
}

describeWith('Apache’s fixture', ['seaweedfsCatalog'], ({ seaweedfsCatalog }) => {
  test(`${RUNS} datasets with strays among their segments: each is appended or refused with the reason, the catalog takes every commit, and all values read`, async () => {
    const datasets = fc.sample(fc.tuple(steps, strays, fc.constantFrom('checked', 'stable')), {
      numRuns: RUNS,
      seed: SEED,
    });
    const ends = { committed: 0, refused: 0 };
    for (const [index, [changes, mutations, field_ids]] of datasets.entries()) {
      const lake = await openLake(seaweedfsCatalog, { field_ids });
      const schemas = lineage(changes);
      const arrivals: readonly Schema[] = schemas.flatMap((schema, version) => {
        const [pick, kind] = mutations[version % mutations.length] ?? [0, 0];
        const stray = mutated(schema, pick, kind);
        return isWritable(stray) ? [schema, stray] : [schema];
      });
      for (const [version, schema] of arrivals.entries()) {
        const [rows = []] = fc.sample(rowsOf(schema), { numRuns: 1, seed: SEED + 100 * index + version });
        const outcome = await lake.offer(schema, rows);
        if (outcome.kind === 'committed') ends.committed += 1;
        else if (outcome.kind === 'quarantined') {
          ends.refused += 1;
          expect(outcome.error.code).toMatch(/^(sink\.iceberg_schema_mismatch|segment\.inconsistent)$/);
        } else throw 'error' in outcome ? outcome.error : new Error(outcome.kind);
      }
      await lake.expectRows((await lake.state()).currentSchema);
    }
    expect(Math.min(ends.committed, ends.refused)).toBeGreaterThan(5);
  }, 300_000);
});
