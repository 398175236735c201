import { describe, expect, test } from 'vitest';
import { datasetSchemaProperty } from '../../lib/schema/dataset-schema.ts';
import { mergeSchemas } from '../../lib/schema/merge.ts';
import { formatChange } from '../../lib/schema/schema-change.ts';
import { column, complaints, evolvingTable, list, map, required, segment, struct } from './evolving-table.ts';

const id = required(1, 'id', 'long');
const note = column(2, 'note', 'string');

/** A table that has followed a dataset of these columns. */
function followed(fields: Parameters<typeof segment>[0], options?: Parameters<typeof evolvingTable>[1]) {
  const table = evolvingTable(fields, options);
  table.register([segment(fields)]);
  return table;
}

describe('mergeSchemas: what the dataset changes', () => {
  test('a segment that lacks columns changes nothing, and so does not date them: a rename from before it is followed', () => {
    const [a, b] = [column(1, 'a', 'int'), column(2, 'b', 'int')];
    const table = evolvingTable([a, b]);
    table.register([segment([a, b])]);
    const renaming = segment([column(1, 'renamed', 'int'), b]);
    table.register([segment([a])]);
    table.register([renaming]);
    expect(table.state().currentSchema.fields.map(({ name }) => name)).toEqual(['renamed', 'b']);
  });

  test('same schema: no change, and no update at all', () => {
    const table = followed([id, note]);
    const merge = table.register([segment([id, note]), segment([note, id])]);
    expect(merge).toMatchObject({ updates: [], changes: [] });
    expect(merge.refused.size).toBe(0);
    expect(merge.schema['schema-id']).toBe(0);
  });

  test('new column: added at the end, optional, under the segment’s ID', () => {
    const table = followed([id]);
    const merge = table.register([segment([required(7, 'qty', 'int'), id])]);
    expect(table.state().currentSchema.fields).toEqual([id, column(7, 'qty', 'int')]);
    expect(merge.updates[0]).toMatchObject({ action: 'add-schema', 'last-column-id': 7 });
    expect(merge.updates[1]).toEqual({ action: 'set-current-schema', 'schema-id': -1 });
    expect(merge.changes.map(formatChange)).toEqual(['+ qty (7): int']);
  });

  test('new columns at every depth: in structs, list elements and map values', () => {
    const before = [
      column(1, 's', struct(column(2, 'a', 'int'))),
      column(3, 'l', list(4, struct(column(5, 'a', 'int')))),
      column(6, 'm', map(7, 'string', 8, struct(column(9, 'a', 'int')))),
    ];
    const after = [
      column(1, 's', struct(column(2, 'a', 'int'), column(10, 'b', struct(column(11, 'c', 'int'))))),
      column(3, 'l', list(4, struct(column(5, 'a', 'int'), column(12, 'b', list(13, 'int'))))),
      column(
        6,
        'm',
        map(7, 'string', 8, struct(column(9, 'a', 'int'), column(14, 'b', map(15, 'int', 16, 'int')))),
      ),
    ];
    const table = followed(before);
    table.register([segment(after)]);
    expect(table.state().currentSchema.fields).toEqual(after);
    expect(table.state().lastColumnId).toBe(16);
  });

  test('rename: the table’s column is renamed, nested ones too', () => {
    const table = followed([id, column(2, 's', struct(column(3, 'a', 'int')))]);
    const merge = table.register([
      segment([required(1, 'key', 'long'), column(2, 't', struct(column(3, 'b', 'int')))]),
    ]);
    expect(merge.changes.map(formatChange)).toEqual([
      '~ key (1): renamed from id',
      '~ t (2): renamed from s',
      '~ t.b (3): renamed from s.a',
    ]);
  });

  test('rename back to a name that the ID had: never', () => {
    const table = followed([column(1, 'a', 'int')]);
    table.register([segment([column(1, 'b', 'int')])]);
    const merge = table.register([segment([column(1, 'a', 'int'), column(2, 'c', 'int')])]);
    expect(merge.refused.size).toBe(0);
    expect(table.state().currentSchema.fields.map(({ name }) => name)).toEqual(['b', 'c']);
  });

  test.each([
    ['int', 'long'],
    ['float', 'double'],
    ['decimal(9,2)', 'decimal(18,2)'],
  ])('promotion: %s → %s', (from, to) => {
    const table = followed([column(1, 'x', from)]);
    const merge = table.register([segment([column(1, 'x', to)])]);
    expect(table.state().currentSchema.fields).toEqual([column(1, 'x', to)]);
    expect(merge.changes.map(formatChange)).toEqual([`~ x (1): ${from} → ${to}`]);
  });

  test.each([
    ['long', 'int', 'never becomes narrower'],
    ['double', 'float', 'never becomes narrower'],
    ['decimal(18,2)', 'decimal(9,2)', 'never becomes narrower'],
    ['int', 'string', 'only int → long'],
    ['int', 'float', 'only int → long'],
    ['decimal(9,2)', 'decimal(18,3)', 'only int → long'],
    ['timestamp', 'timestamptz', 'only int → long'],
    ['date', 'timestamp', 'only int → long'],
  ])('narrower and other types are refused: %s → %s', (from, to, rule) => {
    const table = followed([id, column(2, 'x', from)]);
    const before = table.state();
    const merge = table.register([segment([id, column(2, 'x', to)])]);
    expect(complaints(merge)).toEqual([expect.stringContaining(rule)]);
    expect(complaints(merge)[0]).toMatch(/^- column "x" \(2\): /);
    for (const type of [from, to]) expect(complaints(merge)[0]).toContain(type);
    expect(merge.schema).toEqual(before.currentSchema);
    expect(merge.updates).toEqual([]);
    expect(table.state()).toEqual(before);
  });

  test('struct ↔ primitive, list ↔ map: refused, once, not again for what is inside', () => {
    const table = followed([
      id,
      column(2, 's', struct(column(3, 'a', 'int'))),
      column(4, 'l', list(5, 'int')),
    ]);
    const merge = table.register([
      segment([id, column(2, 's', 'string'), column(4, 'l', map(5, 'int', 6, 'int'))]),
    ]);
    expect(complaints(merge)).toEqual([
      expect.stringMatching(/column "s" \(2\).*file has string, the dataset struct/),
      expect.stringMatching(/column "l" \(4\).*file has map, the dataset list/),
    ]);
  });

  test('column absent from the segment: stays', () => {
    const table = followed([id, note]);
    expect(table.register([segment([id])]).changes).toEqual([]);
    expect(table.state().currentSchema.fields).toEqual([id, note]);
  });

  test('other parent: refused', () => {
    const table = followed([id, column(2, 's', struct(column(3, 'a', 'int')))]);
    const merge = table.register([segment([id, column(3, 'a', 'int')])]);
    expect(complaints(merge)).toEqual([
      expect.stringMatching(
        /column "a" \(3\): a column never moves, but the file has it at the root, .* column 2/,
      ),
    ]);
  });

  test('element, key and value keep their IDs: refused otherwise', () => {
    const table = followed([id, column(2, 'l', list(3, 'int')), column(4, 'm', map(5, 'int', 6, 'int'))]);
    const merge = table.register([
      segment([id, column(2, 'l', list(7, 'int')), column(4, 'm', map(5, 'int', 8, 'int'))]),
    ]);
    expect(complaints(merge)).toEqual([
      expect.stringMatching(/"l\.element" \(7\): the element of a list keeps its field ID, which is 3/),
      expect.stringMatching(/"m\.value" \(8\): the value of a map keeps its field ID, which is 6/),
    ]);
  });

  test('changed map key: refused, promotions and columns in it too', () => {
    const table = followed([
      id,
      column(2, 'm', map(3, 'int', 4, 'int')),
      column(5, 'n', map(6, struct(column(7, 'a', 'int')), 8, 'int')),
    ]);
    const merge = table.register([
      segment([
        id,
        column(2, 'm', map(3, 'long', 4, 'long')),
        column(5, 'n', map(6, struct(column(7, 'a', 'long'), column(9, 'b', 'int')), 8, 'int')),
      ]),
    ]);
    expect(complaints(merge)).toEqual([
      expect.stringMatching(/"m\.key" \(3\): map keys never change/),
      expect.stringMatching(/"n\.key\.a" \(7\): map keys never change/),
      expect.stringMatching(/"n\.key\.b" \(9\): map keys never change/),
    ]);
  });

  test('all violations of a segment are in one error, and its good changes are not made (A3)', () => {
    const table = followed([
      column(1, 'id', 'int'),
      column(2, 'name', 'string'),
      column(3, 'dept', 'string'),
      column(4, 'subdept', 'string'),
    ]);
    const merge = table.register([
      segment([column(1, 'name', 'string'), column(2, 'subdept', 'int'), column(9, 'new', 'int')]),
    ]);
    const [error] = merge.refused.values();
    expect(error?.code).toBe('sink.iceberg_schema_mismatch');
    expect(error?.message).toContain('table "lake.orders"');
    expect(complaints(merge)).toHaveLength(2);
    expect(merge.changes).toEqual([]);
  });

  test('a batch that changed twice becomes one schema, in upload order whatever the order in the batch', () => {
    const table = followed([column(1, 'a', 'int')]);
    const [second, third] = [
      segment([column(1, 'a', 'long'), column(2, 'b', 'int')]),
      segment([column(1, 'a', 'long'), column(2, 'c', 'int'), column(3, 'd', 'int')]),
    ];
    const merge = table.register([third, second]);
    expect(merge.updates.filter(({ action }) => action === 'add-schema')).toHaveLength(1);
    expect(table.state().currentSchema.fields).toEqual([
      column(1, 'a', 'long'),
      column(2, 'c', 'int'),
      column(3, 'd', 'int'),
    ]);
  });

  test('a refused segment of a batch does not hold back the others', () => {
    const table = followed([id, note]);
    const [bad, good] = [segment([id, column(2, 'note', 'int')]), segment([id, note, column(3, 'x', 'int')])];
    const merge = table.register([bad, good]);
    expect([...merge.refused.keys()]).toEqual([bad.uri]);
    expect(table.state().currentSchema.fields.map(({ name }) => name)).toEqual(['id', 'note', 'x']);
  });
});

describe('mergeSchemas: late segments', () => {
  const v1 = [column(1, 'a', 'int')];
  const v2 = [column(1, 'b', 'long'), column(2, 'c', 'string')];

  test('a schema followed before, uploaded now (mixed fleets, redrives): no rename, no violation, no update', () => {
    const table = followed(v1);
    table.register([segment(v2)]);
    const merge = table.register([segment(v1)]);
    expect(merge).toMatchObject({ updates: [], changes: [] });
    expect(merge.refused.size).toBe(0);
  });

  test('uploaded before the last change: no rename, a narrower type is read, new IDs are added', () => {
    const table = evolvingTable(v2);
    const early = segment([column(1, 'a', 'int'), column(3, 'd', 'int')]);
    table.register([segment(v2)]);
    const merge = table.register([early]);
    expect(merge.refused.size).toBe(0);
    expect(table.state().currentSchema.fields).toEqual([...v2, column(3, 'd', 'int')]);
  });

  test('uploaded in the very moment of the last change: neither came first, a narrower type is read', () => {
    const table = evolvingTable([column(1, 'a', 'int')]);
    const [narrow, wide] = [
      segment([column(1, 'a', 'int'), column(2, 'b', 'int')]),
      segment([column(1, 'a', 'int'), column(2, 'b', 'long')]),
    ];
    const lastModifiedMs = narrow.lastModifiedMs;
    table.register([{ ...wide, lastModifiedMs }]);
    expect(table.register([{ ...narrow, lastModifiedMs }]).refused.size).toBe(0);
    expect(table.state().currentSchema.fields[1]).toEqual(column(2, 'b', 'long'));
  });

  test('a late name is remembered: the fleet that still has it never renames', () => {
    const table = evolvingTable(v2);
    const early = segment([column(1, 'a', 'long')]);
    table.register([segment(v2)]);
    table.register([early]);
    table.register([segment([column(1, 'a', 'long'), column(4, 'new', 'int')])]);
    expect(table.state().currentSchema.fields.map(({ name }) => name)).toEqual(['b', 'c', 'new']);
  });

  test('late, but wider than what is known: promoted', () => {
    const table = followed([column(1, 'a', 'int')]);
    const early = segment([column(1, 'a', 'long')]);
    table.register([segment([column(1, 'a', 'int'), column(2, 'b', 'int')])]);
    table.register([early]);
    expect(table.state().currentSchema.fields[0]).toEqual(column(1, 'a', 'long'));
  });

  test('late and of another type: refused like any other', () => {
    const table = followed(v1);
    const early = segment([column(1, 'a', 'string')]);
    table.register([segment(v2)]);
    expect(complaints(table.register([early]))).toHaveLength(1);
  });
});

describe('mergeSchemas: what others do to the table', () => {
  test('a column renamed by SQL keeps that name until the dataset renames it', () => {
    const table = followed([id, note]);
    table.alter([id, column(2, 'remark', 'string')]);
    expect(table.register([segment([id, note, column(3, 'x', 'int')])]).refused.size).toBe(0);
    expect(table.state().currentSchema.fields.map(({ name }) => name)).toEqual(['id', 'remark', 'x']);
    table.register([segment([id, column(2, 'comment', 'string'), column(3, 'x', 'int')])]);
    expect(table.state().currentSchema.fields.map(({ name }) => name)).toEqual(['id', 'comment', 'x']);
  });

  test('a column promoted by SQL stays so, and the dataset’s int reads under it', () => {
    const table = followed([id, column(2, 'n', 'int')]);
    table.alter([id, column(2, 'n', 'long')]);
    expect(table.register([segment([id, column(2, 'n', 'int'), column(3, 'x', 'int')])]).refused.size).toBe(
      0,
    );
    table.register([segment([id, column(2, 'n', 'long'), column(3, 'x', 'int')])]);
    expect(table.state().currentSchema.fields[1]).toEqual(column(2, 'n', 'long'));
  });

  test('a column promoted by SQL beyond the dataset’s promotion is not narrowed', () => {
    const table = followed([column(1, 'n', 'decimal(9,2)')]);
    table.alter([column(1, 'n', 'decimal(38,2)')]);
    expect(table.register([segment([column(1, 'n', 'decimal(12,2)')])]).changes).toEqual([]);
    expect(table.state().currentSchema.fields).toEqual([column(1, 'n', 'decimal(38,2)')]);
  });

  test('a column dropped by SQL stays dropped, is reported once, and the segment is appended', () => {
    const table = followed([id, note, column(3, 's', struct(column(4, 'a', 'int')))]);
    table.alter([id]);
    const first = table.register([segment([id, note, column(3, 's', struct(column(4, 'a', 'int')))])]);
    expect(first.refused.size).toBe(0);
    expect(first.changes.map(formatChange)).toEqual([
      '- note (2): dropped from the table by others, stays dropped',
      '- s (3): dropped from the table by others, stays dropped',
    ]);
    const second = table.register([segment([id, note, column(3, 's', struct(column(4, 'a', 'int')))])]);
    expect(second).toMatchObject({ updates: [], changes: [] });
    expect(table.state().currentSchema.fields).toEqual([id]);
  });

  test('below a dropped parent: dropped too, whatever type it takes', () => {
    const table = followed([id, column(3, 's', struct(column(4, 'a', 'int')))]);
    table.alter([id]);
    const grown = struct(column(4, 'a', 'string'), column(5, 'b', 'int'));
    const merge = table.register([segment([id, column(3, 's', grown)])]);
    expect(merge.refused.size).toBe(0);
    expect(merge.changes.map(({ kind }) => kind)).toEqual(['absent']);
    expect(table.state().currentSchema.fields).toEqual([id]);
  });

  test.each([
    ['the element of a new list', column(3, 'l', list(2, 'string'))],
    ['the value of a new map', column(3, 'm', map(4, 'string', 2, 'string'))],
    ['a field of a new struct', column(3, 's', struct(column(2, 'note', 'string')))],
  ])('the ID of a column dropped by SQL as %s: that segment is refused', (_, moved) => {
    const table = followed([id, note]);
    table.alter([id]);
    const [good, bad] = [segment([id]), segment([id, moved])];
    const merge = table.register([good, bad]);
    expect(complaints(merge)).toEqual([expect.stringMatching(/a column never moves/)]);
    expect([...merge.refused.keys()]).toEqual([bad.uri]);
    expect(table.state().currentSchema.fields).toEqual([id]);
  });

  test('a dropped column that becomes a struct around a column of the table: refused', () => {
    const qty = column(3, 'qty', 'int');
    const table = followed([id, note, qty]);
    table.alter([id, qty]);
    const merge = table.register([segment([id, column(2, 'note', struct(column(3, 'qty', 'string')))])]);
    expect(complaints(merge)).toEqual([expect.stringMatching(/note.qty.*the table has this ID elsewhere/)]);
  });

  test('a column that SQL added under the ID the dataset takes next: adopted when it is the same', () => {
    const table = followed([id]);
    table.alter([id, column(2, 'x', 'int')]);
    const merge = table.register([segment([id, column(2, 'x', 'int')])]);
    expect(merge.refused.size).toBe(0);
    expect(merge.changes).toEqual([]);
    table.register([segment([id, column(2, 'x', 'long')])]);
    expect(table.state().currentSchema.fields[1]).toEqual(column(2, 'x', 'long'));
  });

  test.each([
    ['name', column(2, 'y', 'int'), /has this ID for column "x"/],
    ['type', column(2, 'x', 'string'), /the file has string, the table int, and only int → long/],
    ['parent', column(3, 's', struct(column(2, 'x', 'int'))), /has this ID elsewhere/],
  ])('… and refused when its %s is another', (_, theirs, complaint) => {
    const table = followed([id]);
    table.alter([id, column(2, 'x', 'int')]);
    expect(complaints(table.register([segment([id, theirs])]))).toEqual([expect.stringMatching(complaint)]);
  });

  test('an ID that only an older schema of the table has is refused: old data files may hold its values', () => {
    const table = evolvingTable([id, note]);
    table.alter([id]);
    table.register([segment([id])]);
    const merge = table.register([segment([id, column(2, 'x', 'string')])]);
    expect(complaints(merge)).toEqual([
      expect.stringMatching(/column "x" \(2\): this ID was column "note" of the table, which was dropped/),
    ]);
  });

  test('… but not before the first snapshot', () => {
    const empty = evolvingTable([id, note], { empty: true });
    empty.alter([id]);
    expect(empty.register([segment([id, column(2, 'x', 'string')])]).refused.size).toBe(0);
  });

  test('doc, defaults, identifier fields and attributes unknown to us are sent back as loaded', () => {
    const documented = {
      ...required(1, 'id', 'long'),
      doc: 'the key',
      'write-default': 7,
      'x-unknown': { a: 1 },
    };
    const table = evolvingTable([documented, note], { identifierIds: [1] });
    table.register([segment([id, note, column(3, 'x', 'int')])]);
    expect(table.state().currentSchema).toMatchObject({
      'identifier-field-ids': [1],
      fields: [documented, note, column(3, 'x', 'int')],
    });
  });

  test('an evolved schema equal to an older one is only switched to', () => {
    const table = followed([id]);
    table.register([segment([id, note])]);
    table.alter([id]);
    table.commit({ action: 'remove-properties', removals: [datasetSchemaProperty] });
    // Under the rules of first contact the dropped ID would be refused: the table must not have had data.
    const state = { ...table.state(), snapshots: new Map() };
    const merge = mergeSchemas(state, [segment([id, note])], {
      fieldIds: 'checked',
      caseSensitiveNames: false,
    });
    expect(merge.updates[0]).toEqual({ action: 'set-current-schema', 'schema-id': 1 });
    expect(merge.schema['schema-id']).toBe(1);
  });
});

describe('mergeSchemas: first contact', () => {
  test('a table that fits: its schema stays, and the dataset schema is set', () => {
    const table = evolvingTable([id, note]);
    const merge = table.register([segment([id, note])]);
    expect(merge.updates).toEqual([
      { action: 'set-properties', updates: { [datasetSchemaProperty]: expect.any(String) } },
    ]);
    expect(merge.schema['schema-id']).toBe(0);
  });

  test('IDs that agree up to promotion: the wider type stands, either way', () => {
    const table = evolvingTable([column(1, 'a', 'int'), column(2, 'b', 'long')]);
    table.register([segment([column(1, 'a', 'long'), column(2, 'b', 'int')])]);
    expect(table.state().currentSchema.fields).toEqual([column(1, 'a', 'long'), column(2, 'b', 'long')]);
  });

  test.each([
    ['long', 'int', 'long'],
    ['int', 'long', 'long'],
    ['decimal(9,2)', 'decimal(18,2)', 'decimal(18,2)'],
  ])(
    'a table’s %s and a dataset’s %s are %s, be it the first segment that has the column or a later one',
    (held, brought, wider) => {
      const [without, having] = [segment([id]), segment([id, column(2, 'b', brought)])];
      for (const order of [[[without], [having]], [[having], [without]], [[without, having]]]) {
        const table = evolvingTable([id, column(2, 'b', held)]);
        for (const batch of order) expect(complaints(table.register(batch))).toEqual([]);
        expect(table.state().currentSchema.fields).toEqual([id, column(2, 'b', wider)]);
      }
    },
  );

  test.each([
    ['name', [id, column(2, 'remark', 'string')], /has this ID for column "note"/],
    ['type', [id, column(2, 'note', 'int')], /the file has int, the table string/],
    ['parent', [id, column(3, 's', struct(column(2, 'note', 'string')))], /has this ID elsewhere/],
  ])('another %s under an ID is refused: nothing is renamed', (_, fields, complaint) => {
    const table = evolvingTable([id, note]);
    expect(complaints(table.register([segment(fields)]))).toEqual([expect.stringMatching(complaint)]);
    expect(table.state().properties).not.toHaveProperty(datasetSchemaProperty);
  });

  test('a map key is not promoted', () => {
    const table = evolvingTable([id, column(2, 'm', map(3, 'int', 4, 'int'))]);
    expect(complaints(table.register([segment([id, column(2, 'm', map(3, 'long', 4, 'int'))])]))).toEqual([
      expect.stringMatching(/"m\.key" \(3\): map keys never change/),
    ]);
  });

  test('the batch’s first upload is the first contact, wherever it stands in the batch', () => {
    const table = evolvingTable([column(1, 'a', 'int')]);
    const [first, second] = [segment([column(1, 'a', 'int')]), segment([column(1, 'b', 'int')])];
    expect(table.register([second, first]).refused.size).toBe(0);
    expect(table.state().currentSchema.fields).toEqual([column(1, 'b', 'int')]);
  });

  test('new columns are added', () => {
    const table = evolvingTable([id]);
    table.register([segment([id, note])]);
    expect(table.state().currentSchema.fields).toEqual([id, note]);
  });

  test('a dataset schema that cannot be read is no schema: table.unsupported', () => {
    const table = evolvingTable([id], { properties: { [datasetSchemaProperty]: '{"v":2}' } });
    expect(() => table.register([segment([id])])).toThrow(
      expect.objectContaining({
        code: 'table.unsupported',
        message: expect.stringContaining(datasetSchemaProperty),
      }),
    );
  });
});

describe('mergeSchemas: every segment against the resulting table', () => {
  test('no common column at all: refused', () => {
    const table = followed([id, note]);
    table.alter([id]);
    expect(complaints(table.register([segment([note])]))).toEqual([
      expect.stringContaining('none of its field IDs is in the table'),
    ]);
  });

  test('a type that others made unreadable: refused, of a schema followed before too', () => {
    const table = followed([id, note]);
    table.alter([id, column(2, 'note', 'binary')]);
    expect(complaints(table.register([segment([id, note])]))).toEqual([
      expect.stringMatching(/column "note" \(2\): the file has string, the table binary/),
    ]);
  });

  test('a required column that the segment lacks becomes optional', () => {
    const table = followed([id, required(2, 'n', 'int')]);
    const merge = table.register([segment([id])]);
    expect(merge.changes.map(formatChange)).toEqual(['~ n (2): required → optional']);
    expect(table.state().currentSchema.fields[1]).toEqual(column(2, 'n', 'int'));
  });

  test('a required column without proof of no nulls becomes optional, with proof it stays (A30)', () => {
    const table = followed([required(1, 'a', 'int'), required(2, 'b', 'int')]);
    table.register([
      segment([column(1, 'a', 'int'), column(2, 'b', 'int')], { provenNonNull: new Set([1]) }),
    ]);
    expect(table.state().currentSchema.fields).toEqual([required(1, 'a', 'int'), column(2, 'b', 'int')]);
  });

  test('the same schema is checked too: proof may be missing in one segment of many', () => {
    const fields = [column(1, 'a', 'int')];
    const table = evolvingTable([required(1, 'a', 'int')]);
    table.register([segment(fields, { provenNonNull: new Set([1]) })]);
    expect(table.state().currentSchema.fields).toEqual([required(1, 'a', 'int')]);
    table.register([segment(fields)]);
    expect(table.state().currentSchema.fields).toEqual([column(1, 'a', 'int')]);
  });

  test('required inside of a struct that the segment lacks: only the struct is relaxed', () => {
    const table = followed([id, required(2, 's', struct(required(3, 'a', 'int')))]);
    table.register([segment([id])]);
    expect(table.state().currentSchema.fields[1]).toEqual(column(2, 's', struct(required(3, 'a', 'int'))));
  });

  test('a required part of a map key is never relaxed: a segment that does not prove it is refused', () => {
    const keyed = (part: typeof id) => [id, column(2, 'm', map(3, struct(part), 5, 'int'))];
    const table = followed(keyed(required(4, 'a', 'int')));
    const merge = table.register([segment(keyed(column(4, 'a', 'int')), { provenNonNull: new Set([1]) })]);
    expect(complaints(merge)).toEqual([
      expect.stringMatching(/"m.key.a" \(4\): map keys never change, but the file does not prove/),
    ]);
  });

  test('required elements and values are relaxed, map keys never', () => {
    const strict = (elements: boolean) => [
      column(1, 'l', { ...(list(2, 'int') as object), 'element-required': elements } as never),
      column(3, 'm', { ...(map(4, 'int', 5, 'int') as object), 'value-required': elements } as never),
    ];
    const table = followed(strict(true));
    table.register([segment(strict(false))]);
    expect(table.state().currentSchema.fields).toEqual(strict(false));
  });

  test('an identity partition value or an initial default supplies what a segment lacks', () => {
    const region = required(2, 'region', 'string');
    const level = { ...required(3, 'level', 'int'), 'initial-default': 1, 'write-default': 1 };
    const table = evolvingTable([id, region, level], {
      formatVersion: 3,
      partitionFields: [{ 'source-id': 2, 'field-id': 1000, name: 'region', transform: 'identity' }],
    });
    table.register([segment([id])]);
    expect(table.state().currentSchema.fields).toEqual([id, region, level]);
    table.register([segment([id, column(2, 'region', 'string'), column(3, 'level', 'int')])]);
    expect(table.state().currentSchema.fields.map((field) => field.required)).toEqual([true, false, false]);
  });

  test('an identifier field that the segment lacks or does not prove: refused', () => {
    const table = evolvingTable([id, note], { identifierIds: [1] });
    expect(complaints(table.register([segment([note])]))).toEqual([
      expect.stringMatching(/column "id" \(1\): .*identifier fields, and the file lacks it/),
    ]);
    expect(complaints(table.register([segment([column(1, 'id', 'long'), note])]))).toEqual([
      expect.stringMatching(/does not prove that it has no nulls/),
    ]);
    expect(
      table.register([segment([column(1, 'id', 'long')], { provenNonNull: new Set([1]) })]).refused.size,
    ).toBe(0);
  });
});
