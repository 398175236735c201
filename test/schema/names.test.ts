import { describe, expect, test } from 'vitest';
import { column, complaints, evolvingTable, required, segment, struct } from './evolving-table.ts';

const id = required(1, 'id', 'long');

function followed(fields: Parameters<typeof segment>[0], options?: Parameters<typeof evolvingTable>[1]) {
  const table = evolvingTable(fields, options);
  table.register([segment(fields)]);
  return table;
}

describe('nameViolations', () => {
  test('a name held by another ID: refused, for a new column and for a rename, with the way out', () => {
    const table = followed([id, column(2, 'x', 'int'), column(3, 'y', 'int')]);
    expect(complaints(table.register([segment([id, column(4, 'x', 'int')])]))).toEqual([
      expect.stringMatching(/"x" \(4\): column 2 of the table has this name; rename or drop .*then redrive/),
    ]);
    expect(complaints(table.register([segment([id, column(3, 'x', 'int')])]))).toEqual([
      expect.stringMatching(/"x" \(3\): column 2 of the table has this name/),
    ]);
  });

  test('… and free again once others renamed or dropped the holder', () => {
    const table = followed([id, column(2, 'x', 'int')]);
    table.alter([id]);
    expect(table.register([segment([id, column(4, 'x', 'string')])]).refused.size).toBe(0);
    expect(table.state().currentSchema.fields).toEqual([id, column(4, 'x', 'string')]);
  });

  test('the same name in another struct is another column', () => {
    const table = followed([id, column(2, 's', struct(column(3, 'id', 'int')))]);
    expect(table.state().currentSchema.fields).toHaveLength(2);
  });

  describe('a name that moves from one ID to another in one merge, the mark of IDs by position', () => {
    const before = [column(1, 'a', 'string'), column(2, 'b', 'string')];
    const swapped = [column(1, 'b', 'string'), column(2, 'a', 'string')];
    const shifted = [column(1, 'new', 'string'), column(2, 'a', 'string'), column(3, 'b', 'string')];
    const freed = [column(1, 'c', 'string'), column(2, 'b', 'string'), column(3, 'a', 'string')];

    test.each([
      ['a swap', swapped, 2],
      ['a chain', shifted, 2],
      ['a new column with a freed name', freed, 1],
    ])('%s: refused', (_, after, violations) => {
      const merge = followed(before).register([segment(after)]);
      expect(complaints(merge)).toHaveLength(violations);
      for (const complaint of complaints(merge)) expect(complaint).toContain('set field_ids: stable');
    });

    test.each([
      ['a swap', swapped],
      ['a chain', shifted],
      ['a new column with a freed name', freed],
    ])('%s: done with field_ids: stable', (_, after) => {
      const table = followed(before);
      table.register([segment(after)], { fieldIds: 'stable' });
      expect(table.state().currentSchema.fields).toEqual(after);
    });

    test('… in nested structs too', () => {
      const table = followed([id, column(2, 's', struct(column(3, 'a', 'int'), column(4, 'b', 'int')))]);
      const merge = table.register([
        segment([id, column(2, 's', struct(column(3, 'b', 'int'), column(4, 'a', 'int')))]),
      ]);
      expect(complaints(merge)).toHaveLength(2);
    });

    test('… and seen although SQL renamed the column meanwhile', () => {
      const table = followed(before);
      table.alter([column(1, 'renamed', 'string'), column(2, 'b', 'string')]);
      expect(complaints(table.register([segment(shifted)]))).toHaveLength(2);
    });

    test('one step later the freed name may be taken', () => {
      const table = followed(before);
      table.register([segment([column(1, 'c', 'string'), column(2, 'b', 'string')]), segment(freed)]);
      expect(table.state().currentSchema.fields).toEqual(freed);
    });
  });

  test('only letter case apart: refused unless case_sensitive_names (A25)', () => {
    const after = [id, column(2, 'ID', 'int')];
    expect(complaints(followed([id]).register([segment(after)]))).toEqual([
      expect.stringMatching(
        /"ID" \(2\): only letter case tells it from column "id" \(1\).*case_sensitive_names: true/,
      ),
    ]);
    const table = followed([id]);
    table.register([segment(after)], { caseSensitiveNames: true });
    expect(table.state().currentSchema.fields).toEqual(after);
  });

  test('a collision that the table has already is no violation of a segment', () => {
    const table = evolvingTable([id, column(2, 'ID', 'int')]);
    expect(table.register([segment([id, column(2, 'ID', 'int')])]).refused.size).toBe(0);
  });

  test('one column may change its letter case', () => {
    const table = followed([id]);
    table.register([segment([required(1, 'ID', 'long')])]);
    expect(table.state().currentSchema.fields).toEqual([required(1, 'ID', 'long')]);
  });

  test('a.b beside a struct a with field b: refused, Java finds columns by full name (A24)', () => {
    const table = followed([id, column(2, 'a', struct(column(3, 'b', 'int')))]);
    expect(complaints(table.register([segment([id, column(4, 'a.b', 'int')])]))).toEqual([
      expect.stringMatching(/"a\.b" \(4\): column 3 of the table has this name/),
    ]);
  });

  test('a column named like a partition field: refused, but for the source of an identity field', () => {
    const fields = [id, column(2, 'ts', 'timestamptz'), column(3, 'region', 'string')];
    const table = followed(fields, {
      partitionFields: [
        { 'source-id': 2, 'field-id': 1000, name: 'ts_day', transform: 'day' },
        { 'source-id': 3, 'field-id': 1001, name: 'region', transform: 'identity' },
      ],
    });
    expect(complaints(table.register([segment([...fields, column(4, 'ts_day', 'date')])]))).toEqual([
      expect.stringMatching(/"ts_day" \(4\): partition field "ts_day" of the table has this name/),
    ]);
    const likeItsField = [id, column(2, 'ts_day', 'timestamptz'), column(3, 'region', 'string')];
    expect(complaints(table.register([segment(likeItsField)]))).toHaveLength(1);
    const renamed = [id, column(2, 'ts', 'timestamptz'), column(3, 'area', 'string')];
    table.register([segment(renamed)]);
    expect(complaints(table.register([segment([...renamed, column(4, 'region', 'string')])]))).toHaveLength(
      1,
    );
  });

  test('a name that the name mapping gives to another ID: refused', () => {
    const mapping = [{ 'field-id': 1, names: ['id', 'key'] }];
    const table = followed([id], { properties: { 'schema.name-mapping.default': JSON.stringify(mapping) } });
    expect(complaints(table.register([segment([id, column(2, 'key', 'int')])]))).toEqual([
      expect.stringMatching(/"key" \(2\): the table's name mapping gives this name to column 1/),
    ]);
  });
});
