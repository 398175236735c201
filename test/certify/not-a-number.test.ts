import { expect, test } from 'vitest';
import type { Dataset } from '../../certify/dataset.ts';
import type { Engine } from '../../certify/engines/engine.ts';
import type { Predicate } from '../../certify/predicate.ts';
import type { Context } from '../../certify/section.ts';
import { certifyNaN } from '../../certify/tables/not-a-number.ts';
import { type Twins, typed } from '../../certify/tables/twins.ts';

const column = typed('double', 'NaN');
const predicate: Predicate = { column: column.name, type: 'double', op: '>=', value: 2 };
const rows = [1, 2, 'NaN', 'NaN'].map((value, index) => ({ seq: String(index), [column.name]: value }));
const [bounded, unbounded] = ['bounded', 'unbounded'].map(
  (name) => ({ table: { namespace: [], name } }) as unknown as Dataset,
) as [Dataset, Dataset];
const twins: Twins = { bounded, unbounded, files: [rows], questions: [{ column, predicate }] };

/** The cell of an engine that finds these rows with bounds, and those without. */
async function cellOf(withBounds: readonly number[], without: readonly number[]) {
  const engine = {
    name: 'Spark',
    rows: async ({ name }) => (name === 'bounded' ? withBounds : without).map((seq) => ({ seq })),
  } satisfies Partial<Engine> as unknown as Engine;
  const context = { engines: [engine], notRun: new Map() } as unknown as Context;
  const [cell] = await Array.fromAsync(certifyNaN(context, twins));
  return cell;
}

test('NaN may stand above every number or in no comparison, the same with bounds and without', async () => {
  expect(await cellOf([1, 2, 3], [3, 2, 1])).toMatchObject({
    outcome: 'green',
    detail: expect.stringContaining('above every number'),
  });
  expect(await cellOf([1], [1])).toMatchObject({
    outcome: 'green',
    detail: expect.stringContaining('no comparison'),
  });
});

test('NaN that is found only where nothing is skipped is told, and so is a number that is missing', async () => {
  expect(await cellOf([1], [1, 2, 3])).toMatchObject({
    outcome: 'red',
    differences: ['>= 2: rows of NaN none for 2-3 without bounds'],
  });
  expect(await cellOf([1, 3], [1, 3])).toMatchObject({
    outcome: 'red',
    differences: ['>= 2: rows of NaN 3 for 2-3'],
  });
  expect(await cellOf([2, 3], [1, 2, 3])).toMatchObject({
    outcome: 'red',
    differences: ['>= 2: rows none for 1'],
  });
});
