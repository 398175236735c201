import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Schema } from '../../../lib/spec/schema.ts';
import { indexById } from '../../../lib/spec/schema.ts';
import { outcomeOf } from '../../segment/outcome.ts';
import { install, installedFolder } from '../services/services.ts';

const FILES = 150;
const maps = ['columnSizes', 'valueCounts', 'nullValueCounts', 'lowerBounds', 'upperBounds'] as const;
type Maps = Readonly<Record<(typeof maps)[number], Readonly<Record<string, number | string>>>>;

interface Metrics extends Maps {
  readonly schema: Schema;
  readonly recordCount: number;
  readonly splitOffsets: readonly number[];
}

interface RandomFile {
  readonly path: string;
  /** Columns of which a row group has values and neither minimum nor maximum. */
  readonly open: readonly string[];
  readonly pyiceberg: Metrics | { readonly failed: string };
}

/** One entry of one map that differs. */
interface Difference {
  readonly map: (typeof maps)[number];
  readonly id: string;
  readonly ours: number | string | undefined;
  readonly theirs: number | string | undefined;
}

const folder = mkdtempSync(join(tmpdir(), 'metrics-oracle-'));
let files: readonly RandomFile[] = [];
let ours: readonly Metrics[] = [];

beforeAll(async () => {
  files = (await askPython({ make: { folder, seed: 'metrics', count: FILES } })) as RandomFile[];
  ours = (await Promise.all(files.map(({ path }) => outcomeOf(readFileSync(path))))) as unknown as Metrics[];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(`${FILES} random files: schema and metrics are those of Iceberg for Java`, async () => {
  const answers = await askJava(files.map(({ path }) => path));
  expect(answers.length).toBe(FILES);
  for (const [index, java] of answers.entries()) {
    const [file, mine] = [files[index], ours[index]];
    if (file === undefined || mine === undefined) throw new Error('fewer files than answers');
    expect(mine.recordCount).toBe(java.recordCount);
    expect(mine.splitOffsets).toEqual(java.splitOffsets);
    expect(spelled(mine.schema)).toEqual(spelled(java.schema));
    // Java leaves row groups without minimum and maximum out of the bounds, although they may hold any value.
    const unexplained = differences(mine, java).filter(
      ({ map, id, ours }) => !(isBound(map) && ours === undefined && file.open.includes(id)),
    );
    expect(unexplained, file.path).toEqual([]);
  }
});

test(`${FILES} random files: metrics are those of PyIceberg, known differences aside`, () => {
  let compared = 0;
  for (const [index, mine] of ours.entries()) {
    const { pyiceberg, path, open = [] } = files[index] ?? {};
    if (pyiceberg === undefined) throw new Error('fewer files than answers');
    if ('failed' in pyiceberg) {
      // PyIceberg raises U+D7FF to a surrogate, which UTF-8 does not have.
      expect(pyiceberg.failed).toContain('surrogates not allowed');
      continue;
    }
    compared++;
    const fields = indexById(mine.schema);
    const unexplained = differences(mine, pyiceberg).filter(({ map, id, ours, theirs }) => {
      const lineage = lineageOf(fields, Number(id));
      const isRepeated = lineage.some(({ role }) => role !== 'field');
      // Counts of repeated leaves are the number of their slots, which is not the number of rows that the spec's readers take it for.
      if (!isBound(map)) return !(isRepeated && ours === undefined);
      // PyIceberg has no bounds below structs; the spec has them for every primitive field.
      if (lineage.length > 1 && theirs === undefined) return false;
      // It merges the row groups that have a minimum and passes over the others.
      if (ours === undefined && open.includes(id)) return false;
      const type = fields.get(Number(id))?.type;
      // It keeps the sign of a zero; the lower bound of both zeros is -0, the upper one +0 (parquet.thrift, ColumnOrder).
      if (type === 'float' || type === 'double') return !(isZero(String(ours)) && isZero(String(theirs)));
      // It keeps what follows the raised character or byte of a cut upper bound: longer, and a bound as well.
      return !(map === 'upperBounds' && String(theirs).startsWith(String(ours)));
    });
    expect(unexplained, path).toEqual([]);
  }
  expect(compared).toBeGreaterThan(FILES * 0.9);
});

interface Pruned {
  readonly wrong: readonly string[];
  readonly asked: number;
  readonly skipped: number;
  readonly whole: number;
}

async function pruned(change: (metrics: Metrics) => Metrics): Promise<Pruned> {
  const request = files.flatMap(({ path }, index) => {
    const mine = ours[index];
    return mine === undefined ? [] : [{ path, schema: mine.schema, metrics: change(mine) }];
  });
  return (await askPython({ prune: { seed: 'predicates', files: request } })) as Pruned;
}

test('random predicates: a reader that prunes by the metrics skips no matching row and takes no other', async () => {
  const { wrong, asked, skipped, whole } = await pruned((metrics) => metrics);
  expect(wrong).toEqual([]);
  expect(asked).toBeGreaterThan(2000);
  // The metrics are there to be of use, too.
  expect(skipped).toBeGreaterThan(asked / 10);
  expect(whole).toBeGreaterThan(asked / 20);
});

test('random predicates: they find bounds that are wrong', async () => {
  const { wrong } = await pruned((metrics) => ({ ...metrics, lowerBounds: metrics.upperBounds }));
  expect(wrong.length).toBeGreaterThan(100);
});

const isBound = (map: string): boolean => map.endsWith('Bounds');
const isZero = (hex: string): boolean => /^(00)+(00|80)$/.test(hex);
const spelled = (schema: Schema): string => JSON.stringify(schema.fields).replaceAll(' ', '');

function differences(mine: Maps, other: Maps): readonly Difference[] {
  return maps.flatMap((map) =>
    [...new Set([...Object.keys(mine[map]), ...Object.keys(other[map])])]
      .map((id) => ({ map, id, ours: mine[map][id], theirs: other[map][id] }))
      .filter(({ ours, theirs }) => ours !== theirs),
  );
}

function lineageOf(fields: ReturnType<typeof indexById>, id: number) {
  const lineage = [];
  for (
    let at = fields.get(id);
    at !== undefined;
    at = at.parentId === undefined ? undefined : fields.get(at.parentId)
  ) {
    lineage.push(at);
  }
  return lineage;
}

async function askPython(request: unknown): Promise<unknown> {
  const child = spawn(inject('readersPython'), [join(import.meta.dirname, 'metrics_oracle.py')], {
    env: { ...process.env, TZ: 'UTC' },
  });
  child.stdin.end(JSON.stringify(request));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (output === '') throw new Error(errors.slice(-4000));
  return JSON.parse(output);
}

async function askJava(paths: readonly string[]): Promise<readonly Metrics[]> {
  await install('parquet');
  const java = spawn('java', [
    '-cp',
    join(installedFolder, 'parquet/*'),
    join(import.meta.dirname, 'FooterOracle.java'),
  ]);
  java.stdin.end(paths.map((path) => `${path}\n`).join(''));
  const [output, errors] = await Promise.all([text(java.stdout), text(java.stderr)]);
  const answers = output.split('\n').filter((line) => line.startsWith('{'));
  if (answers.length !== paths.length) throw new Error(errors.slice(-4000));
  return answers.map((line) => JSON.parse(line));
}
