import { describe, expect, test } from 'vitest';
import type { Schema } from '../../../lib/spec/schema.ts';
import type { Row as ShippedRow } from '../../../local/shipper/dataset.ts';
import { list, map, optional, required, schema, struct } from '../../../local/shipper/schema-notation.ts';
import { canonicalRow } from '../readers/canonical.ts';
import { onEveryCatalog } from './catalogs.ts';
import { type Lake, openLake } from './lake.ts';
import { parquetWithoutIds } from './without-ids.ts';

const first = schema(
  required(1, 'id', 'long'),
  optional(2, 'name', 'string'),
  optional(3, 'place', struct(optional(4, 'city', 'string'))),
);

function shipWithoutIds(lake: Lake, shape: Schema, rows: readonly ShippedRow[]) {
  const expected = rows.map((row) => canonicalRow(shape, row));
  return lake.shipBytes(parquetWithoutIds(shape, rows), shape, expected);
}

onEveryCatalog(({ service }) => {
  describe('segments without field IDs (field_ids: by_name)', () => {
    test('make a table, and every reader shows their values and not nulls', async () => {
      const lake = await openLake(service(), { field_ids: 'by_name' });
      await shipWithoutIds(lake, first, [
        { id: 1n, name: 'a', place: { city: 'Ulm' } },
        { id: 2n, name: null, place: null },
      ]);
      await lake.expectRows(first);

      const { lastColumnId } = await lake.state();
      const next = (offset: number) => lastColumnId + offset;
      const wider = schema(
        ...first.fields.slice(0, 2),
        optional(3, 'place', struct(optional(4, 'city', 'string'), optional(next(1), 'zip', 'int'))),
        optional(next(2), 'tags', list(next(3), 'string')),
        optional(next(4), 'by', map(next(5), 'string', next(6), 'double')),
      );
      await shipWithoutIds(lake, wider, [
        { id: 3n, name: 'c', place: { city: null, zip: 9 }, tags: ['x', null], by: new Map([['k', 0.5]]) },
      ]);
      const seen = await lake.expectRows(wider);
      expect((await lake.state()).lastSequenceNumber).toBe(2n);
      expect(JSON.parse(seen.metadata.properties['schema.name-mapping.default'] ?? '')).toHaveLength(5);
    });

    test('go on under the old name of a column that somebody renamed, and find the columns of a table without a mapping', async () => {
      const lake = await openLake(service(), { field_ids: 'by_name' });
      await lake.foreign(
        { do: 'create', schema: first },
        { do: 'append', rows: [{ id: '1', name: 'theirs', place: { city: 'Bonn' } }] },
      );
      await shipWithoutIds(lake, first, [{ id: 2n, name: 'ours', place: { city: 'Ulm' } }]);
      const theirs = { id: '1', name: 'theirs', place: { city: 'Bonn' } };
      await lake.expectRows(first, { more: [theirs] });

      await lake.foreign({ do: 'rename_column', column: 'name', to: 'label' });
      await shipWithoutIds(lake, first, [{ id: 3n, name: 'old name', place: null }]);
      const renamed = schema(
        required(1, 'id', 'long'),
        optional(2, 'label', 'string'),
        ...first.fields.slice(2),
      );
      await lake.expectRows(renamed, {
        more: [{ id: theirs.id, label: theirs.name, place: theirs.place }],
      });
    });
  });
});
