import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openEngine } from '../../../local/demo/engine.ts';
import { type Deployment, deploy } from '../pipeline/deployment.ts';
import { type Row, sorted } from '../readers/canonical.ts';
import { readWithDuckDb } from '../readers/duckdb.ts';
import { readWithPyIceberg } from '../readers/pyiceberg.ts';
import { describeWith } from '../services/describe-with.ts';

/** Types that are accepted because two engines read them right, and what they read. */
const expected: Readonly<Record<string, readonly Row[string][]>> = {
  uint32: ['0', null, '4294967295'],
  int96: ['1969-12-31T23:59:59.999999+00:00', null, '2262-04-10T01:02:03.000004+00:00'],
  optional_key: [[['k', '1']], null, [['x', null]]],
};

describeWith('the doubtful types', ['localstack', 'seaweedfsCatalog'], (services) => {
  let deployment: Deployment;

  beforeAll(async () => {
    const files = { ...(await writtenByPyArrow()), optional_key: mapWithOptionalKey() };
    deployment = await deploy({
      catalog: services.seaweedfsCatalog,
      sqs: services.localstack,
      notifies: false,
    });
    const uploads = Object.entries(files).map(([name, bytes]) => ({
      key: `thadam/v1/plant-7/${name}/1.parquet`,
      bytes,
    }));
    await Promise.all(uploads.map(({ key, bytes }) => deployment.upload(key, bytes)));
    await deployment.untilAcknowledged(uploads);
  });
  afterAll(() => deployment?.close());

  const rowsOf = (name: string): readonly Row[] =>
    (expected[name] ?? []).map((v, id): Row => ({ id: String(id), v }));

  test('all are registered', async () => {
    expect(await deployment.quarantined()).toEqual([]);
  });

  test.each(['uint32', 'int96'])('%s: PyIceberg reads the values of the file (A11, A12)', async (name) => {
    const { rows } = await readWithPyIceberg({ ...deployment, name });
    expect(sorted(rows)).toEqual(sorted(rowsOf(name)));
  });

  test.each(Object.keys(expected))('%s: DuckDB reads the values of the file (A9, A11, A12)', async (name) => {
    const { rows } = await readWithDuckDb({ ...deployment, name });
    expect(sorted(rows)).toEqual(sorted(rowsOf(name)));
  });

  test('optional_key: ClickHouse reads the values of the file, Arrow refuses maps of that form (A9)', async () => {
    const engine = await openEngine();
    const { endpoint, accessKeyId, secretAccessKey } = deployment.store;
    const location = `${endpoint}/${deployment.bucket}/lake/thadam/v1/plant-7/optional_key`;
    try {
      const rows = await engine.query(
        `SELECT toString(id), toString(v) FROM icebergS3('${location}', '${accessKeyId}', '${secretAccessKey}') ORDER BY id`,
      );
      // ClickHouse has no null maps: it reads one as empty.
      expect(rows).toEqual([
        ['0', "{'k':1}"],
        ['1', '{}'],
        ['2', "{'x':NULL}"],
      ]);
    } finally {
      engine.close();
    }
  });
});

async function writtenByPyArrow(): Promise<Readonly<Record<string, Uint8Array>>> {
  const child = spawn(inject('readersPython'), [join(import.meta.dirname, 'doubtful_files.py')]);
  child.stdin.end('{}');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (output === '') throw new Error(errors.slice(-4000));
  const files = JSON.parse(output) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(files).map(([name, base64]) => [name, Buffer.from(base64, 'base64')]),
  );
}

/** As Flink and Hive write maps. */
function mapWithOptionalKey(): Uint8Array {
  return new Uint8Array(
    parquetWriteBuffer({
      schema: [
        { name: 'root', num_children: 2 },
        { name: 'id', type: 'INT64', repetition_type: 'REQUIRED', field_id: 1 },
        { name: 'v', num_children: 1, converted_type: 'MAP', repetition_type: 'OPTIONAL', field_id: 2 },
        { name: 'key_value', num_children: 2, repetition_type: 'REPEATED' },
        { name: 'key', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL', field_id: 3 },
        { name: 'value', type: 'INT64', repetition_type: 'OPTIONAL', field_id: 4 },
      ],
      columnData: [
        { name: 'id', data: [0n, 1n, 2n] },
        { name: 'v', data: [new Map([['k', 1n]]), undefined, new Map([['x', null]])] },
      ],
    }),
  );
}
