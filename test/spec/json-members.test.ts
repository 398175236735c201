import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrayEnd, decode, scanArray, scanObject, valueEnd } from '../../lib/spec/json-members.ts';

/** The members that `scanObject` finds, parsed. If a name occurs twice, the last one counts, as with `JSON.parse`. */
function parsed(text: string): Record<string, unknown> {
  const bytes = Buffer.from(text);
  const members: (readonly [string, unknown])[] = [];
  scanObject(bytes, 0, (name, start) => {
    const valueAt = { start, end: valueEnd(bytes, start) };
    members.push([name, JSON.parse(decode(bytes, valueAt))]);
    return valueAt.end;
  });
  return Object.fromEntries(members);
}

test('scanObject finds what JSON.parse finds in any object, however it is spaced', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
      fc.constantFrom(undefined, 1, '\t', '\r\n '),
      (object, space) => {
        const text = JSON.stringify(object, undefined, space);
        expect(parsed(` ${text}\n`)).toStrictEqual(JSON.parse(text));
      },
    ),
  );
});

test.each([
  ['brackets and quotes in texts', String.raw`{"a":"}]\"{[\\","b":{"c":"\\\\\"]"}}`],
  ['a name that comes twice: the last', '{"a":[1],"a":{"a":2}}'],
  ['names with escapes', String.raw`{"snapshots":1,"sn\"ap":2}`],
  ['names inside of values', '{"b":{"a":1,"b":[{"a":2}]},"a":"b"}'],
  ['integers of 64 bits', '{"a":3055729675574597004,"b":-1.5e3,"c":true,"d":null}'],
])('scanObject takes %s', (_, text) => {
  expect(parsed(text)).toStrictEqual(JSON.parse(text));
});

test.each(['', '[]', '"a"', '{', '{"a"}', '{"a":}', '{"a":1', '{"a":[1}', '{"a":"b', '{"a":1,}', '{a:1}'])(
  'scanObject refuses %j or leaves it to whoever parses the part',
  (text) => {
    expect(() => parsed(text)).toThrow(SyntaxError);
  },
);

test('arrayEnd finds the end of an array from between two of its elements', () => {
  const text = Buffer.from('{"x":[[1],[2]],"list":[{"a":"]"},{"b":[2]}],"y":3}');
  const start = text.indexOf('[{"a"');
  const whole = '[{"a":"]"},{"b":[2]}]';
  for (const known of ['[', '[{"a":"]"}', '[{"a":"]"},{"b":[2]}']) {
    const end = arrayEnd(text, start + known.length);
    expect(decode(text, { start, end })).toBe(whole);
  }
  expect(() => arrayEnd(text.subarray(0, start + whole.length - 1), start + 1)).toThrow(SyntaxError);
});

/** The elements that `scanArray` visits, parsed, and the end that it returns. */
function elements(text: string, from = 0): { readonly values: readonly unknown[]; readonly end: number } {
  const bytes = Buffer.from(text);
  const values: unknown[] = [];
  const end = scanArray(bytes, from, (element) => values.push(JSON.parse(decode(bytes, element))));
  return { values, end };
}

test('scanArray visits what JSON.parse finds in any array, in its order, however it is spaced', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1, '\r\n '), (array, space) => {
      const text = JSON.stringify(array, undefined, space);
      const { values, end } = elements(` ${text} ,"x"]`, 1);
      expect(values).toStrictEqual(JSON.parse(text));
      expect(end).toBe(1 + Buffer.byteLength(text));
    }),
  );
});

test.each(['', '{}', 'null', '[', '[1', '[1,', '[1,]', '[,1]', '[1 2]', '[{]}', '["a]'])(
  'scanArray refuses %j or leaves it to whoever parses the element',
  (text) => {
    expect(() => elements(text)).toThrow(SyntaxError);
  },
);
