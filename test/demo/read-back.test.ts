import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, openEngine } from '../../local/demo/engine.ts';
import { differences, readBack } from '../../local/demo/read-back.ts';
import { newestSchema, type Row, type Value } from '../../local/shipper/dataset.ts';
import { datasets } from '../../local/shipper/datasets.ts';
import { makeSegment, writeParquet } from '../../local/shipper/segment.ts';
import { mergeLogs } from '../../local/shipper/segment-log.ts';
import { telemetry } from '../../local/shipper/telemetry.ts';

let engine: Engine;
const folder = mkdtempSync(join(tmpdir(), 'read-back-'));

beforeAll(async () => {
  // the engine reads files only below the working directory
  process.chdir(folder);
  engine = await openEngine();
});
afterAll(() => {
  engine.close();
  rmSync(folder, { recursive: true });
});

const shipped = datasets.flatMap((dataset) =>
  dataset.versions.map((schema, version) => ({ dataset, schema, version })),
);

describe('readBack', () => {
  test.each(shipped)(
    'equals the log of $dataset.name, version $version, in every figure',
    async ({ dataset, schema, version }) => {
      const segment = makeSegment(dataset, version, 1);
      const file = `${dataset.name}-${version}.parquet`;
      writeFileSync(file, segment.bytes);
      const read = await readBack(engine, `file('${file}')`, schema);
      expect(differences(dataset.name, schema, segment.log, read)).toEqual([]);
    },
  );

  test('names the column when one value of one row differs', async () => {
    for (const dataset of datasets) {
      const schema = newestSchema(dataset);
      const version = dataset.versions.length - 1;
      const { rows, log } = makeSegment(dataset, version, 2, { rows: 50 });
      const other = makeSegment(dataset, version, 900, { rows: 50 }).rows;
      for (const { id, name } of schema.fields) {
        const at = rows.findIndex((row, index) => !isDeepStrictEqual(row[name], other[index]?.[name]));
        const changed = rows.map((row, index) =>
          index === at ? { ...row, [name]: other[at]?.[name] ?? null } : row,
        );
        const file = `${dataset.name}-changed-${id}.parquet`;
        writeFileSync(file, writeParquet(schema, changed));
        const lines = differences(
          dataset.name,
          schema,
          log,
          await readBack(engine, `file('${file}')`, schema),
        );
        expect(lines.join('\n'), name).toContain(`${dataset.name}.${name}`);
      }
    }
  });

  test('sees two rows that swapped a value', async () => {
    const schema = newestSchema(telemetry);
    const { rows, log } = makeSegment(telemetry, 1, 0, { rows: 10 });
    const devices = rows.map((row) => row['device'] ?? null).reverse();
    writeFileSync(
      'swapped.parquet',
      writeParquet(
        schema,
        rows.map((row, index) => ({ ...row, device: devices[index] ?? null })),
      ),
    );
    const lines = differences(
      'telemetry',
      schema,
      log,
      await readBack(engine, "file('swapped.parquet')", schema),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^telemetry\.device \(field 3\): checksum: \d+, expected \d+$/),
    ]);
  });
});

describe('mergeLogs', () => {
  test('counts a column that older segments lack as null in their rows', async () => {
    const schema = newestSchema(telemetry);
    const segments = [makeSegment(telemetry, 0, 0), makeSegment(telemetry, 1, 1)];
    // the older rows as a table has them by field ID: under the new names, null where they had no column
    const older = segments[0]?.rows.map(({ temp, ...row }) => ({ ...row, temperature: temp ?? null }));
    const unknown = older?.map((row: Row) => ({ ...row, firmware: withoutChannel(row['firmware']) }));
    writeFileSync('merged-0.parquet', writeParquet(schema, unknown ?? []));
    writeFileSync('merged-1.parquet', segments[1]?.bytes ?? new Uint8Array());
    const merged = mergeLogs(
      schema,
      segments.map(({ log }) => log),
    );
    const read = await readBack(engine, "file('merged-*.parquet')", schema);
    expect(differences('telemetry', schema, merged, read)).toEqual([]);
  });
});

function withoutChannel(firmware: Value | undefined): Value {
  return firmware === null ? null : { ...(firmware as Row), channel: null };
}
