import { describe, expect, test } from 'vitest';
import { RegistrarError } from '../../lib/errors.ts';
import { segmentOf, withFieldIds } from '../../lib/segment/segment.ts';
import {
  binary,
  encode,
  i32,
  i64,
  list,
  struct,
  type ThriftStruct,
  type ThriftValue,
} from '../fuzz/compact-writer.ts';
import { flatFooter, segmentFrom } from './flat-footer.ts';

const OPTIONAL = 1;
const REPEATED = 2;
const [LIST, MAP] = [3, 1];

type Node = {
  readonly element: Readonly<Record<number, ThriftValue | undefined>>;
  readonly children: readonly Node[];
};

const leaf = (name: string, id?: number, repetition = OPTIONAL): Node => ({
  element: { 1: i32(1), 3: i32(repetition), 4: binary(name), 9: id === undefined ? undefined : i32(id) },
  children: [],
});
const group = (
  name: string,
  children: readonly Node[],
  id?: number,
  repetition = OPTIONAL,
  converted?: number,
): Node => ({
  element: {
    3: i32(repetition),
    4: binary(name),
    5: i32(children.length),
    6: converted === undefined ? undefined : i32(converted),
    9: id === undefined ? undefined : i32(id),
  },
  children,
});
const listOf = (name: string, element: Node, id?: number): Node =>
  group(name, [group('list', [element], undefined, REPEATED)], id, OPTIONAL, LIST);
const mapOf = (name: string, key: Node, value: Node, id?: number): Node =>
  group(name, [group('key_value', [key, value], undefined, REPEATED)], id, OPTIONAL, MAP);
const variantOf = (name: string, children: readonly Node[], id?: number): Node => {
  const { element } = group(name, children, id);
  return { element: { ...element, 10: struct({ 16: struct({}) }) }, children };
};

const elements = (node: Node): ThriftStruct[] => [struct(node.element), ...node.children.flatMap(elements)];
const paths = ({ element, children }: Node, above: readonly ThriftValue[]): ThriftValue[][] => {
  const path = [...above, element[4] ?? binary('')];
  return children.length === 0 ? [path] : children.flatMap((child) => paths(child, path));
};

/** A file of one row with these columns, each leaf with `nulls` nulls or without statistics. */
function nested(columns: readonly Node[], nulls: readonly (number | undefined)[] = []): Uint8Array {
  const leaves = columns.flatMap((column) => paths(column, []));
  const chunks = leaves.map((path, index) => {
    const count = nulls[index];
    const statistics = count === undefined ? undefined : struct({ 3: i64(count) });
    const metaData = struct({
      1: i32(1),
      2: list('i32', []),
      3: list('binary', path),
      4: i32(0),
      5: i64(1),
      6: i64(9),
      7: i64(9),
      9: i64(4),
      12: statistics,
    });
    return struct({ 3: metaData });
  });
  return encode(
    struct({
      1: i32(1),
      2: list('struct', [
        struct({ 4: binary('root'), 5: i32(columns.length) }),
        ...columns.flatMap(elements),
      ]),
      3: i64(1),
      4: list('struct', [struct({ 1: list('struct', chunks), 2: i64(9), 3: i64(1) })]),
    }),
  );
}

const refusal = (footer: Uint8Array, options: Parameters<typeof segmentFrom>[1] = {}): string => {
  try {
    segmentFrom(footer, options);
    return 'accepted';
  } catch (error) {
    return error instanceof RegistrarError ? `${error.code} ${error.message}` : String(error);
  }
};

describe('segmentOf', () => {
  test('has the IDs of the file, 0 and nested ones too, and not those of middle groups (A6, A10)', () => {
    const odd = group('l', [group('bag', [leaf('array_element', 3)], 99, REPEATED)], 2, OPTIONAL, LIST);
    const { schema, idsFrom } = segmentFrom(
      nested([leaf('a', 0), odd, mapOf('m', leaf('k', 5), leaf('v', 6), 4)]),
    );
    expect(idsFrom).toBe('file');
    expect(schema.fields).toEqual([
      { id: 0, name: 'a', required: false, type: 'int' },
      {
        id: 2,
        name: 'l',
        required: false,
        type: { type: 'list', 'element-id': 3, element: 'int', 'element-required': false },
      },
      {
        id: 4,
        name: 'm',
        required: false,
        type: { type: 'map', 'key-id': 5, key: 'int', 'value-id': 6, value: 'int', 'value-required': false },
      },
    ]);
  });

  test.each<[string, Node[], RegExp]>([
    ['no IDs (A1)', [leaf('a')], /inconsistent.*no column has a field ID.*by_name/],
    ['IDs on some columns (A4)', [leaf('a', 1), leaf('b')], /inconsistent.*1 of 2.*"b"/],
    ['IDs on a struct but not in it (A4)', [group('s', [leaf('x')], 1)], /inconsistent.*"s.x"/],
    [
      'IDs on a map but not in it (A4)',
      [mapOf('m', leaf('k'), leaf('v'), 1)],
      /inconsistent.*2 of 3.*"m.key"/,
    ],
    ['one ID twice (A5)', [leaf('a', 5), group('s', [leaf('x', 5)], 1)], /inconsistent.*"a" and "s.x".*5/],
    ['a negative ID (A6)', [leaf('a', -1)], /inconsistent.*"a".*-1/],
    ['a reserved ID (A31)', [leaf('_row_id', 2147483540)], /inconsistent.*"_row_id"/],
    [
      'a two-level list (A7)',
      [group('l', [leaf('element', 2, REPEATED)], 1, OPTIONAL, LIST)],
      /unsupported_type.*"l".*three-level/,
    ],
    [
      'a list of a group called array (A7)',
      [group('l', [group('array', [leaf('x', 2)], undefined, REPEATED)], 1, OPTIONAL, LIST)],
      /unsupported_type.*"l"/,
    ],
    [
      'a list of a tuple (A7)',
      [group('l', [group('l_tuple', [leaf('x', 2)], undefined, REPEATED)], 1, OPTIONAL, LIST)],
      /unsupported_type.*"l"/,
    ],
    [
      'a list of groups of two (A7)',
      [group('l', [group('list', [leaf('x', 2), leaf('y', 3)], undefined, REPEATED)], 1, OPTIONAL, LIST)],
      /unsupported_type.*"l"/,
    ],
    [
      'a list of repeated fields',
      [group('l', [group('list', [leaf('x', 2, REPEATED)], undefined, REPEATED)], 1, OPTIONAL, LIST)],
      /unsupported_type.*"l"/,
    ],
    ['a repeated field outside of a list', [leaf('a', 1, REPEATED)], /unsupported_type.*"a".*repeated/],
    [
      'a map without values',
      [group('m', [group('key_value', [leaf('k', 2)], undefined, REPEATED)], 1, OPTIONAL, MAP)],
      /unsupported_type.*"m"/,
    ],
    ['a struct without fields (A23)', [leaf('a', 1), group('s', [], 2)], /unsupported_type.*"s"/],
    [
      'a group annotated as a string',
      [group('s', [leaf('x', 2)], 1, OPTIONAL, 0)],
      /inconsistent.*"s".*STRING/,
    ],
    ['two columns of one name (A25)', [leaf('a', 1), leaf('a', 2)], /inconsistent.*"a"/],
    [
      'names that only case tells apart (A25)',
      [leaf('id', 1), leaf('ID', 2)],
      /schema_mismatch.*"ID".*"id".*case_sensitive_names/,
    ],
    ['a name with a NUL', [leaf('a\0b', 1)], /schema_mismatch.*NUL/],
    ['a name that is empty', [leaf('', 1)], /schema_mismatch.*"".*is empty/],
    [
      'full names that collide (A24)',
      [leaf('s.x', 1), group('s', [leaf('x', 3)], 2)],
      /schema_mismatch.*"s.x"/,
    ],
  ])('refuses %s', (_, columns, message) => {
    expect(refusal(nested(columns))).toMatch(message);
  });

  test('accepts names that only case tells apart where the table is said to (A25)', () => {
    expect(refusal(nested([leaf('id', 1), leaf('ID', 2)]), { caseSensitiveNames: true })).toBe('accepted');
  });

  test('takes a VARIANT for one column of version 3, and refuses one with other fields than the encoding has (A21)', () => {
    const variant = (...names: readonly string[]) =>
      nested([
        variantOf(
          'v',
          names.map((name) => leaf(name)),
          1,
        ),
      ]);
    const v3 = { formatVersion: 3 } as const;
    for (const names of [
      ['metadata', 'value'],
      ['metadata', 'typed_value'],
      ['metadata', 'value', 'typed_value'],
    ]) {
      expect(segmentFrom(variant(...names), v3).schema.fields).toEqual([
        { id: 1, name: 'v', required: false, type: 'variant' },
      ]);
    }
    expect(refusal(variant('metadata', 'value'))).toMatch(/unsupported_type.*"v".*version 3/);
    for (const names of [['metadata'], ['value'], ['metadata', 'value', 'more']]) {
      expect(refusal(variant(...names), v3)).toMatch(/inconsistent.*"v".*VARIANT/);
    }
  });

  test('refuses nesting without end (A28)', () => {
    let column = leaf('x', 1000);
    for (let depth = 0; depth < 120; depth++) column = group('s', [column], depth);
    expect(refusal(nested([column]))).toMatch(/unreadable.*deeper than 100/);
  });

  test('knows which fields are never null: leaves without nulls, all around them, and what is required (A30)', () => {
    const columns = [
      leaf('a', 1),
      leaf('b', 2),
      leaf('unknown', 3),
      group('s', [leaf('x', 5), leaf('y', 6)], 4),
      listOf('l', leaf('element', 8), 7),
      mapOf('m', leaf('key', 10), leaf('value', 11), 9),
    ];
    const { provenNonNull } = segmentFrom(nested(columns, [0, 1, undefined, 0, 1, 1, 1, 1]));
    expect([...provenNonNull].sort((a, b) => a - b)).toEqual([1, 4, 5, 10]);
  });

  test('takes no proof from below a list: Arrow counts no null there for a row whose list is null (A30)', () => {
    const columns = [listOf('l', group('element', [leaf('x', 3, 0)], 2), 1)];
    const { provenNonNull } = segmentFrom(nested(columns, [0]));
    expect([...provenNonNull]).toEqual([3]);
  });

  test('needs the proof of every row group (A30)', () => {
    const groups = [
      { rows: 2, statistics: [{ nulls: 0 }] },
      { rows: 2, statistics: [undefined] },
    ];
    expect(segmentFrom(flatFooter([{ name: 'c', physical: 1 }], groups)).provenNonNull.size).toBe(0);
    const proven = [groups[0], groups[0]].map((each) => each ?? { rows: 0, statistics: [] });
    expect(segmentFrom(flatFooter([{ name: 'c', physical: 1 }], proven)).provenNonNull.has(1)).toBe(true);
  });

  test('says which bounds are values and which were cut by the writer (A32)', () => {
    const cut = { nulls: 0, min: Buffer.from('a'), max: Buffer.from('b'), isMaxExact: false };
    const [column] = segmentFrom(
      flatFooter([{ name: 'c', physical: 6 }], [{ rows: 2, statistics: [cut] }]),
    ).columns;
    expect([column?.lower?.isExact, column?.upper?.isExact]).toEqual([true, false]);
  });

  test('is empty without rows, with and without row groups (A26)', () => {
    for (const groups of [[], [{ rows: 0, statistics: [undefined] }]]) {
      const read = {
        kind: 'footer',
        uri: 's3://b/k',
        bytes: flatFooter([{ name: 'c', physical: 1 }], groups),
        etag: 'e',
        sizeBytes: 1000,
        lastModifiedMs: 0,
      } as const;
      const options = {
        formatVersion: 2,
        fieldIds: 'checked',
        caseSensitiveNames: false,
        timestampMillis: 'refuse',
      } as const;
      expect(segmentOf({ scheme: 's3', bucket: 'b', key: 'k' }, read, options)).toBe('empty');
    }
  });

  test('has one split offset for each row group with rows, ascending', () => {
    const groups = [1, 0, 2].map((rows) => ({ rows, statistics: [undefined] }));
    expect(segmentFrom(flatFooter([{ name: 'c', physical: 1 }], groups)).splitOffsets).toEqual([4n, 204n]);
  });

  test('keeps nothing of the footer that it was made of', () => {
    const footer = flatFooter(
      [{ name: 'c', physical: 6 }],
      [{ rows: 1, statistics: [{ nulls: 0, min: Buffer.from('a'), max: Buffer.from('a') }] }],
    );
    const segment = segmentFrom(footer);
    footer.fill(0);
    expect(Buffer.from(segment.columns[0]?.lower?.bytes ?? []).toString()).toBe('a');
  });
});

describe('withFieldIds', () => {
  const footer = nested(
    [
      leaf('ID'),
      leaf('a.b'),
      group('s', [leaf('x'), leaf('new')]),
      listOf('tags', leaf('item')),
      leaf('dropped'),
    ],
    [0, 0, 1, 1, 1, 1],
  );
  const segment = segmentFrom(footer, { fieldIds: 'by_name' });

  test('give provisional IDs in tree order to a file without any', () => {
    expect(segment.idsFrom).toBe('names');
    expect(segment.columns.map(({ fieldId }) => fieldId)).toEqual([1, 2, 4, 5, 7, 8]);
  });

  test('relabels schema, columns and proofs, and leaves out what has no ID', () => {
    const ids = new Map([
      [1, 10],
      [2, 20],
      [3, 30],
      [4, 31],
      [6, 40],
      [7, 41],
    ]);
    const relabelled = withFieldIds(segment, ids);
    expect(relabelled.schema.fields).toEqual([
      { id: 10, name: 'ID', required: false, type: 'int' },
      { id: 20, name: 'a.b', required: false, type: 'int' },
      {
        id: 30,
        name: 's',
        required: false,
        type: { type: 'struct', fields: [{ id: 31, name: 'x', required: false, type: 'int' }] },
      },
      {
        id: 40,
        name: 'tags',
        required: false,
        type: { type: 'list', 'element-id': 41, element: 'int', 'element-required': false },
      },
    ]);
    expect(relabelled.columns.map(({ fieldId, lineage }) => [fieldId, lineage])).toEqual([
      [10, [10]],
      [20, [20]],
      [31, [30, 31]],
      [41, [40, 41]],
    ]);
    expect([...relabelled.provenNonNull]).toEqual([10, 20]);
  });
});

test('segmentOf refuses names that grow with the square of the footer (A28)', () => {
  const long = 'n'.repeat(100_000);
  const columns = Array.from({ length: 200 }, (_, index) => leaf(`c${index}`, index + 1));
  expect(refusal(nested([group(long, columns, 0)]))).toMatch(/unreadable.*10000000 characters/);
});
