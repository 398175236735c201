import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { assertions } from '../../../lib/commit/assertions.ts';
import { systemClock, systemRandom, systemTimers } from '../../../lib/drivers/platform.ts';
import { restCatalog } from '../../../lib/drivers/rest-catalog/rest-catalog.ts';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { createTable } from '../../../lib/jobs/register/create-table.ts';
import { mergeSchemas } from '../../../lib/schema/merge.ts';
import type { SegmentSchema } from '../../../lib/schema/segment-schema.ts';
import { readTableMetadata } from '../../../lib/spec/table-metadata.ts';
import { column, list, map, required, segment, struct } from '../../schema/evolving-table.ts';
import { writeWithPyIceberg } from '../readers/foreign-writer.ts';
import { readWithPyIceberg } from '../readers/pyiceberg.ts';
import { describeWith } from '../services/describe-with.ts';
import type { CatalogService } from '../services/service.ts';
import { storeSettings } from '../services/settings.ts';

const fields = [
  required(30, 'id', 'long'),
  column(10, 'tags', list(40, 'string')),
  column(20, 'at', struct(column(5, 'lat', 'float'))),
  column(50, 'ts', 'timestamptz'),
  column(60, 'qty', 'int'),
];

function dataset(service: CatalogService) {
  const catalog = restCatalog(
    { catalog_uri: service.uri, retry: { initial_ms: 10, max_ms: 100, jitter: 1 } },
    { clock: systemClock, timers: systemTimers, random: systemRandom },
  );
  const store = s3Store(storeSettings(service.store));
  const id = randomUUID().slice(0, 8);
  const table = { namespace: ['followed', `run_${id}`], name: 'orders' };
  const settings = {
    location: `s3://${service.store.bucket}/${id}/orders`,
    format_version: 2,
    partition_by: [],
    table_properties: {},
    case_sensitive_names: false,
  } as const;

  return {
    create: async (create_via: 'auto' | 'register' | 'commit' | 'create', more = {}) =>
      readTableMetadata(
        table,
        await createTable(
          { catalog, store, clock: systemClock, random: systemRandom },
          { ...settings, create_via, ...more },
          table,
          segment(fields),
        ),
      ),
    /** Merges and commits what a registration would, the snapshot aside. */
    async follow(one: SegmentSchema) {
      const loaded = await catalog.load(table);
      if (loaded === undefined) throw new Error('the table is gone');
      const state = readTableMetadata(table, loaded);
      const merge = mergeSchemas(state, [one], { fieldIds: 'checked', caseSensitiveNames: false });
      if (merge.updates.length === 0) return merge;
      const { updates } = merge;
      const result = await catalog.commit(table, {
        requirements: assertions(state, 'main', updates),
        updates,
      });
      expect(result).toMatchObject({ outcome: 'landed' });
      expect(result).toHaveProperty('table.metadata.current-schema-id', merge.schema['schema-id']);
      return merge;
    },
    sql: (...steps: Parameters<typeof writeWithPyIceberg>[1]) =>
      writeWithPyIceberg({ catalog: service, ...table }, steps),
    seenByPyIceberg: () => readWithPyIceberg({ catalog: service, ...table }),
  };
}

describeWith('tables on Apache’s fixture', ['seaweedfsCatalog'], ({ seaweedfsCatalog }) => {
  describe('a table that is not there', () => {
    test.each(['auto', 'register', 'commit', 'create'] as const)(
      'is made via %s with the segment’s own IDs, once for three creators, of format 2 and 3',
      async (via) => {
        for (const format_version of [2, 3]) {
          const { create, seenByPyIceberg } = dataset(seaweedfsCatalog);
          const more = { format_version, partition_by: ['day(ts)', 'bucket[4](id)'] };
          const made = await Promise.all([create(via, more), create(via, more), create(via, more)]);
          expect(new Set(made.map(({ uuid }) => uuid)).size).toBe(1);
          const seen = await seenByPyIceberg();
          expect(seen.schema.fields).toEqual(fields);
          expect(seen.metadata).toMatchObject({ formatVersion: format_version, location: made[0]?.location });
          expect(made[0]?.defaultSpec.fields).toMatchObject([
            { 'source-id': 50, transform: 'day', name: 'ts_day' },
            { 'source-id': 30, transform: 'bucket[4]', name: 'id_bucket' },
          ]);
        }
      },
    );
  });

  test('follows its dataset, and keeps what others do to it in between', async () => {
    const { create, follow, sql, seenByPyIceberg } = dataset(seaweedfsCatalog);
    await create('register');
    await sql(
      { do: 'add_column', column: 'mine', type: 'string' },
      { do: 'rename_column', column: 'ts', to: 'seen_at' },
      { do: 'drop_column', column: 'tags' },
      { do: 'promote_column', column: 'qty', type: 'long' },
    );
    const changed = [
      required(30, 'key', 'long'),
      column(10, 'tags', list(40, 'string')),
      column(20, 'at', struct(column(5, 'lat', 'double'), column(61, 'alt', 'int'))),
      column(50, 'ts', 'timestamptz'),
      column(60, 'qty', 'int'),
      column(62, 'extra', map(63, 'string', 64, 'decimal(9,2)')),
    ];
    await follow(segment(changed));
    const seen = await seenByPyIceberg();
    expect(seen.schema.fields).toEqual([
      required(30, 'key', 'long'),
      column(20, 'at', struct(column(5, 'lat', 'double'), column(61, 'alt', 'int'))),
      column(50, 'seen_at', 'timestamptz'),
      column(60, 'qty', 'long'),
      column(1_000_001, 'mine', 'string'),
      column(62, 'extra', map(63, 'string', 64, 'decimal(9,2)')),
    ]);
    expect(await follow(segment(changed))).toMatchObject({ updates: [] });
    expect(await follow(segment(fields))).toMatchObject({ updates: [], refused: new Map() });

    const refused = await follow(segment([required(30, 'key', 'string')]));
    expect(refused.refused.size).toBe(1);
    expect((await seenByPyIceberg()).metadata.metadataLocation).toBe(seen.metadata.metadataLocation);
  });
});
