import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Column, columnsOf, fullName } from '../../../lib/schema/columns.ts';
import type { TableState } from '../../../lib/spec/table-state.ts';
import { type Stack, startStack } from '../../../local/stack.ts';
import { lineage, steps } from '../../schema/lineage.ts';
import type { ForeignStep } from '../readers/foreign-writer.ts';
import { openLake, refusal } from '../schema/lake.ts';
import { bucket } from '../services/service.ts';
import { rowsOf } from './rows.ts';

const RUNS = 8;
const SEED = 20260101;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  stack.createBucket(bucket);
});
afterAll(() => stack.close());

const wider: Readonly<Record<string, string>> = {
  int: 'long',
  float: 'double',
  'decimal(9,2)': 'decimal(20,2)',
};

/** What somebody else may do to this table, picked by a number; the dataset's first column stays. */
function foreignStep({ currentSchema, lastColumnId }: TableState, pick: number): ForeignStep {
  const columns = columnsOf(currentSchema);
  const all = [...columns.values()];
  const chosen = (candidates: readonly Column[]) => {
    const column = candidates[pick % candidates.length];
    return column === undefined ? undefined : fullName(columns, column);
  };
  const renamed = chosen(all.filter(({ role }) => role === 'field'));
  const dropped = chosen(
    all.slice(1).filter(({ role, parentId }) => role === 'field' && parentId === undefined),
  );
  const promoted = chosen(all.filter(({ type, role }) => type in wider && role === 'field'));
  switch (pick % 4) {
    case 0:
      if (renamed !== undefined)
        return { do: 'rename_column', column: renamed, to: `renamed_${lastColumnId}_${pick}` };
      break;
    case 1:
      if (dropped !== undefined) return { do: 'drop_column', column: dropped };
      break;
    case 2:
      if (promoted !== undefined) {
        const type = all.find((one) => fullName(columns, one) === promoted)?.type ?? '';
        return { do: 'promote_column', column: promoted, type: wider[type] ?? type };
      }
  }
  return { do: 'add_column', column: `added_${lastColumnId}_${pick}`, type: 'string' };
}

test(`${RUNS} random datasets with others at work in between: only a segment whose last column they dropped is refused, and every value reads`, async () => {
  const service = {
    uri: stack.catalogUri,
    store: { endpoint: stack.s3Endpoint, region: stack.region, ...stack.credentials, bucket },
  };
  const datasets = fc.sample(
    fc.tuple(
      steps,
      fc.array(fc.nat(10_000), { minLength: 20, maxLength: 20 }),
      fc.constantFrom('register', 'commit'),
    ),
    {
      numRuns: RUNS,
      seed: SEED,
    },
  );
  for (const [index, [changes, picks, create_via]] of datasets.entries()) {
    const lake = await openLake(service, { create_via });
    for (const [version, schema] of lineage(changes).entries()) {
      const [rows = []] = fc.sample(rowsOf(schema), { numRuns: 1, seed: SEED + 100 * index + version });
      const outcome = await lake.offer(schema, rows);
      if (outcome.kind !== 'committed') {
        expect(refusal(outcome).message).toContain('none of its field IDs is in the table');
      }
      await lake.foreign(foreignStep(await lake.state(), picks[version] ?? 0));
    }
    const { currentSchema, snapshots } = await lake.state();
    expect(snapshots.size).toBeGreaterThan(0);
    await lake.expectRows(currentSchema);
  }
}, 300_000);
