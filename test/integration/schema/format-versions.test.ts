import { describe, expect, test } from 'vitest';
import { assertions } from '../../../lib/commit/assertions.ts';
import { branchHead } from '../../../lib/spec/table-state.ts';
import type { TableUpdate } from '../../../lib/spec/table-update.ts';
import { optional, required, schema } from '../../../local/shipper/schema-notation.ts';
import { onEveryCatalog } from './catalogs.ts';
import { type Lake, openLake } from './lake.ts';

const first = schema(required(1, 'id', 'long'), optional(2, 'name', 'string'));
const second = schema(...first.fields, optional(3, 'note', 'string'));

async function upgrade(lake: Lake, formatVersion: number): Promise<void> {
  const updates: readonly TableUpdate[] = [
    { action: 'upgrade-format-version', 'format-version': formatVersion },
  ];
  const requirements = assertions(await lake.state(), 'main', updates);
  expect(await lake.catalog.commit(lake.table, { requirements, updates })).toMatchObject({
    outcome: 'landed',
  });
}

/** First row ID and added rows of each snapshot of main, oldest first, and the table's next row ID. */
async function rowLineage(lake: Lake) {
  const state = await lake.state();
  const snapshots = [...state.snapshots.values()].sort((a, b) => Number(a.sequenceNumber - b.sequenceNumber));
  return {
    snapshots: snapshots.map(({ firstRowId, addedRows }) => [firstRowId, addedRows]),
    nextRowId: state.nextRowId,
  };
}

onEveryCatalog(({ name, service }) => {
  if (name === 'nessie') {
    // IcebergSpec knows 1 and 2, and a table's metadata is always asked for as 2.
    test.each(['auto', 'commit'])('a table of format version 3 is refused via %s', async (create_via) => {
      const lake = await openLake(service(), { format_version: 3, create_via });
      const refused = { kind: 'failed', error: { code: 'catalog.refused' } };
      expect(await lake.offer(first, [{ id: 1n, name: 'a' }])).toMatchObject(refused);
    });

    test('a table that somebody made of format version 1 is one of 2', async () => {
      const lake = await openLake(service());
      await lake.foreign({ do: 'create', schema: first, properties: { 'format-version': '1' } });
      expect((await lake.state()).formatVersion).toBe(2);
      await lake.ship(second, [{ id: 1n, name: 'a', note: 'n' }]);
      await lake.expectRows(second);
    });
    return;
  }

  describe('format version 3', () => {
    // Lakekeeper makes no table by a commit (creation.test.ts).
    test.each(name === 'lakekeeper' ? ['auto'] : ['auto', 'commit'])(
      'a table made via %s has row lineage, and follows its dataset',
      async (create_via) => {
        const lake = await openLake(service(), { format_version: 3, create_via });
        await lake.ship(first, [
          { id: 1n, name: 'a' },
          { id: 2n, name: null },
        ]);
        await lake.ship(second, [{ id: 3n, name: 'c', note: 'ü' }]);
        const seen = await lake.expectRows(second);
        expect(seen.metadata.formatVersion).toBe(3);
        expect(await rowLineage(lake)).toEqual({
          snapshots: [
            [0n, 2n],
            [2n, 1n],
          ],
          nextRowId: 3n,
        });
      },
    );

    test('nanosecond timestamps are created, added and read; a column of type unknown that others added is left to them', async () => {
      const lake = await openLake(service(), { format_version: 3 });
      const nanos = schema(required(1, 'id', 'long'), optional(2, 'at', 'timestamp_ns'));
      await lake.ship(nanos, [{ id: 1n, at: 1_700_000_000_123_456_000n }]);
      const zoned = schema(...nanos.fields, optional(3, 'seen', 'timestamptz_ns'));
      await lake.expectRows(nanos);
      await lake.ship(zoned, [{ id: 2n, at: null, seen: -1000n }]);
      await lake.expectRows(zoned, { duckDbRefusal: 'Unrecognized primitive type: timestamptz_ns' });
      const added = lake.foreign({ do: 'add_column', column: 'later', type: 'unknown' });
      if (name === 'lakekeeper') {
        // Nobody can add one there: iceberg-rust, which it reads schemas with, has no type unknown.
        await expect(added).rejects.toThrow(
          /422: .*data did not match any variant of untagged enum SchemaEnum/,
        );
        return;
      }
      await added;
      await lake.ship(zoned, [{ id: 3n, at: 0n, seen: null }]);
      await lake.expectRows((await lake.state()).currentSchema, {
        duckDbRefusal: 'Unrecognized primitive type',
      });
    });

    test('a double that others added with a whole number as its default is sent back so that the catalog takes it', async () => {
      const lake = await openLake(service(), { format_version: 3 });
      await lake.ship(first, [{ id: 1n, name: 'a' }]);
      const rate = { ...optional(1_000_001, 'rate', 'double'), 'initial-default': 1, 'write-default': 1 };
      const before = await lake.state();
      const updates: readonly TableUpdate[] = [
        {
          action: 'add-schema',
          schema: { ...before.currentSchema, 'schema-id': 1, fields: [...first.fields, rate] },
          'last-column-id': rate.id,
        },
        { action: 'set-current-schema', 'schema-id': -1 },
      ];
      const requirements = assertions(before, 'main', updates);
      expect(await lake.catalog.commit(lake.table, { requirements, updates })).toMatchObject({
        outcome: 'landed',
      });
      await lake.ship(second, [{ id: 2n, name: 'b', note: 'ü' }]);
      const { fields } = (await lake.state()).currentSchema;
      expect(fields).toEqual([...first.fields, rate, ...second.fields.slice(2)]);
    });

    test('a table upgraded from 2 between two commits of a warm registrar: its old rows get IDs with the next commit (C13)', async () => {
      const lake = await openLake(service());
      await lake.ship(first, [
        { id: 1n, name: 'a' },
        { id: 2n, name: 'b' },
      ]);
      await upgrade(lake, 3);
      await lake.ship(first, [{ id: 3n, name: 'c' }]);
      const seen = await lake.expectRows(first);
      expect(seen.metadata.formatVersion).toBe(3);
      expect(await rowLineage(lake)).toEqual({
        snapshots: [
          [undefined, undefined],
          [0n, 3n],
        ],
        nextRowId: 3n,
      });
    });
  });

  describe('format version 1', () => {
    test('a table of somebody else is appended to and evolved, and may be upgraded in between', async () => {
      const lake = await openLake(service());
      await lake.foreign({ do: 'create', schema: first, properties: { 'format-version': '1' } });
      expect((await lake.state()).formatVersion).toBe(1);
      await lake.ship(first, [{ id: 1n, name: 'a' }]);
      const theirs = { id: '0', name: 'theirs' };
      await lake.foreign({ do: 'append', rows: [theirs] });
      await lake.expectRows(first, { more: [theirs] });
      await lake.ship(second, [{ id: 2n, name: 'b', note: 'n' }]);
      const seen = await lake.expectRows(second, { more: [{ ...theirs, note: null }] });
      expect(seen.metadata.formatVersion).toBe(1);
      await upgrade(lake, 2);
      await lake.ship(second, [{ id: 3n, name: 'c', note: null }]);
      const upgraded = await lake.expectRows(second, { more: [{ ...theirs, note: null }] });
      expect(upgraded.metadata.formatVersion).toBe(2);
      expect(branchHead(await lake.state(), 'main')?.summary).toMatchObject({ 'total-records': '4' });
    });
  });
});
