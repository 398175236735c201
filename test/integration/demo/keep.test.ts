import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');

let demo: ChildProcess;
let told = '';
let printed = '';

/** `--keep` tells what to paste on the error stream when `--json` has the output for itself. */
beforeAll(async () => {
  demo = spawn(process.execPath, ['cli/main.mjs', 'demo', '--json', '--keep'], { cwd: root });
  await new Promise<void>((resolve, reject) => {
    const resolveWhenWhole = () => {
      if (told.includes('Still running') && printed.endsWith('\n')) resolve();
    };
    demo.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      resolveWhenWhole();
    });
    demo.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk;
      resolveWhenWhole();
    });
    demo.once('exit', (code) => reject(new Error(`The demo ended with ${code}:\n${told}`)));
  });
}, 120_000);
afterAll(() => {
  demo.kill('SIGKILL');
});

describe('demo --json --keep', () => {
  test('prints one JSON object alone, with every dataset whole', () => {
    const { tables, redelivered, quarantined } = JSON.parse(printed);
    expect(printed.trimEnd().split('\n')).toHaveLength(1);
    expect(tables).toMatchObject([
      { table: 'plant.telemetry', segments: 20, rows: 40_000, readBackRows: 40_000, duplicates: 0 },
      { table: 'plant.events', segments: 14, rows: 35_000, readBackRows: 35_000, duplicates: 0 },
      { table: 'plant.orders', segments: 12, rows: 24_000, readBackRows: 24_000, duplicates: 0 },
    ]);
    expect([redelivered, quarantined]).toEqual([46, 1]);
  });

  test('what is to paste into PyIceberg reads a table', async () => {
    const paste = pasteFor('PyIceberg');
    expect(await python(`${paste}\nprint(catalog.load_table("plant.telemetry").scan().count())`)).toMatch(
      /'temperature': .*\n40000\n$/s,
    );
  });

  test('what is to paste into DuckDB reads a table', async () => {
    // the extensions come from installed packages in place of a download
    const statements = pasteFor('DuckDB')
      .replaceAll(/(INSTALL|LOAD) \w+;/g, '')
      .split(';')
      .filter((sql) => sql.trim());
    expect(
      await python(`import duckdb, importlib.util, pathlib
demo = duckdb.connect()
for name in ("icu", "httpfs", "avro", "iceberg"):
    package = importlib.util.find_spec(f"duckdb_extension_{name}").submodule_search_locations[0]
    demo.execute(f"LOAD '{next(pathlib.Path(package).rglob(f'{name}.duckdb_extension'))}'")
for statement in ${JSON.stringify(statements)}:
    demo.execute(statement)
print(len(demo.fetchall()), [name for name, *_ in demo.description])`),
    ).toMatch(/^5 \['seq', .*'temperature', .*'signal_dbm'\]\n$/);
  });

  test('ends with 0 when it is interrupted', async () => {
    demo.removeAllListeners('exit');
    demo.kill('SIGINT');
    expect(await once(demo, 'exit')).toEqual([0, null]);
  });
});

/** The text between an engine's heading and the next blank line. */
function pasteFor(engine: string): string {
  const [, paste = ''] = new RegExp(`^${engine} \\([^\\n]*\\n(.*?)\\n\\n`, 'ms').exec(told) ?? [];
  return paste;
}

async function python(program: string): Promise<string> {
  const child = spawn(inject('readersPython'), ['-'], { env: { ...process.env, TZ: 'UTC' } });
  child.stdin.end(program);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`Python ended with ${code}:\n${errors}`);
  return output;
}
