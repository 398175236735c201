import { describe, expect, test } from 'vitest';
import { fieldIdsByName } from '../../lib/schema/column-ids.ts';
import { type Columns, columnsOf } from '../../lib/schema/columns.ts';
import { unknownDataset } from '../../lib/schema/dataset-schema.ts';
import { nameViolations } from '../../lib/schema/names.ts';
import { column, struct } from './evolving-table.ts';

const wide = (from: number, to: number) =>
  struct(...Array.from({ length: to - from }, (_, at) => column(from + at, `c${from + at}`, 'int')));

/** Columns that count how often they are gone through. */
function counted(columns: Columns) {
  const walks = { count: 0 };
  const counting = new Map(columns);
  counting.values = () => {
    walks.count += 1;
    return new Map(columns).values();
  };
  return { columns: counting, walks };
}

describe('wide schemas (A33): a merge goes through what was there a few times, not once a column', () => {
  test('nameViolations', () => {
    const { columns, walks } = counted(columnsOf(wide(1, 101)));
    const violations = nameViolations(
      columnsOf(wide(1, 301)),
      { table: columns, dataset: columns },
      { caseSensitiveNames: false, namesMayMove: false, partitionFields: [], mapping: undefined },
    );
    expect(violations).toEqual([]);
    expect(walks.count).toBeLessThan(5);
  });

  test('fieldIdsByName', () => {
    const { columns, walks } = counted(columnsOf(wide(1, 101)));
    const merged = { table: columns, dataset: { ...unknownDataset, columns } };
    const ids = fieldIdsByName(wide(1, 301), [], merged, 100);
    expect([...ids].every(([provisional, final]) => provisional === final)).toBe(true);
    expect(walks.count).toBeLessThan(5);
  });

  test('fieldIdsByName takes as many columns as a file may have', () => {
    const columns = columnsOf(wide(1, 100_000));
    const merged = { table: columns, dataset: { ...unknownDataset, columns } };
    const ids = fieldIdsByName(struct(column(1, 'more', 'int')), [], merged, 0);
    expect(ids.get(1)).toBe(100_000);
  });
});
