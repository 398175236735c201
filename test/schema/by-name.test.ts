import { describe, expect, test } from 'vitest';
import { readDatasetSchema } from '../../lib/schema/dataset-schema.ts';
import { column, complaints, evolvingTable, list, map, required, segment, struct } from './evolving-table.ts';

const mappingProperty = 'schema.name-mapping.default';
const byName = { fieldIds: 'by_name' } as const;

/** A segment without field IDs: those of its schema are provisional, in the order of its tree. */
function unidentified(fields: Parameters<typeof segment>[0], more?: Parameters<typeof segment>[1]) {
  return segment(fields, { idsFrom: 'names', ...more });
}

describe('mergeSchemas: segments without field IDs', () => {
  const id = required(10, 'id', 'long');
  const note = column(20, 'note', 'string');

  test('names are those of the table: the segment gets its IDs, and the mapping is set in the same commit (A1)', () => {
    const table = evolvingTable([id, note]);
    const one = unidentified([column(1, 'note', 'string'), required(2, 'id', 'long')]);
    const merge = table.register([one], byName);
    expect(merge.fieldIdsOf.get(one.uri)).toEqual(
      new Map([
        [1, 20],
        [2, 10],
      ]),
    );
    expect(merge.changes).toEqual([]);
    expect(JSON.parse(table.state().properties[mappingProperty] ?? '')).toEqual([
      { 'field-id': 10, names: ['id'] },
      { 'field-id': 20, names: ['note'] },
    ]);
    expect(
      table.register([unidentified([column(1, 'note', 'string'), required(2, 'id', 'long')])], byName),
    ).toMatchObject({
      updates: [],
    });
  });

  test('new columns get no ID that the mapping gives to another name', () => {
    const mapping = [
      { 'field-id': 10, names: ['id'] },
      { 'field-id': 12, names: ['x'] },
    ];
    const table = evolvingTable([id], { properties: { [mappingProperty]: JSON.stringify(mapping) } });
    table.register(
      [unidentified([required(1, 'id', 'long'), column(2, 'c', 'int'), column(3, 'd', 'int')])],
      byName,
    );
    table.register([unidentified([required(1, 'id', 'long'), column(2, 'x', 'int')])], byName);
    expect(table.state().currentSchema.fields).toEqual([
      id,
      column(13, 'c', 'int'),
      column(14, 'd', 'int'),
      column(12, 'x', 'int'),
    ]);
  });

  test('new columns get the next IDs at every depth, and are in the mapping: element, key, value', () => {
    const table = evolvingTable([id]);
    const one = unidentified([
      required(1, 'id', 'long'),
      column(2, 's', struct(column(3, 'a', 'int'))),
      column(4, 'l', list(5, 'int')),
      column(6, 'm', map(7, 'string', 8, 'int')),
    ]);
    table.register([one], byName);
    expect(table.state().currentSchema.fields).toEqual([
      id,
      column(11, 's', struct(column(12, 'a', 'int'))),
      column(13, 'l', list(14, 'int')),
      column(15, 'm', map(16, 'string', 17, 'int')),
    ]);
    expect(JSON.parse(table.state().properties[mappingProperty] ?? '').slice(1)).toEqual([
      { 'field-id': 11, names: ['s'], fields: [{ 'field-id': 12, names: ['a'] }] },
      { 'field-id': 13, names: ['l'], fields: [{ 'field-id': 14, names: ['element'] }] },
      {
        'field-id': 15,
        names: ['m'],
        fields: [
          { 'field-id': 16, names: ['key'] },
          { 'field-id': 17, names: ['value'] },
        ],
      },
    ]);
  });

  test('two segments of a batch with the same new column share its ID', () => {
    const table = evolvingTable([id]);
    const batch = [1, 2].map(() => unidentified([required(1, 'id', 'long'), column(2, 'x', 'int')]));
    const merge = table.register(batch, byName);
    expect(batch.map(({ uri }) => merge.fieldIdsOf.get(uri)?.get(2))).toEqual([11, 11]);
    expect(table.state().lastColumnId).toBe(11);
  });

  test('an alias of the mapping is that column, and renames nothing', () => {
    const mapping = [{ 'field-id': 10, names: ['id', 'key'] }];
    const table = evolvingTable([id], { properties: { [mappingProperty]: JSON.stringify(mapping) } });
    const one = unidentified([required(1, 'key', 'long')]);
    expect(table.register([one], byName).fieldIdsOf.get(one.uri)).toEqual(new Map([[1, 10]]));
    expect(table.state().currentSchema.fields).toEqual([id]);
    expect(readDatasetSchema(table.state().properties)?.columns.get(10)?.name).toBe('id');
  });

  test('a name of the mapping whose column was dropped stays dropped', () => {
    const table = evolvingTable([id, note]);
    const fields = [required(1, 'id', 'long'), column(2, 'note', 'string')];
    table.register([unidentified(fields)], byName);
    table.alter([id]);
    expect(table.register([unidentified(fields)], byName).refused.size).toBe(0);
    expect(table.state().currentSchema.fields).toEqual([id]);
  });

  test('a column below a dropped struct has one ID, and no other column gets it', () => {
    const table = evolvingTable([id, column(20, 's', struct(column(21, 'a', 'int')))]);
    const grown = [
      required(1, 'id', 'long'),
      column(2, 's', struct(column(3, 'a', 'int'), column(4, 'b', 'int'))),
    ];
    table.register(
      [
        unidentified(
          grown.map((field) => (field.id === 2 ? column(2, 's', struct(column(3, 'a', 'int'))) : field)),
        ),
      ],
      byName,
    );
    table.alter([id]);
    table.commit({ action: 'remove-properties', removals: [mappingProperty] });
    const [first, second] = [unidentified(grown), unidentified(grown)];
    const below = table.register([first], byName).fieldIdsOf.get(first.uri)?.get(4);
    expect(table.register([second], byName).fieldIdsOf.get(second.uri)?.get(4)).toBe(below);
    const third = unidentified([...grown, column(5, 'new', 'int')]);
    const ids = table.register([third], byName).fieldIdsOf.get(third.uri);
    expect([below, ids?.get(5)]).toEqual([22, 23]);
    expect(table.state().currentSchema.fields).toEqual([id, column(23, 'new', 'int')]);
  });

  test('a column renamed by SQL is still found under its old name', () => {
    const table = evolvingTable([id, note]);
    const fields = [required(1, 'id', 'long'), column(2, 'note', 'string')];
    table.register([unidentified(fields)], byName);
    table.alter([id, column(20, 'remark', 'string')]);
    const one = unidentified(fields);
    expect(table.register([one], byName).fieldIdsOf.get(one.uri)?.get(2)).toBe(20);
    expect(table.state().currentSchema.fields).toEqual([id, column(20, 'remark', 'string')]);
  });

  test('a name that the mapping gives to nothing becomes a column', () => {
    const mapping = [{ 'field-id': 10, names: ['id'] }, { names: ['x'] }];
    const table = evolvingTable([id], { properties: { [mappingProperty]: JSON.stringify(mapping) } });
    table.register([unidentified([required(1, 'id', 'long'), column(2, 'x', 'int')])], byName);
    expect(JSON.parse(table.state().properties[mappingProperty] ?? '')).toEqual([
      { 'field-id': 10, names: ['id'] },
      { 'field-id': 11, names: ['x'] },
    ]);
  });

  test('a name with a dot is one name (A24)', () => {
    const table = evolvingTable([id]);
    table.register([unidentified([required(1, 'id', 'long'), column(2, 'a.b', 'int')])], byName);
    expect(JSON.parse(table.state().properties[mappingProperty] ?? '')[1]).toEqual({
      'field-id': 11,
      names: ['a.b'],
    });
  });

  test('two columns that the mapping takes for one: refused', () => {
    const mapping = [{ 'field-id': 10, names: ['id', 'key'] }];
    const table = evolvingTable([id], { properties: { [mappingProperty]: JSON.stringify(mapping) } });
    const merge = table.register(
      [unidentified([required(1, 'id', 'long'), required(2, 'key', 'long')])],
      byName,
    );
    expect(complaints(merge)).toEqual([
      expect.stringMatching(/"id" \(10\): the name mapping takes it and "key" for one column/),
    ]);
  });

  test('types widen and are refused as with IDs', () => {
    const table = evolvingTable([column(10, 'n', 'int')]);
    table.register([unidentified([column(1, 'n', 'long')])], byName);
    expect(table.state().currentSchema.fields).toEqual([column(10, 'n', 'long')]);
    expect(complaints(table.register([unidentified([column(1, 'n', 'string')])], byName))).toHaveLength(1);
  });

  test('a column that SQL added is taken by its name, of a narrower type too', () => {
    const table = evolvingTable([id]);
    table.register([unidentified([required(1, 'id', 'long')])], byName);
    table.alter([id, column(11, 'x', 'long')]);
    const one = unidentified([required(1, 'id', 'long'), column(2, 'x', 'int')]);
    expect(table.register([one], byName).fieldIdsOf.get(one.uri)?.get(2)).toBe(11);
  });

  test('proof of no nulls counts under the final IDs', () => {
    const table = evolvingTable([id]);
    table.register([unidentified([column(1, 'id', 'long')], { provenNonNull: new Set([1]) })], byName);
    expect(table.state().currentSchema.fields).toEqual([id]);
  });

  test('a mapping that is none: table.unsupported', () => {
    const table = evolvingTable([id], { properties: { [mappingProperty]: '{"id":1}' } });
    expect(() => table.register([unidentified([column(1, 'id', 'long')])], byName)).toThrow(
      expect.objectContaining({ code: 'table.unsupported' }),
    );
  });
});
