import { describe, expect, test } from 'vitest';
import { optional, required, schema } from '../../../local/shipper/schema-notation.ts';
import type { PyIcebergTable } from '../readers/pyiceberg.ts';
import { onEveryCatalog, shownBy } from './catalogs.ts';
import { openLake, refusal } from './lake.ts';

const dataset = schema(
  required(1, 'id', 'int'),
  optional(2, 'region', 'string'),
  optional(3, 'ts', 'timestamptz'),
);
const DAY = 86_400_000_000n;
const ts = (day: number) => BigInt(day) * DAY + 1n;

/** Partition tuples of the live data files, in the order of their commits. */
function partitions({ dataFiles }: PyIcebergTable) {
  return dataFiles
    .toSorted((a, b) => Number(BigInt(a.sequenceNumber) - BigInt(b.sequenceNumber)))
    .map(({ specId, partition }) => [specId, partition]);
}

onEveryCatalog(({ name, service }) => {
  // SeaweedFS's catalog keeps an empty spec 0 before the one that a table is made with.
  const created = name === 'seaweedfs' ? 1 : 0;

  describe('a partitioned table', () => {
    test('identity, day and bucket: values from the footers, and a claim of the key that agrees (A32)', async () => {
      const lake = await openLake(service(), { partition_by: ['region', 'day(ts)', 'bucket[16](id)'] });
      await lake.ship(dataset, [
        { id: 34, region: 'eu', ts: ts(20_454) },
        { id: 34, region: 'eu', ts: ts(20_454) + 5n },
      ]);
      await lake.ship(dataset, [{ id: 1, region: null, ts: ts(-1) }]);
      const key = 'region=s%C3%BCd/ts_day=2026-01-02/part.parquet';
      await lake.ship(dataset, [{ id: 34, region: 'süd', ts: ts(20_455) }], key);
      const seen = await lake.expectRows(dataset);
      // The table spec's own example: bucket[16] of the int 34 is 3 (2017239379 mod 16).
      expect(partitions(seen)).toEqual([
        [created, ['eu', '20454', '3']],
        [created, [null, '-1', expect.stringMatching(/^\d+$/)]],
        [created, ['süd', '20455', '3']],
      ]);
      expect(seen.snapshots.map(({ summary }) => summary['changed-partition-count'])).toEqual(
        shownBy(name, ['1', '1', '1']),
      );

      expect(await lake.where("region = 'eu' AND id = 34", 'id')).toEqual([
        ['34', '34'],
        ['34', '34'],
      ]);
      expect(await lake.where("ts < '1970-01-01T00:00:00+00:00'", 'id')).toEqual([['1'], ['1']]);
      expect(await lake.where('region IS NULL', 'id')).toEqual([['1'], ['1']]);

      const { code, message } = refusal(
        await lake.offer(dataset, [
          { id: 1, region: 'eu', ts: ts(1) },
          { id: 1, region: 'us', ts: ts(1) },
        ]),
      );
      expect([code, message]).toEqual([
        'sink.iceberg_partition_undetermined',
        expect.stringContaining('region'),
      ]);
      expect((await lake.state()).lastSequenceNumber).toBe(3n);
    });

    test('several specs: what others partition anew is followed from the next commit on, promoted sources too', async () => {
      const lake = await openLake(service());
      await lake.ship(dataset, [{ id: 1, region: 'eu', ts: ts(1) }]);
      await lake.foreign({ do: 'partition_by', column: 'region', transform: 'identity', name: 'region' });
      await lake.ship(dataset, [{ id: 2, region: 'us', ts: ts(2) }]);
      await lake.foreign({ do: 'partition_by', column: 'id', transform: 'bucket[8]', name: 'id_bucket' });
      const promoted = schema(required(1, 'id', 'long'), ...dataset.fields.slice(1));
      await lake.ship(dataset, [{ id: 34, region: 'eu', ts: ts(3) }]);
      await lake.ship(promoted, [{ id: 34n, region: 'eu', ts: ts(4) }]);
      const seen = await lake.expectRows(promoted);
      expect(partitions(seen)).toEqual([
        [0, []],
        [1, ['us']],
        [2, ['eu', '3']],
        [2, ['eu', '3']],
      ]);
    });

    test('a source column that the dataset promotes and renames keeps its partitions', async () => {
      const lake = await openLake(service(), { partition_by: ['id', 'region'] });
      await lake.ship(dataset, [{ id: 1, region: 'eu', ts: ts(1) }]);
      const changed = schema(
        required(1, 'ident', 'long'),
        optional(2, 'area', 'string'),
        ...dataset.fields.slice(2),
      );
      await lake.ship(changed, [{ ident: 2n ** 40n, area: 'eu', ts: ts(2) }]);
      const seen = await lake.expectRows(changed);
      expect(partitions(seen).map(([, partition]) => partition)).toEqual([
        ['1', 'eu'],
        [String(2n ** 40n), 'eu'],
      ]);
      expect(await lake.where('ident < 5', 'ident')).toEqual([['1'], ['1']]);
      expect(await lake.where("area = 'eu' AND ident > 5", 'ident')).toEqual([
        [String(2n ** 40n)],
        [String(2n ** 40n)],
      ]);
    });

    test('names that Avro cannot spell', async () => {
      const odd = 'süd–region 1';
      const named = schema(required(1, 'id', 'int'), optional(2, odd, 'string'));
      const lake = await openLake(service(), { partition_by: [odd] });
      await lake.ship(named, [{ id: 1, [odd]: 'a' }]);
      await lake.ship(named, [{ id: 2, [odd]: 'b' }]);
      const seen = await lake.expectRows(named);
      expect(partitions(seen).map(([, partition]) => partition)).toEqual([['a'], ['b']]);
      expect(await lake.where(`"${odd}" = 'b'`, 'id')).toEqual([['2'], ['2']]);
    });
  });
});
