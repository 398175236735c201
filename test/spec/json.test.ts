import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../lib/spec/json.ts';

describe('parseJson', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['{"snapshot-id":8656952484400131532}', { 'snapshot-id': 8656952484400131532n }],
    [
      '[1e300,0.1234567890123456789,12345678901234567890.5]',
      [1e300, 0.12345678901234568, 12345678901234567000],
    ],
    ['{"etag":"1234567890123456","size":7}', { etag: '1234567890123456', size: 7 }],
  ])('keeps 64-bit integers of %s (C14)', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  test.each([
    ['double', '1.0'],
    ['float', '-0.0'],
    ['double', '1e+21'],
    ['float', '0.5'],
    ['int', '1'],
    ['long', '9223372036854775807'],
    ['string', '"1"'],
  ])(
    'writes a default of type %s as it read it, %s: Java refuses a double without a point',
    (type, value) => {
      const column = `{"id":1,"type":"${type}","initial-default":${value},"write-default":${value}}`;
      const schema = `{"fields":[{"type":{"type":"struct","fields":[${column}]},"rank":1}]}`;
      expect(stringifyJson(parseJson(schema))).toBe(schema);
    },
  );

  const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
  const awkward = fc.oneof(
    fc.constantFrom('"1234567890123456"', '\\', '\\"', '\0', '\x0a34567890123456', ':1234567890123456,'),
    fc.string(),
  );
  const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      integer,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      awkward,
      fc.constantFrom(null, true),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(awkward, fc.constantFrom('__proto__', '7', 'id')), tie('value'), { maxKeys: 4 }),
    ),
  }));

  test('reads like a reviver that gets the digits of every number', () => {
    const revive = (_key: string, value: unknown, { source }: { readonly source: string }) =>
      typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
        ? BigInt(source)
        : value;
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = stringifyJson(value, indent);
        expect(parseJson(text)).toStrictEqual(
          JSON.parse(text, revive as (key: string, value: unknown) => unknown),
        );
      }),
    );
  });

  test.each([
    '[0000000000000000001]',
    '[1234567890123456',
    '["1234567890123456',
    '{"a:1234567890123456}',
    '1234567890123456 1',
    '[+1234567890123456]',
  ])('refuses %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test('reads what stringifyJson writes', () => {
    const value = { id: 8656952484400131532n, parent: -1, list: [1n << 62n, null, 'x'] };
    expect(parseJson(stringifyJson(value))).toEqual(value);
  });
});
