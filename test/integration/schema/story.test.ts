import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { list, map, optional, required, schema, struct } from '../../../local/shipper/schema-notation.ts';
import { onEveryCatalog, shownBy } from './catalogs.ts';
import { openLake, refusal } from './lake.ts';

const BEYOND_INT = 2n ** 40n;

onEveryCatalog(({ name, service }) => {
  describe('a table follows its dataset, each change in the commit that needs it (I4, I5)', () => {
    test('the story: int → long with a new column, a rename, and a narrowing that is refused', async () => {
      const metricsOf = 'write.metadata.metrics.column.';
      const lake = await openLake(service(), { table_properties: { [`${metricsOf}note`]: 'none' } });
      const first = schema(required(1, 'id', 'long'), optional(2, 'n', 'int'));
      await lake.ship(first, [
        { id: 1n, n: 7 },
        { id: 2n, n: null },
      ]);
      await lake.expectRows(first);

      const second = schema(
        ...first.fields.slice(0, 1),
        optional(2, 'n', 'long'),
        optional(3, 'note', 'string'),
      );
      const key = await lake.upload(second, [{ id: 3n, n: BEYOND_INT, note: 'ü' }]);
      const { metadataLocation } = await lake.state();
      const planned = await lake.plan([key]);
      expect(planned.tables.map(({ schemaChanges }) => schemaChanges)).toEqual([
        ['~ n (2): int → long', '+ note (3): string'],
      ]);
      expect((await lake.state()).metadataLocation).toBe(metadataLocation);
      expect((await lake.register([key])).map(({ kind }) => kind)).toEqual(['committed']);
      const seen = await lake.expectRows(second);
      expect(seen.snapshots.map(({ schemaId }) => schemaId)).toEqual(
        shownBy(name, seen.metadata.schemaIds.slice(-2)),
      );

      const third = schema(...second.fields.slice(0, 2), optional(3, 'remark', 'string'));
      await lake.ship(third, [{ id: 4n, n: -1n, remark: 'renamed' }]);
      const before = await lake.expectRows(third);
      expect(before.metadata.properties).toMatchObject({ [`${metricsOf}remark`]: 'none' });
      expect(before.metadata.properties).not.toHaveProperty([`${metricsOf}note`]);
      expect(before.dataFiles.flatMap(({ valueCounts }) => Object.keys(valueCounts))).not.toContain('3');

      const narrowed = schema(required(1, 'id', 'long'), optional(2, 'n', 'string'));
      const narrower = schema(required(1, 'id', 'long'), optional(2, 'n', 'int'), optional(4, 'more', 'int'));
      // Last-Modified has seconds, and uploads of one second have no order.
      await sleep(1_100);
      for (const refused of [narrowed, narrower]) {
        const error = refusal(
          await lake.offer(refused, [{ id: 5n, n: refused === narrowed ? 'x' : 1, more: 1 }]),
        );
        expect(error.code).toBe('sink.iceberg_schema_mismatch');
        expect(error.message).toMatch(/column "n" \(2\): .*the file has (string|int), the dataset long/);
      }
      expect(await lake.expectRows(third)).toEqual(before);
    });

    test('nested: structs, list elements and map values are added to, renamed in and promoted', async () => {
      const lake = await openLake(service());
      const at = (fields: { readonly lat: 'float' | 'double'; readonly more?: boolean }) =>
        struct(
          optional(21, 'lat', fields.lat),
          optional(22, fields.more ? 'lon' : 'long', 'double'),
          ...(fields.more ? [optional(23, 'alt', struct(optional(24, 'm', 'int')))] : []),
        );
      const shape = (point: ReturnType<typeof at>) =>
        schema(
          required(1, 'id', 'long'),
          optional(2, 'place', point),
          optional(
            3,
            'path',
            list(31, struct(optional(32, 'step', point.fields.length > 2 ? 'long' : 'int'))),
          ),
          optional(4, 'by', map(41, 'string', 42, struct(optional(43, 'n', 'decimal(9,2)')))),
        );
      const first = shape(at({ lat: 'float' }));
      await lake.ship(first, [
        {
          id: 1n,
          place: { lat: 0.5, long: 1.5 },
          path: [{ step: 1 }, null],
          by: new Map([['a', { n: 125n }]]),
        },
      ]);
      const second = schema(
        ...shape(at({ lat: 'double', more: true })).fields.slice(0, 3),
        optional(
          4,
          'by',
          map(
            41,
            'string',
            42,
            struct(optional(43, 'amount', 'decimal(12,2)'), optional(44, 'unit', 'string')),
          ),
        ),
      );
      await lake.ship(second, [
        {
          id: 3n,
          place: { lat: 0.1, lon: 2.5, alt: { m: 9 } },
          path: [{ step: BEYOND_INT }],
          by: new Map([['b', { amount: 10n ** 11n, unit: 'kg' }]]),
        },
        { id: 4n, place: null, path: null, by: null },
      ]);
      // PyIceberg shows null lists and maps of structs as empty ones (its ArrowProjectionVisitor leaves their validity out).
      await lake.expectRows(second, {
        toPyIceberg: (row) => ({ ...row, path: row['path'] ?? [], by: row['by'] ?? [] }),
      });
    });

    test('segments that changed twice in between are one schema and one commit; a late one renames nothing', async () => {
      const lake = await openLake(service());
      const versions = [
        schema(required(1, 'id', 'int'), optional(2, 'a', 'string')),
        schema(required(1, 'id', 'long'), optional(2, 'b', 'string')),
        schema(optional(1, 'id', 'long'), optional(2, 'c', 'string'), optional(3, 'd', 'date')),
      ] as const;
      await lake.ship(versions[0], [{ id: 1, a: 'x' }]);
      const keys: string[] = [];
      for (const [index, version] of versions.entries()) {
        const id = [2, 3n, null][index] ?? null;
        keys.push(await lake.upload(version, [{ id, a: 'y', b: 'y', c: 'y', d: 20_000 }]));
      }
      expect((await lake.register(keys)).map(({ kind }) => kind)).toEqual(Array(3).fill('committed'));
      await lake.ship(versions[1], [{ id: 9n, b: 'late' }]);
      await lake.expectRows(versions[2]);
      expect((await lake.state()).lastSequenceNumber).toBe(3n);
    });

    test('registrars that follow different changes at once: the later one merges again, and both changes stand (I8)', async () => {
      const lake = await openLake(service());
      const first = schema(required(1, 'id', 'long'), optional(2, 'n', 'int'));
      await lake.ship(first, [{ id: 0n, n: 0 }]);
      const columns = [
        optional(3, 'added', 'string'),
        optional(4, 'other', 'double'),
        optional(5, 'more', 'date'),
      ];
      const registrars = await Promise.all(columns.map(() => lake.another()));
      const id = first.fields.slice(0, 1);
      await Promise.all(
        columns.map((column, index) =>
          registrars[index]?.ship(schema(...id, optional(2, 'n', 'long'), column), [
            { id: BigInt(index + 1), n: BEYOND_INT, added: 'x', other: 0.5, more: 1 },
          ]),
        ),
      );
      const { currentSchema, lastSequenceNumber } = await lake.state();
      expect(lastSequenceNumber).toBe(BigInt(1 + columns.length));
      expect(currentSchema.fields.map(({ id: field, type }) => [field, type]).sort()).toEqual([
        [1, 'long'],
        [2, 'long'],
        [3, 'string'],
        [4, 'double'],
        [5, 'date'],
      ]);
      await lake.expectRows(currentSchema);
    });
  });
});
