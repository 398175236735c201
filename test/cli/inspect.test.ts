import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { run } from '../../cli/program.ts';
import { startRegistration, uriOf } from '../jobs/registration.ts';
import { flatFooter } from '../segment/flat-footer.ts';
import { runCli } from './run.ts';

const root = path.resolve(import.meta.dirname, '../..');
const golden = path.join(root, 'test/files/pyarrow.parquet');
const folder = mkdtempSync(path.join(tmpdir(), 'inspect-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

async function inspect(...args: readonly string[]): Promise<Printed> {
  const [out, error] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) => {
    const lines: string[] = [];
    spy.mockImplementation((line: string) => lines.push(line));
    return lines;
  });
  try {
    const code = await run(['node', 'iceberg-registrar', 'inspect', ...args]);
    return { code, out: (out ?? []).join('\n'), error: (error ?? []).join('\n') };
  } finally {
    process.exitCode = undefined;
    vi.restoreAllMocks();
  }
}

/** A file with this footer, in the folder of this test. */
function fileWith(name: string, footer: Uint8Array): string {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  const magic = Buffer.from('PAR1');
  const file = path.join(folder, name);
  writeFileSync(file, Buffer.concat([magic, Buffer.alloc(1000), footer, length, magic]));
  return file;
}

const rows = [{ rows: 1, statistics: [undefined] }];

describe('iceberg-registrar inspect', () => {
  test('--json prints what the corpus expects, and exits 0', async () => {
    const { code, out } = await inspect('--json', golden);
    expect(JSON.parse(out)).toEqual(JSON.parse(readFileSync(golden.replace(/parquet$/, 'json'), 'utf8')));
    expect(code).toBe(0);
  });

  test('shows rows, writer, field IDs and readable bounds', async () => {
    const { code, out } = await inspect(golden);
    expect(out).toMatch(
      /4 rows in 2 row groups · 5,165 bytes · field IDs of the file · written by parquet-cpp-arrow/,
    );
    expect(out).toMatch(
      /4 │ at +│ timestamptz +│ +4 │ +1 │ +\d+ │ 1969-12-31T23:59:59.999999Z │ 2025-08-10T20:04:53.080758Z/,
    );
    expect(out).toMatch(/3 │ price +│ decimal\(9,2\).*│ -6.59 +│ 1.28 /);
    expect(code).toBe(0);
  });

  test('names code, column and way out of a refused file, and exits 3', async () => {
    const file = fileWith('millis.parquet', flatFooter([{ name: 'at', physical: 2, converted: 9 }], rows));
    const { code, out } = await inspect(file);
    expect(out).toMatch(/refused .*millis.parquet\nsink.iceberg_unsupported_type: .*"at".*microseconds/);
    expect(code).toBe(3);
    expect(JSON.parse((await inspect('--json', file)).out)).toMatchObject({
      refuse: 'sink.iceberg_unsupported_type',
    });
    expect((await inspect('--timestamp-millis', 'accept', file)).code).toBe(0);
  });

  test('warns, beside the answer, of a column that some engines misread', async () => {
    const file = fileWith('unsigned.parquet', flatFooter([{ name: 'a', physical: 1, converted: 13 }], rows));
    for (const args of [[file], ['--json', file]]) {
      const { code, out, error } = await inspect(...args);
      expect(error).toMatch(/^warning {2}UINT_32 in "a": .*Spark refuses/);
      expect(out).not.toContain('warning');
      expect(code).toBe(0);
    }
  });

  test('exits 4 for a file without rows', async () => {
    const file = fileWith('empty.parquet', flatFooter([{ name: 'a', physical: 1 }], []));
    expect(await inspect('--json', file)).toMatchObject({ code: 4, out: '{\n  "skip": "empty"\n}' });
  });

  test('resolves names through a mapping, and gives the next IDs to those that it lacks, as a registration does', async () => {
    const columns = ['a', 'b'].map((name) => ({ name, physical: 1, id: null }));
    const file = fileWith('names.parquet', flatFooter(columns, rows));
    const mapping = path.join(folder, 'mapping.json');
    writeFileSync(mapping, JSON.stringify([{ 'field-id': 7, names: ['a'] }]));
    expect((await inspect(file)).code).toBe(3);
    const { out } = await inspect('--json', '--field-ids', 'by_name', '--name-mapping', mapping, file);
    expect(JSON.parse(out)).toMatchObject({
      schema: {
        fields: [
          { id: 7, name: 'a' },
          { id: 8, name: 'b' },
        ],
      },
      valueCounts: { 7: 1, 8: 1 },
    });
  });

  test('says so where there is no file, and exits 1', async () => {
    for (const nowhere of [path.join(folder, 'nowhere.parquet'), folder]) {
      const { code, error } = await inspect(nowhere);
      expect([code, error]).toEqual([1, expect.stringContaining('segment.missing')]);
    }
  });

  test('lets no name of a file steer the terminal', async () => {
    const file = fileWith('escape.parquet', flatFooter([{ name: 'a\u001b[2J', physical: 1 }], rows));
    expect((await inspect(file)).out).toContain('a\\u{1b}[2J');
    expect((await inspect(file)).out).not.toContain('\u001b[2J');
  });
});

describe('iceberg-registrar inspect s3://…', () => {
  afterEach(() => vi.unstubAllEnvs());

  /** A machine on which nothing names a region or credentials. */
  function stubBareMachine(): void {
    for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', path.join(folder, 'no-config'));
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', path.join(folder, 'no-credentials'));
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  }

  test('without a region says what to set, and does not call the file refused', async () => {
    stubBareMachine();
    expect(await inspect('s3://lake/orders/a.parquet')).toStrictEqual({
      code: 1,
      out: '',
      error:
        'config.invalid: Cannot read "s3://lake/orders/a.parquet": no region is known; set AWS_REGION (for the store of segments and tables, store.region in the configuration does too)',
    });
  });

  test('without credentials says what to set', async () => {
    stubBareMachine();
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    expect(await inspect('s3://lake/orders/a.parquet')).toStrictEqual({
      code: 1,
      out: '',
      error:
        'auth.failed: Cannot read "s3://lake/orders/a.parquet": Could not load credentials from any providers; give the function a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (AWS_PROFILE on a workstation), or store.access_key_id and store.secret_access_key in the configuration',
    });
  });

  test.each([
    ['s3://bucket', 'it names no object; give one as s3://bucket/key'],
    ['gs://bucket/', 'it names no object; give one as gs://bucket/key'],
    ['https://host/a.parquet', 'only s3://bucket/key, gs://bucket/key and local files can be read'],
  ])('refuses %s for what it is', async (name, problem) => {
    const error = `config.invalid: Cannot inspect "${name}": ${problem}`;
    expect(await inspect(name)).toStrictEqual({ code: 1, out: '', error });
  });

  test('reads with the store and by the settings of the entry whose url holds the object', async () => {
    const registration = await startRegistration({ field_ids: 'by_name' });
    const nameless = readFileSync(
      fileWith('nameless.parquet', flatFooter([{ name: 'a', physical: 1, id: null }], rows)),
    );
    const run = (...args: readonly string[]) => runCli(['inspect', ...args], registration.environment);
    for (const key of ['thadam/v1/plant/orders/1.parquet', 'elsewhere.parquet']) {
      const uri = uriOf(registration.upload(key, nameless));
      expect(await run(uri)).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('resolved by name'),
      });
      expect(await run(uri, '--field-ids', 'checked')).toMatchObject({ status: 3, stderr: '' });
    }
    expect((await run('s3://lake/beside.parquet')).stderr).toContain('set AWS_REGION');
    await registration.close();
  });
});
