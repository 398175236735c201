import { describe, expect, test } from 'vitest';
import { optional, required, schema, struct } from '../../../local/shipper/schema-notation.ts';
import { onEveryCatalog } from './catalogs.ts';
import { openLake, refusal } from './lake.ts';

const first = schema(
  required(1, 'id', 'long'),
  optional(2, 'n', 'int'),
  optional(3, 'place', struct(optional(4, 'city', 'string'), optional(5, 'street', 'string'))),
);
const place = { city: 'Ulm', street: 'Hof' };

onEveryCatalog(({ service }) => {
  describe('what others do to the table stands until the dataset itself changes that column', () => {
    test('renamed, dropped and promoted through PyIceberg, between two segments of a warm registrar', async () => {
      const lake = await openLake(service());
      await lake.ship(first, [{ id: 1n, n: 1, place }]);
      await lake.foreign(
        { do: 'rename_column', column: 'id', to: 'key' },
        { do: 'promote_column', column: 'n', type: 'long' },
        { do: 'drop_column', column: 'place.city' },
        { do: 'add_column', column: 'place.zip', type: 'string' },
      );
      const { lastColumnId: zip } = await lake.state();
      const theirs = schema(
        required(1, 'key', 'long'),
        optional(2, 'n', 'long'),
        optional(3, 'place', struct(optional(5, 'street', 'string'), optional(zip, 'zip', 'string'))),
      );
      await lake.ship(first, [{ id: 2n, n: 2, place }]);
      await lake.expectRows(theirs);

      const changed = schema(
        required(1, 'ident', 'long'),
        optional(2, 'n', 'int'),
        optional(
          3,
          'place',
          struct(optional(4, 'city', 'string'), optional(5, 'road', 'string'), optional(105, 'house', 'int')),
        ),
      );
      await lake.ship(changed, [{ ident: 3n, n: 3, place: { city: 'Ulm', road: 'Au', house: 7 } }]);
      await lake.expectRows(
        schema(
          required(1, 'ident', 'long'),
          optional(2, 'n', 'long'),
          optional(
            3,
            'place',
            struct(
              optional(5, 'road', 'string'),
              optional(zip, 'zip', 'string'),
              optional(105, 'house', 'int'),
            ),
          ),
        ),
      );
    });

    test('a column added under the ID that the dataset uses next: adopted when it is the same, else refused', async () => {
      const lake = await openLake(service());
      await lake.foreign(
        { do: 'create', schema: schema(required(1, 'id', 'long'), optional(2, 'n', 'int')) },
        { do: 'append', rows: [{ id: '1', n: '1' }] },
        { do: 'add_column', column: 'note', type: 'string' },
      );
      const agreed = schema(
        required(1, 'id', 'long'),
        optional(2, 'n', 'int'),
        optional(3, 'note', 'string'),
      );
      await lake.ship(schema(...agreed.fields.slice(0, 2)), [{ id: 2n, n: 2 }]);
      await lake.ship(agreed, [{ id: 3n, n: 3, note: 'adopted' }]);
      const theirs = { id: '1', n: '1', note: null };
      await lake.expectRows(agreed, { more: [theirs] });

      await lake.foreign({ do: 'add_column', column: 'mine', type: 'long' });
      const shown = schema(...agreed.fields, optional(4, 'mine', 'long'));
      const before = await lake.expectRows(shown, { more: [{ ...theirs, mine: null }] });
      const other = schema(...agreed.fields, optional(4, 'other', 'string'));
      const { code, message } = refusal(await lake.offer(other, [{ id: 4n, n: 4, note: '', other: 'x' }]));
      expect([code, message]).toEqual([
        'sink.iceberg_schema_mismatch',
        expect.stringContaining('column "other" (4): the table has this ID for column "mine"'),
      ]);
      expect(await lake.expectRows(shown, { more: [{ ...theirs, mine: null }] })).toEqual(before);
    });
  });
});
