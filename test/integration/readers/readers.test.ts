import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Schema } from '../../../lib/spec/schema.ts';
import { list, map, optional, required, schema, struct } from '../../../local/shipper/schema-notation.ts';
import { describeWith } from '../services/describe-with.ts';
import { type Row, sorted } from './canonical.ts';
import { readWithDuckDb } from './duckdb.ts';
import { writeWithPyIceberg } from './foreign-writer.ts';
import { readWithPyIceberg } from './pyiceberg.ts';

const everything: Schema = schema(
  required(1, 'id', 'long'),
  optional(2, 'count', 'int'),
  optional(3, 'price', 'decimal(38,4)'),
  optional(4, 'ratio', 'double'),
  optional(5, 'at', 'timestamptz'),
  optional(6, 'local', 'timestamp'),
  optional(7, 'day', 'date'),
  optional(8, 'clock', 'time'),
  optional(9, 'raw', 'binary'),
  optional(10, 'flag', 'boolean'),
  optional(11, 'tags', list(14, 'string')),
  optional(12, 'attributes', map(15, 'string', 16, 'long')),
  optional(13, 'place', struct(optional(17, 'city', 'string'), optional(18, 'zip', 'int'))),
);

const full: Row = {
  id: '9007199254740993',
  count: '-7',
  price: '1234567890123456789012345678901234.5678',
  ratio: 0.1,
  at: '1969-12-31T23:59:59.999999+00:00',
  local: '2026-01-02T03:04:05.000006',
  day: '1899-12-31',
  clock: '23:59:59.999999',
  raw: '00ff',
  flag: true,
  tags: ['a', null, 'ü'],
  attributes: [['k', '9223372036854775807']],
  place: { city: null, zip: '12' },
};
const empty: Row = Object.fromEntries(
  everything.fields.map(({ name }) => [name, name === 'id' ? '-1' : null]),
);
const odd: Row = { ...empty, id: '2', ratio: 'NaN', tags: [], attributes: [] };

/** The independent readers give back exactly what was written, so a difference elsewhere is the registrar's. */
describeWith('the independent readers', ['seaweedfsCatalog'], ({ seaweedfsCatalog: catalog }) => {
  const table = () => ({ catalog, namespace: [`readers_${randomUUID().slice(0, 8)}`], name: 't' });

  test('PyIceberg and DuckDB spell every type alike', async () => {
    const everyType = table();
    const rows = [full, empty, odd, { ...odd, id: '3', ratio: 'Infinity' }, { ...odd, id: '4', ratio: '-0' }];
    const [, appended] = await writeWithPyIceberg(everyType, [
      { do: 'create', schema: everything },
      { do: 'append', rows },
    ]);
    const [pyIceberg, duckDb] = await Promise.all([readWithPyIceberg(everyType), readWithDuckDb(everyType)]);
    expect(sorted(pyIceberg.rows)).toEqual(sorted(rows));
    expect(sorted(duckDb.rows)).toEqual(sorted(rows));
    expect([pyIceberg.rowCount, duckDb.rowCount]).toEqual([5, 5]);
    expect(pyIceberg.schema).toMatchObject({ fields: everything.fields });
    expect(pyIceberg.currentSnapshotId).toBe(appended);
    expect(pyIceberg.dataFiles).toMatchObject([{ content: 'data', recordCount: '5' }]);
    expect(Object.keys(duckDb.fileFieldIds)).toEqual(pyIceberg.dataFiles.map(({ path }) => path));
  });

  test('a foreign writer evolves, deletes, rewrites, expires and rolls back', async () => {
    const evolving = table();
    const ids = await writeWithPyIceberg(evolving, [
      { do: 'create', schema: schema(required(1, 'id', 'int'), optional(2, 'old', 'string')) },
      { do: 'append', rows: [{ id: '1', old: 'a' }] },
      { do: 'rename_column', column: 'old', to: 'new' },
      { do: 'promote_column', column: 'id', type: 'long' },
      { do: 'add_column', column: 'added', type: 'double' },
      { do: 'append', rows: [{ id: '2', new: 'b', added: 1.5 }] },
      { do: 'delete', filter: 'id = 1' },
      { do: 'overwrite' },
      { do: 'set_properties', properties: { owner: 'someone else' } },
    ]);
    const changed = await readWithPyIceberg(evolving);
    expect(changed.rows).toEqual([{ id: '2', new: 'b', added: 1.5 }]);
    expect(changed.metadata.properties).toMatchObject({ owner: 'someone else' });
    expect(changed.schema.fields.map(({ id, name, type }) => [id, name, type])).toEqual([
      [1, 'id', 'long'],
      [2, 'new', 'string'],
      [3, 'added', 'double'],
    ]);
    const afterTwo = ids[5] ?? '';
    expect(await readWithDuckDb({ ...evolving, snapshotId: afterTwo, filter: 'id = 1' })).toMatchObject({
      rows: [{ id: '1', new: 'a', added: null }],
    });
    await writeWithPyIceberg(evolving, [{ do: 'rollback', snapshotId: afterTwo }, { do: 'expire' }]);
    const rolledBack = await readWithPyIceberg(evolving);
    expect(rolledBack.snapshots.map(({ snapshotId }) => snapshotId)).toEqual([afterTwo]);
    expect(rolledBack.rowCount).toBe(2);
  });
});
