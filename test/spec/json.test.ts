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

  test('reads what stringifyJson writes', () => {
    const value = { id: 8656952484400131532n, parent: -1, list: [1n << 62n, null, 'x'] };
    expect(parseJson(stringifyJson(value))).toEqual(value);
  });
});
