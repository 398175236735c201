import { describe, expect, test } from 'vitest';
import { metricsConfig, metricsMode } from '../../lib/segment/metrics-config.ts';
import type { NestedField, Schema, Type } from '../../lib/spec/schema.ts';

const field = (id: number, type: Type = 'int', required = false, name = `c${id}`): NestedField => ({
  id,
  name,
  required,
  type,
});
const schemaOf = (...fields: NestedField[]): Schema => ({ type: 'struct', fields });
const columns = (count: number): NestedField[] =>
  Array.from({ length: count }, (_, index) => field(index + 1));
const modes = (
  schema: Schema,
  properties: Record<string, string>,
  ids: readonly number[],
  sorted: readonly number[] = [],
) => {
  const config = metricsConfig(properties, schema, sorted);
  return ids.map((id) => {
    const mode = metricsMode(config, id);
    return mode.kind === 'truncate' ? `truncate(${mode.length})` : mode.kind;
  });
};
const at = (name: string) => `write.metadata.metrics.${name}`;

describe('metricsConfig', () => {
  test('is truncate(16) without properties', () => {
    expect(modes(schemaOf(field(1)), {}, [1])).toEqual(['truncate(16)']);
  });

  test.each([
    ['none', 'none'],
    ['COUNTS', 'counts'],
    ['Truncate(4)', 'truncate(4)'],
    ['full', 'full'],
    ['truncate(0)', 'truncate(16)'],
    ['all of it', 'truncate(16)'],
  ])('reads the default "%s" as %s', (text, mode) => {
    expect(modes(schemaOf(field(1)), { [at('default')]: text }, [1])).toEqual([mode]);
  });

  test('has modes of single columns, nested ones and names with dots too', () => {
    const nested = field(2, { type: 'struct', fields: [field(3, 'int', false, 'x')] }, false, 's');
    const properties = {
      [at('column.s.x')]: 'counts',
      [at('column.a.b')]: 'none',
      [at('column.c1')]: 'what',
    };
    expect(modes(schemaOf(field(1), nested, field(4, 'int', false, 'a.b')), properties, [1, 3, 4])).toEqual([
      'truncate(16)',
      'counts',
      'none',
    ]);
  });

  test('has metrics of the first 100 columns of a wide table, and counts of its required ones (A33)', () => {
    const wide = schemaOf(...columns(100), field(101), field(102, 'int', true));
    expect(modes(wide, {}, [1, 100, 101, 102])).toEqual(['truncate(16)', 'truncate(16)', 'none', 'counts']);
    expect(modes(schemaOf(...columns(100)), {}, [100])).toEqual(['truncate(16)']);
  });

  test('has metrics of every column of a wide table that says so (A33)', () => {
    expect(modes(schemaOf(...columns(101)), { [at('default')]: 'full' }, [101])).toEqual(['full']);
    expect(modes(schemaOf(...columns(101)), { [at('max-inferred-column-defaults')]: '101' }, [101])).toEqual([
      'truncate(16)',
    ]);
  });

  test('counts structs against the limit and takes a struct level by level, as Java does', () => {
    const struct = field(1, {
      type: 'struct',
      fields: [field(2, { type: 'struct', fields: [field(3)] }), field(4)],
    });
    const schema = schemaOf(struct, field(5));
    expect(modes(schema, { [at('max-inferred-column-defaults')]: '4' }, [3, 4, 5])).toEqual([
      'truncate(16)',
      'truncate(16)',
      'truncate(16)',
    ]);
    expect(modes(schema, { [at('max-inferred-column-defaults')]: '2' }, [3, 4, 5])).toEqual([
      'none',
      'truncate(16)',
      'truncate(16)',
    ]);
  });

  test('counts a map to primitives twice and the keys of other maps not at all, as Java does', () => {
    const mapTo = (id: number, value: Type): NestedField =>
      field(id, {
        type: 'map',
        'key-id': id + 1,
        key: 'string',
        'value-id': id + 2,
        value,
        'value-required': false,
      });
    const limitOf = (limit: number) => ({ [at('max-inferred-column-defaults')]: String(limit) });
    const primitives = schemaOf(mapTo(1, 'int'), field(4));
    expect(modes(primitives, limitOf(3), [4])).toEqual(['truncate(16)']);
    expect(modes(primitives, limitOf(2), [2, 3, 4])).toEqual(['truncate(16)', 'none', 'truncate(16)']);
    const structs = schemaOf(mapTo(1, { type: 'struct', fields: [field(4)] }), field(5));
    expect(modes(structs, limitOf(2), [2, 4, 5])).toEqual(['truncate(16)', 'truncate(16)', 'truncate(16)']);
  });

  test('gives bounds to sort columns where the default has none, and yields to a mode of their own', () => {
    const schema = schemaOf(field(1), field(2));
    expect(modes(schema, { [at('default')]: 'counts' }, [1, 2], [2])).toEqual(['counts', 'truncate(16)']);
    expect(modes(schema, { [at('default')]: 'full' }, [1, 2], [2])).toEqual(['full', 'full']);
    expect(modes(schema, { [at('default')]: 'none', [at('column.c2')]: 'none' }, [1, 2], [2])).toEqual([
      'none',
      'none',
    ]);
  });
});
