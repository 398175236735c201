import { describe, expect, test } from 'vitest';
import { schemaUpdates } from '../../lib/schema/schema-updates.ts';
import type { NestedField, Schema } from '../../lib/spec/schema.ts';
import { tableState } from '../fakes/table-state.ts';
import { column, list, required, struct } from './evolving-table.ts';

const schema = (id: number, ...rest: readonly NestedField[]): Schema => ({
  ...struct(...rest),
  'schema-id': id,
});

describe('schemaUpdates', () => {
  const old = schema(4, column(1, 'a', 'decimal(9, 2)'), column(2, 'l', list(3, 'decimal(9, 2)')));
  const current = schema(7, column(1, 'a', 'decimal(9, 2)'));
  const state = tableState({ schemas: [old, current], currentSchema: current, lastColumnId: 1_000_000 });

  test('the current schema: nothing', () => {
    expect(schemaUpdates(state, struct(column(1, 'a', 'decimal(9,2)')))).toEqual({
      schema: current,
      updates: [],
    });
  });

  test('an older one, white space in types aside: only switched to (D10)', () => {
    const wanted = struct(column(1, 'a', 'decimal(9,2)'), column(2, 'l', list(3, 'decimal(9,2)')));
    expect(schemaUpdates(state, wanted)).toEqual({
      schema: old,
      updates: [{ action: 'set-current-schema', 'schema-id': 4 }],
    });
  });

  test('a type spelled with its default parameters, as catalogs answer it without: nothing', () => {
    const shapes = schema(7, column(1, 'shape', 'geometry'));
    const withShapes = { ...state, schemas: [shapes], currentSchema: shapes };
    const wanted = struct(column(1, 'shape', 'geometry(OGC:CRS84)'));
    expect(schemaUpdates(withShapes, wanted).updates).toEqual([]);
  });

  test('a new one: the next ID, and last-column-id does not fall', () => {
    const { schema: added, updates } = schemaUpdates(state, struct(column(1, 'a', 'int')));
    expect(added['schema-id']).toBe(8);
    expect(updates).toEqual([
      { action: 'add-schema', schema: added, 'last-column-id': 1_000_000 },
      { action: 'set-current-schema', 'schema-id': -1 },
    ]);
  });

  test.each<[string, Schema]>([
    ['doc', struct(column(1, 'a', 'int', { doc: 'x' }))],
    ['defaults', struct(column(1, 'a', 'int', { 'write-default': 3 }))],
    ['nullability', struct(required(1, 'a', 'int'))],
    ['identifier fields', { ...struct(column(1, 'a', 'int')), 'identifier-field-ids': [1] }],
  ])('other %s make another schema', (_, wanted) => {
    const one = schema(0, column(1, 'a', 'int'));
    const before = tableState({ schemas: [one], currentSchema: one });
    expect(schemaUpdates(before, wanted).schema['schema-id']).toBe(1);
  });
});
