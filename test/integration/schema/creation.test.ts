import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SegmentOutcome } from '../../../lib/report/outcome.ts';
import { datasetSchemaProperty } from '../../../lib/schema/dataset-schema.ts';
import { list, optional, required, schema, struct } from '../../../local/shipper/schema-notation.ts';
import { type CatalogUnderTest, onEveryCatalog } from './catalogs.ts';
import { openLake } from './lake.ts';

/** IDs that no catalog would give. */
const dataset = schema(
  required(30, 'id', 'long'),
  optional(10, 'tags', list(40, 'string')),
  optional(20, 'at', struct(optional(5, 'lat', 'double'))),
);
const row = (id: number) => ({ id: BigInt(id), tags: ['a', null], at: { lat: id / 8 } });

/** What a catalog makes of a way: the highest column ID that it takes as given out, or its refusal. */
interface Way {
  readonly create_via: 'auto' | 'register' | 'commit' | 'create';
  readonly lastColumnId?: number;
  readonly refusal?: RegExp;
}

const LAST_COLUMN_ID = 1_000_000;
const HIGHEST_IN_USE = 40;

const everyWay: readonly Way[] = [
  { create_via: 'auto', lastColumnId: LAST_COLUMN_ID },
  { create_via: 'register', lastColumnId: LAST_COLUMN_ID },
  { create_via: 'commit', lastColumnId: HIGHEST_IN_USE },
  { create_via: 'create', lastColumnId: HIGHEST_IN_USE },
];
const ways: Readonly<Record<CatalogUnderTest['name'], readonly Way[]>> = {
  fixture: everyWay,
  embedded: everyWay,
  seaweedfs: [
    // It has no list of endpoints, so that register, which it gets wrong, is not tried unasked.
    { create_via: 'auto', lastColumnId: HIGHEST_IN_USE },
    { create_via: 'register', refusal: /the catalog answered 400 .*must be within/ },
    { create_via: 'commit', lastColumnId: HIGHEST_IN_USE },
    { create_via: 'create', refusal: /the catalog answered 400 .*must be within bucket tables/ },
  ],
  polaris: everyWay,
  // A commit makes no table that was not staged, and none is created where the segment lies already (create_table.rs).
  lakekeeper: [
    { create_via: 'auto', lastColumnId: LAST_COLUMN_ID },
    { create_via: 'register', lastColumnId: LAST_COLUMN_ID },
    { create_via: 'commit', refusal: /commit: 404 NoSuchTableException: Error getting tabular/ },
    { create_via: 'create', refusal: /the catalog answered 400 .*have to be empty/ },
  ],
  // The location of a create request is ignored (CatalogServiceImpl).
  nessie: [
    { create_via: 'auto', lastColumnId: LAST_COLUMN_ID },
    { create_via: 'register', lastColumnId: LAST_COLUMN_ID },
    { create_via: 'commit', lastColumnId: LAST_COLUMN_ID },
    { create_via: 'create', refusal: /location/ },
  ],
};

onEveryCatalog(({ name, service }) => {
  describe('a table that is not there', () => {
    test.each(ways[name])('create_via: $create_via', async ({ create_via, lastColumnId, refusal }) => {
      const lake = await openLake(service(), { create_via });
      const outcome = await lake.offer(dataset, [row(1), row(2)]);
      if (refusal !== undefined) {
        expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'catalog.refused' } });
        expect(reason(outcome)).toMatch(refusal);
        return;
      }
      expect(reason(outcome)).toBe('committed');
      const seen = await lake.expectRows(dataset);
      expect(seen.metadata).toMatchObject({ location: `${lake.url}/orders`, lastColumnId });
      expect(seen.snapshots).toHaveLength(1);
    });

    if (name === 'seaweedfs') {
      test('create_via: create in its own bucket', async () => {
        const folder = `s3://tables/own_${randomUUID().slice(0, 8)}`;
        const lake = await openLake(service(), {
          create_via: 'create',
          table_location: `${folder}/{dataset}`,
        });
        expect(reason(await lake.offer(dataset, [row(1)]))).toBe('committed');
        const seen = await lake.expectRows(dataset);
        expect(seen.metadata).toMatchObject({
          location: `${folder}/orders`,
          lastColumnId: HIGHEST_IN_USE,
        });
      });

      test('create_via: register in its own bucket is answered with another table, to which nothing is appended', async () => {
        const other = await openLake(service());
        await other.foreign({ do: 'create', schema: dataset });
        const { location } = await other.state();
        const lake = await openLake(service(), {
          create_via: 'register',
          table_location: `${location}/data/{dataset}`,
          table_properties: { 'write.metadata.path': `${location}/metadata` },
        });
        const outcome = await lake.offer(dataset, [row(1)]);
        expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'catalog.refused' } });
        expect(reason(outcome)).toMatch(/answered \w+ with another table, UUID "[^"]+" instead of/);
        // It is there now, and of another UUID at every look: the assertion of the UUID keeps commits off it.
        const again = await lake.offer(dataset, [row(2)]);
        expect(again).toMatchObject({ kind: 'failed', error: { code: 'catalog.refused' } });
        expect(reason(again)).toContain('UUID mismatch');
        expect((await lake.state()).snapshots.size).toBe(0);
      });
    }

    test('several creators at once end with one table, and every segment in it once', async () => {
      const first = await openLake(service());
      const creators = [first, ...(await Promise.all([1, 2, 3].map(() => first.another())))];
      const outcomes = await Promise.all(creators.map((lake, index) => lake.offer(dataset, [row(index)])));
      // SeaweedFS answers 500 to who looks at a namespace while another one makes it: the message is delivered again.
      for (const [index, outcome] of outcomes.entries()) {
        const lake = creators[index];
        if (outcome.kind !== 'failed' || outcome.error.code !== 'catalog.unavailable') continue;
        outcomes[index] = (await lake?.offer(dataset, [row(index)])) ?? outcome;
      }
      expect(outcomes.map(reason)).toEqual(Array(creators.length).fill('committed'));
      const seen = await first.expectRows(dataset);
      expect(seen.dataFiles).toHaveLength(creators.length);
    });

    test('a creation that stopped half-way is finished by the next attempt', async () => {
      const folder = name === 'seaweedfs' ? `s3://tables/own_${randomUUID().slice(0, 8)}` : undefined;
      const lake = await openLake(service(), {
        ...(folder && { table_location: `${folder}/{dataset}` }),
        ...(name === 'nessie' && { table_location: 'catalog' }),
      });
      const whole = await openLake(service());
      await whole.ship(dataset, [row(1)]);
      const { properties } = await whole.state();
      await lake.catalog.createNamespace(lake.table.namespace);
      await lake.catalog.create(lake.table, {
        schema: dataset,
        spec: { 'spec-id': 0, fields: [] },
        location: `${folder ?? lake.url}/orders`,
        formatVersion: 2,
        properties: { [datasetSchemaProperty]: properties[datasetSchemaProperty] ?? '' },
      });
      expect((await lake.state()).currentSchema.fields.map(({ id }) => id)).not.toEqual([30, 10, 20]);
      expect(reason(await lake.offer(dataset, [row(1)]))).toBe('committed');
      await lake.expectRows(dataset);
    });

    test('one of that name at another place, with other columns, is never adopted', async () => {
      const lake = await openLake(service());
      await lake.foreign({ do: 'create', schema: schema(optional(1, 'id', 'string')) });
      const before = await lake.state();
      expect(reason(await lake.offer(dataset, [row(1)]))).toContain('column "id" (30)');
      expect((await lake.state()).metadataLocation).toBe(before.metadataLocation);
    });
  });
});

function reason(outcome: SegmentOutcome): string {
  return 'error' in outcome ? outcome.error.message : outcome.kind;
}
