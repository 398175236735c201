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

  test('reads what stringifyJson writes', () => {
    const value = { id: 8656952484400131532n, parent: -1, list: [1n << 62n, null, 'x'] };
    expect(parseJson(stringifyJson(value))).toEqual(value);
  });
});
