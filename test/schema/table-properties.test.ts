import { describe, expect, test } from 'vitest';
import { readDatasetSchema } from '../../lib/schema/dataset-schema.ts';
import { column, evolvingTable, required, segment, struct } from './evolving-table.ts';

const mappingProperty = 'schema.name-mapping.default';
const id = required(1, 'id', 'long');

describe('table properties that follow a merge', () => {
  test('the name mapping gets new columns and new names; old names stay', () => {
    const before = [id, column(2, 's', struct(column(3, 'a', 'int')))];
    const mapping = [
      { 'field-id': 1, names: ['id'] },
      { 'field-id': 2, names: ['s', 'alias'], fields: [{ 'field-id': 3, names: ['a'] }] },
      { 'field-id': 9, names: ['dropped'] },
    ];
    const table = evolvingTable(before, { properties: { [mappingProperty]: JSON.stringify(mapping) } });
    table.register([segment(before)]);
    expect(table.state().properties[mappingProperty]).toBe(JSON.stringify(mapping));
    table.register([
      segment([
        id,
        column(2, 't', struct(column(3, 'b', 'int'), column(4, 'c', 'int'))),
        column(5, 'u', struct(column(6, 'v', 'int'))),
      ]),
    ]);
    expect(JSON.parse(table.state().properties[mappingProperty] ?? '')).toEqual([
      { 'field-id': 1, names: ['id'] },
      {
        'field-id': 2,
        names: ['s', 'alias', 't'],
        fields: [
          { 'field-id': 3, names: ['a', 'b'] },
          { 'field-id': 4, names: ['c'] },
        ],
      },
      { 'field-id': 9, names: ['dropped'] },
      { 'field-id': 5, names: ['u'], fields: [{ 'field-id': 6, names: ['v'] }] },
    ]);
  });

  test('a table of files with IDs gets no name mapping of its own', () => {
    const table = evolvingTable([id]);
    table.register([segment([id, column(2, 'x', 'int')])]);
    expect(table.state().properties).not.toHaveProperty(mappingProperty);
  });

  test('column properties follow renames, of structs for what is inside', () => {
    const before = [column(1, 'a', 'int'), column(2, 's', struct(column(3, 'x', 'int')))];
    const table = evolvingTable(before, {
      properties: {
        'write.metadata.metrics.column.a': 'full',
        'write.metadata.metrics.column.s.x': 'none',
        'write.parquet.bloom-filter-enabled.column.a': 'true',
        'write.metadata.metrics.default': 'counts',
      },
    });
    table.register([segment(before)]);
    table.register([segment([column(1, 'b', 'int'), column(2, 't', struct(column(3, 'x', 'int')))])]);
    expect(table.state().properties).toMatchObject({
      'write.metadata.metrics.column.b': 'full',
      'write.metadata.metrics.column.t.x': 'none',
      'write.parquet.bloom-filter-enabled.column.b': 'true',
      'write.metadata.metrics.default': 'counts',
    });
    expect(Object.keys(table.state().properties).filter((key) => /column\.(a|s)/.test(key))).toEqual([]);
  });

  test('column properties of swapped names are swapped', () => {
    const before = [column(1, 'a', 'int'), column(2, 'b', 'int')];
    const table = evolvingTable(before, {
      properties: {
        'write.metadata.metrics.column.a': 'full',
        'write.metadata.metrics.column.b': 'none',
        'write.parquet.bloom-filter-enabled.column.a': 'true',
      },
    });
    table.register([segment(before)]);
    table.register([segment([column(1, 'b', 'int'), column(2, 'a', 'int')])], { fieldIds: 'stable' });
    const { properties } = table.state();
    expect(properties['write.metadata.metrics.column.b']).toBe('full');
    expect(properties['write.metadata.metrics.column.a']).toBe('none');
    expect(properties['write.parquet.bloom-filter-enabled.column.b']).toBe('true');
    expect(properties).not.toHaveProperty('write.parquet.bloom-filter-enabled.column.a');
  });

  test('the dataset schema is cumulative: absent columns stay, every name is kept, the last change is dated', () => {
    const table = evolvingTable([column(1, 'a', 'int'), column(2, 'b', 'int')]);
    table.register([segment([column(1, 'a', 'int'), column(2, 'b', 'int')])]);
    const change = segment([column(1, 'c', 'long')]);
    table.register([change, segment([column(1, 'c', 'long')])]);
    const dataset = readDatasetSchema(table.state().properties);
    expect(dataset?.columns.get(1)).toMatchObject({ name: 'c', type: 'long' });
    expect(dataset?.columns.get(2)).toMatchObject({ name: 'b', type: 'int' });
    expect(dataset?.pastNames.get(1)).toEqual(['a']);
    expect(dataset?.followed).toHaveLength(2);
    expect(dataset?.changedMs).toBe(change.lastModifiedMs);
  });
});
