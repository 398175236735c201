import { describe, expect, test } from 'vitest';
import type { Engine, EngineName } from '../../../certify/engines/engine.ts';
import { optional, required, schema } from '../../../local/shipper/schema-notation.ts';
import { enginesOn } from '../engines.ts';
import { type Row, sorted } from '../readers/canonical.ts';
import { type PyIcebergDataFile, type PyIcebergTable, readWithPyIceberg } from '../readers/pyiceberg.ts';
import { type Lake, openLake } from '../schema/lake.ts';
import { describeWith } from '../services/describe-with.ts';

const dataset = schema(required(1, 'id', 'long'), optional(2, 'region', 'string'));
const MERGE_FROM = '4';
const REGIONS = ['eu', 'us', 'ap'];

const regionOf = (id: number): string => REGIONS[id % REGIONS.length] ?? '';
const rowOf = (id: number): Row => ({ id: String(id), region: regionOf(id) });

interface Format {
  readonly version: 1 | 2 | 3;
  readonly partitioned: boolean;
}

const formats: readonly Format[] = [
  { version: 1, partitioned: false },
  { version: 2, partitioned: true },
  { version: 3, partitioned: true },
];

/**
 * A table of the registrar's, Spark's, DuckDB's and PyIceberg's own manifests, with deletes merged on read beside: the
 * registrar merges all of them, and every engine finds what it found before.
 */
describeWith('merged manifests', ['seaweedfsCatalog'], ({ seaweedfsCatalog: catalog }) => {
  const engines = enginesOn(catalog, ['PyIceberg', 'DuckDB', 'Spark']);
  const engine = (name: EngineName): Engine => {
    const started = engines.get(name);
    if (started === undefined) throw new Error(`${name} did not start`);
    return started;
  };

  describe.each(formats)('of format version $version, partitioned: $partitioned', (format) => {
    const seen = (lake: Lake) => readWithPyIceberg({ ...lake.table, catalog });

    test('all engines read the same rows, plan the same files and prune as before', {
      timeout: 400_000,
    }, async () => {
      const lake = await lakeOf(format);
      const live = new Map<number, Row>();
      const known = new Map<string, PyIcebergDataFile>();
      /** A segment each; a file whose rows are all deleted is gone by metadata alone, so some have two. */
      const ship = async (...segments: readonly (readonly number[])[]) => {
        for (const ids of segments) {
          await lake.ship(
            dataset,
            ids.map((id) => ({ id: BigInt(id), region: regionOf(id) })),
          );
          for (const id of ids) live.set(id, rowOf(id));
        }
      };
      const insert = async (name: EngineName, id: number) => {
        await engine(name).execute?.(lake.table, `INSERT INTO {table} VALUES (${id}, '${regionOf(id)}')`);
        live.set(id, rowOf(id));
      };
      // PyIceberg writes no manifests of version 3.
      const isPyIcebergs = format.version < 3;
      const check = async () => noteFiles(known, await seen(lake));

      await ship([0, 30], [1, 31], [2]);
      await insert('Spark', 100);
      if (isPyIcebergs) await lake.foreign({ do: 'append', rows: [rowOf(101)] });
      else await insert('Spark', 101);
      live.set(101, rowOf(101));
      if (format.version > 1) await insert('DuckDB', 102);
      await ship([3], [4]);
      await check();
      await engine('Spark').execute?.(lake.table, 'DELETE FROM {table} WHERE id IN (30, 31, 100)');
      for (const id of [30, 31, 100]) live.delete(id);
      await ship([5], [6], [7], [8]);
      await check();
      if (isPyIcebergs) await lake.foreign({ do: 'delete', filter: 'id = 4' });
      else await engine('Spark').execute?.(lake.table, 'DELETE FROM {table} WHERE id = 4');
      live.delete(4);
      const deletes = deletesOf(await seen(lake));
      const rowIds = format.version === 3 ? await rowIdsOf(lake) : new Map();
      await ship([9], [10], [11], [12], [13], [14]);

      const table = await seen(lake);
      noteFiles(known, table);
      expect(deletesOf(table)).toEqual(deletes);
      if (format.version > 1) expect(deletes.length).toBeGreaterThan(0);
      const merges = table.snapshots.filter(
        ({ summary }) => isOurs(summary) && 'manifests-replaced' in summary,
      );
      expect(merges.length).toBeGreaterThan(0);
      expect(new Set(merges.map(({ summary }) => summary['operation']))).toEqual(new Set(['append']));

      const expected = sorted([...live.values()]);
      const files = table.dataFiles.filter(({ content }) => content === 'data');
      expect(files.filter(mayHold(14n)).length).toBeLessThan(5);
      for (const [name, { rows, count, plannedFiles }] of engines) {
        expect(sorted((await rows(lake.table)) as readonly Row[]), name).toEqual(expected);
        expect(await count(lake.table), name).toBe(expected.length);
        if (plannedFiles === undefined) continue;
        expect(await plannedFiles(lake.table), name).toBe(files.length);
        // Bounds leave the file of one row alone, and those whose writer said nothing of it.
        const one = { column: 'id', type: 'long', op: '=', value: '14' } as const;
        expect(await plannedFiles(lake.table, one), name).toBe(files.filter(mayHold(14n)).length);
        const region = { column: 'region', type: 'string', op: '=', value: 'us' } as const;
        expect(await plannedFiles(lake.table, region), name).toBe(files.filter(isOf('us')).length);
      }
      for (const [id, rowId] of await (format.version === 3 ? rowIdsOf(lake) : new Map())) {
        if (rowIds.has(id)) expect([id, rowId]).toEqual([id, rowIds.get(id)]);
      }
    });

    async function rowIdsOf(lake: Lake): Promise<ReadonlyMap<unknown, unknown>> {
      const rows = await engine('Spark').rows(lake.table, {
        select: ['id', '_row_id', '_last_updated_sequence_number'],
      });
      return new Map(
        rows.map((row) => [row['id'], `${row['_row_id']}/${row['_last_updated_sequence_number']}`]),
      );
    }
  });

  async function lakeOf({ version, partitioned }: Format): Promise<Lake> {
    const properties = {
      'commit.manifest.min-count-to-merge': MERGE_FROM,
      ...(version > 1 && { 'write.delete.mode': 'merge-on-read' }),
    };
    const lake = await openLake(catalog, {
      ...(version > 1 && { format_version: version }),
      partition_by: partitioned ? ['region'] : [],
      table_properties: properties,
    });
    if (version === 1) {
      await lake.foreign({
        do: 'create',
        schema: dataset,
        properties: { ...properties, 'format-version': '1' },
      });
    }
    return lake;
  }
});

/** Metrics, partition and the data sequence number, which decides what deletes apply to a file: they are the same in whatever manifest. */
function noteFiles(known: Map<string, PyIcebergDataFile>, { dataFiles }: PyIcebergTable): void {
  for (const file of dataFiles) {
    const name = `${file.content} ${file.path}`;
    if (file.content === 'data') expect(file).toEqual(known.get(name) ?? file);
    known.set(name, file);
  }
}

/** By the bounds of column 1, a long. */
function mayHold(id: bigint): (file: PyIcebergDataFile) => boolean {
  return ({ lowerBounds, upperBounds }) => {
    const [lower, upper] = [lowerBounds['1'], upperBounds['1']].map(
      (hex) => hex && Buffer.from(hex, 'hex').readBigInt64LE(),
    );
    if (typeof lower !== 'bigint' || typeof upper !== 'bigint') return true;
    return lower <= id && id <= upper;
  };
}

/** By the partition, else by the bounds of column 2, a string. */
function isOf(region: string): (file: PyIcebergDataFile) => boolean {
  const hex = Buffer.from(region).toString('hex');
  return ({ partition, lowerBounds, upperBounds }) => {
    const [value = null] = Array.isArray(partition) ? partition : [];
    if (value !== null) return value === region;
    return (lowerBounds['2'] ?? hex) <= hex && hex <= (upperBounds['2'] ?? hex);
  };
}

/** Spark says of its own merges the same. */
function isOurs(summary: Readonly<Record<string, string>>): boolean {
  return 'iceberg-registrar.version' in summary;
}

function deletesOf({ dataFiles }: PyIcebergTable): readonly string[] {
  return dataFiles.flatMap(({ content, path }) => (content === 'data' ? [] : [path])).toSorted();
}
