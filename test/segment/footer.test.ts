import { describe, expect, test } from 'vitest';
import { decodeFooter } from '../../lib/segment/footer.ts';
import { binary, boolean, encode, i32, i64, list, struct, type ThriftValue } from '../fuzz/compact-writer.ts';
import { flatFooter } from './flat-footer.ts';

const root = struct({ 4: binary('root'), 5: i32(1) });
const column = struct({ 1: i32(1), 3: i32(1), 4: binary('c'), 9: i32(1) });
const fileMetaData = (fields: Readonly<Record<number, ThriftValue | undefined>> = {}): Buffer =>
  encode(
    struct({ 1: i32(2), 2: list('struct', [root, column]), 3: i64(0), 4: list('struct', []), ...fields }),
  );

/** A struct that begins with the given bytes. */
const after = (...bytes: number[]): Buffer => Buffer.concat([Buffer.from(bytes), Buffer.alloc(64)]);

describe('decodeFooter', () => {
  test('reads what a registration needs and keeps statistics as bytes', () => {
    const statistics = [{ nulls: 1, min: Uint8Array.of(1, 0, 0, 0), max: Uint8Array.of(2, 0, 0, 0) }];
    const footer = decodeFooter(flatFooter([{ name: 'c', physical: 1 }], [{ rows: 3, statistics }]));
    expect(footer.schema.map(({ name, fieldId }) => [name, fieldId])).toEqual([
      ['root', undefined],
      ['c', 1],
    ]);
    expect(footer).toMatchObject({ numRows: 3, columnOrders: ['typeDefined'] });
    const chunk = [...footer.rowGroups()][0]?.columns[0]?.metaData;
    expect(chunk?.numValues).toBe(3);
    expect([...(chunk?.statistics?.maxValue ?? [])]).toEqual([2, 0, 0, 0]);
  });

  test.each([0n, -1n, 63n, 64n, -64n, 2n ** 48n - 1n, 2n ** 48n, -(2n ** 48n), 2n ** 53n, -(2n ** 52n)])(
    'reads the 64-bit number %d to the last bit',
    (value) => {
      expect(decodeFooter(fileMetaData({ 3: i64(value) })).numRows).toBe(Number(value));
    },
  );

  test.each([2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)])(
    'reads the 64-bit number %d, which counts nothing in a file, nearly',
    (value) => {
      const { numRows } = decodeFooter(fileMetaData({ 3: i64(value) }));
      expect(Math.abs(numRows - Number(value))).toBeLessThanOrEqual(2);
    },
  );

  test('skips fields it does not know, of every type and nested', () => {
    const unknown = struct({
      1: boolean(true),
      2: boolean(false),
      3: list('boolean', [boolean(true), boolean(false)]),
      4: list('struct', [struct({ 1: binary('x') })]),
      300: i64(-5),
    });
    expect(decodeFooter(fileMetaData({ 31: unknown, 32767: binary('extension') })).schema.length).toBe(2);
  });

  test('skips maps, sets, doubles and UUIDs, which Parquet does not use', () => {
    const known = fileMetaData().subarray(0, -1);
    const map = [0x0b, 40, 1, 0x53, 2, 7]; // field 20: map of one i32 to i8
    const set = [0x1a, 0x25, 2, 4]; // field 21: set of two i32
    const double = [0x17, ...new Uint8Array(8)];
    const uuid = [0x1d, ...new Uint8Array(16)];
    const bytes = Buffer.concat([known, Buffer.from([...map, ...set, ...double, ...uuid, 0])]);
    expect(decodeFooter(bytes).schema.length).toBe(2);
  });

  test.each<[string, Uint8Array, RegExp]>([
    ['nothing', Buffer.alloc(0), /the end at byte 0/],
    ['a struct without an end', fileMetaData().subarray(0, -1), /the end/],
    ['bytes behind the struct (A27)', Buffer.concat([fileMetaData(), Buffer.alloc(3)]), /3 bytes early/],
    ['no version', fileMetaData({ 1: undefined }), /required version/],
    ['no schema', fileMetaData({ 2: undefined }), /required schema/],
    ['no row groups', fileMetaData({ 4: undefined }), /required rowGroups/],
    ['a field of another wire type', fileMetaData({ 3: i32(0) }), /numRows of wire type 5/],
    ['a list of another element type', fileMetaData({ 2: list('i32', [i32(1)]) }), /list of wire type 5/],
    [
      'a name that is no UTF-8',
      fileMetaData({ 2: list('struct', [struct({ 4: binary(Uint8Array.of(0xff)) })]) }),
      /UTF-8/,
    ],
    ['an empty union', fileMetaData({ 7: list('struct', [struct({})]) }), /empty ColumnOrder/],
    [
      'a union of two',
      fileMetaData({ 7: list('struct', [struct({ 1: struct({}), 2: struct({}) })]) }),
      /more than one/,
    ],
    ['encrypted columns (A27)', fileMetaData({ 8: struct({ 1: struct({}) }) }), /encrypted/],
    [
      'a varint without an end (A28)',
      after(0x29, 0xfc, ...new Array<number>(20).fill(0xff)),
      /varint of more than 5/,
    ],
    ['a varint beyond 32 bits', after(0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x7f), /beyond 32 bits/],
    [
      'a 64-bit varint without an end (A28)',
      after(0x36, ...new Array<number>(20).fill(0xff)),
      /varint of more than 10/,
    ],
    ['a varint beyond 64 bits', after(0x36, ...new Array<number>(9).fill(0xff), 0x7f), /beyond 64 bits/],
    [
      'a list longer than the footer (A28)',
      after(0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07),
      /length of 2147483647/,
    ],
    [
      'a string longer than the footer (A28)',
      after(0x68, 0xff, 0xff, 0xff, 0xff, 0x0f),
      /length of 4294967295/,
    ],
    [
      'a map longer than the footer (A28)',
      after(0xbb, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x55),
      /length of 4294967295/,
    ],
    ['nesting without end (A28)', after(...new Array<number>(100).fill(0xfc)), /nesting of more than 32/],
    [
      'nested lists without end (A28)',
      after(0xf9, ...new Array<number>(100).fill(0x19)),
      /nesting of more than 32/,
    ],
    ['a wire type that does not exist', after(0xfe), /wire type 14/],
    ['a field ID beyond 16 bits', after(0x05, 0xff, 0xff, 0x0f), /field ID/],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => decodeFooter(bytes)).toThrow(
      expect.objectContaining({ code: 'segment.unreadable', message: expect.stringMatching(message) }),
    );
  });

  test('refuses more schema elements than memory should hold', () => {
    const elements = new Array<ThriftValue>(100_001).fill(struct({ 4: binary('') }));
    expect(() => decodeFooter(fileMetaData({ 2: list('struct', elements) }))).toThrow(/the limit is 100000/);
  });

  test('does at most one step per byte of a large footer in each pass (A28)', () => {
    const columns = Array.from({ length: 200 }, (_, i) => ({ name: `c${i}`, physical: 1 }));
    const statistics = columns.map(() => ({
      nulls: 0,
      min: Uint8Array.of(0, 0, 0, 0),
      max: Uint8Array.of(1, 0, 0, 0),
    }));
    const bytes = flatFooter(columns, new Array(20).fill({ rows: 5, statistics }));
    const footer = decodeFooter(bytes);
    expect(footer.work()).toBeLessThan(bytes.length);
    expect([...footer.rowGroups()].length).toBe(20);
    expect(footer.work()).toBeLessThan(2 * bytes.length);
  });

  test('a schema with the same bytes as an earlier one is the same object, and counts as the same work', () => {
    const first = decodeFooter(fileMetaData());
    const again = decodeFooter(
      encode(
        struct({ 2: list('struct', [root, column]), 1: i32(1_000_000), 3: i64(7), 4: list('struct', []) }),
      ),
    );
    expect(again.schema).toBe(first.schema);
    expect(again.numRows).toBe(7);
    expect(again.work()).toBe(first.work());
    const renamed = struct({ 1: i32(1), 3: i32(1), 4: binary('d'), 9: i32(1) });
    expect(decodeFooter(fileMetaData({ 2: list('struct', [root, renamed]) })).schema).not.toBe(first.schema);
  });

  test('a schema is forgotten after a few others, and a large schema is not kept', () => {
    const named = (name: string) => {
      const leaf = struct({ 1: i32(1), 3: i32(1), 4: binary(name), 9: i32(1) });
      return decodeFooter(fileMetaData({ 2: list('struct', [root, leaf]) })).schema;
    };
    const first = named('first');
    for (let other = 0; other < 8; other += 1) named(`other ${other}`);
    expect(named('first')).not.toBe(first);
    const large = 'x'.repeat(20_000);
    expect(named(large)).not.toBe(named(large));
  });
});
