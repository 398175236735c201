import { describe, expect, test } from 'vitest';
import { differences } from '../../certify/compare.ts';
import { fulfils } from '../../certify/evaluate.ts';
import { list, optional, required, schema, struct } from '../../local/shipper/schema-notation.ts';

const shape = schema(
  required(1, 'seq', 'long'),
  optional(2, 'v', 'decimal(9,2)'),
  optional(3, 's', struct(optional(4, 'x', 'int'))),
  optional(5, 'l', list(6, 'timestamptz')),
);
const shipped = [
  { seq: '1', v: '-0.10', s: null, l: ['2026-01-01T00:00:00.000001+00:00'] },
  { seq: '2', v: null, s: { x: '1' }, l: [] },
];
const columns = ['v', 's', 'l'];

describe('differences', () => {
  test('none between spellings of the same values', () => {
    const read = [
      { seq: 2n, v: null, s: [1n], l: [] },
      { seq: 1, v: '-0.1', s: null, l: ['2026-01-01 00:00:00.000001 UTC'] },
    ];
    expect(differences(shape, shipped, read, columns)).toEqual([]);
  });

  test('rows missing, twice and never shipped', () => {
    const second = { seq: '2', v: null, s: { x: 1 }, l: [] };
    expect(differences(shape, shipped, [second, second, { ...second, seq: '3' }], columns)).toEqual([
      'row 2 twice',
      'row 3 was not shipped',
      'row 1 is missing',
    ]);
  });

  test('a value that is another one, and a null that is an empty one', () => {
    const read = [
      { seq: '1', v: '-0.11', s: { x: null }, l: shipped[0]?.l },
      { seq: '2', v: null, s: { x: '1' }, l: null },
    ];
    expect(differences(shape, shipped, read, columns)).toEqual([
      'v: "-0.11" for "-0.10"',
      'nested null as empty: s: {"x":null} for null',
      'nested null as empty: l: null for []',
    ]);
  });
});

describe('fulfils', () => {
  const row = { v: '-0.10', t: 'ü', n: null, u: 'ff00' };

  test.each([
    [{ column: 'v', type: 'decimal(9,2)', op: '<', value: '0.00' }, true],
    [{ column: 'v', type: 'decimal(9,2)', op: '>=', value: '-0.10' }, true],
    [{ column: 'v', type: 'decimal(9,2)', op: 'in', values: ['0.10', '-0.10'] }, true],
    [{ column: 't', type: 'string', op: '<', value: 'z' }, false],
    [{ column: 't', type: 'string', op: 'starts with', value: 'ü' }, true],
    [{ column: 'u', type: 'binary', op: '>=', value: '7f' }, true],
    [{ column: 'n', type: 'int', op: '<', value: '1' }, false],
    [{ column: 'n', type: 'int', op: 'is null' }, true],
    [{ column: 'n', type: 'int', op: 'is not null' }, false],
  ] as const)('%j: %s', (predicate, expected) => {
    expect(fulfils(row, predicate)).toBe(expected);
  });
});
