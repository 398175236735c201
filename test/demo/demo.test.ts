import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stage, setStage } from '../../local/demo/demo.ts';
import { avroFilesSql, currentSnapshot, loadMetadata } from '../../local/demo/lake.ts';
import { report, verdictJson } from '../../local/demo/report.ts';
import { type Played, playScenario } from '../../local/demo/scenario.ts';
import type { Screen } from '../../local/demo/screen.ts';
import { judge } from '../../local/demo/verdict.ts';

const told: string[] = [];
const screen: Screen = {
  heading: (text) => told.push(text),
  line: (text) => told.push(text),
  progress: () => {},
  table: (_, rows) => told.push(...rows.map((row) => row.join(' '))),
  paint: (_, text) => text,
};

let stage: Stage;
let played: Played;

beforeAll(async () => {
  stage = await setStage(screen);
  played = await playScenario(stage, () => 3).catch((cause: unknown) => {
    throw new Error(told.join('\n'), { cause });
  });
}, 150_000);
afterAll(() => stage[Symbol.asyncDispose]());

const verdict = () => judge(stage.engine, stage.services, played);

describe('the demo', () => {
  test('ends with every figure as the shipper logged it: each segment once (I2), all redeliveries recognised, one file set aside', async () => {
    const { problems, ...figures } = await verdict();
    expect(problems).toEqual([]);
    expect(figures).toMatchObject({ redelivered: 9, quarantined: 1 });
    expect(
      figures.tables.map(({ table, segments, dataFiles, duplicates }) => [
        table,
        segments,
        dataFiles,
        duplicates,
      ]),
    ).toEqual([
      ['plant.telemetry', 3, 3, 0],
      ['plant.events', 3, 3, 0],
      ['plant.orders', 3, 3, 0],
    ]);
    for (const { rows, readBackRows } of figures.tables) expect(readBackRows).toBe(rows);
    expect(report(screen, { problems, ...figures }, 0)).toBe(0);
  });

  test('prints one JSON object with the figures of each table', async () => {
    const json = JSON.parse(verdictJson(await verdict()));
    expect(Object.keys(json)).toEqual(['tables', 'redelivered', 'quarantined']);
    expect(Object.keys(json.tables[0])).toEqual([
      'table',
      'segments',
      'rows',
      'dataFiles',
      'snapshots',
      'duplicates',
      'readBackRows',
      'columns',
    ]);
  });

  test('tells the schema change beside the commit that made it (I4)', () => {
    expect(told.join('\n')).toMatch(
      /plant\.telemetry.*\n +temp → temperature\n +pulses int → long\n +\+ firmware\.channel string\n +\+ signal_dbm int/,
    );
    expect(told.join('\n')).toContain('set aside: segment.unreadable');
  });

  test('fails and names the bound when one bound of one file is wrong', async () => {
    const segment = played.tables[0]?.segments[1];
    const greatest = segment?.log.columns.get(5)?.greatest;
    if (segment === undefined || typeof greatest !== 'bigint') throw new Error('no segment with measured_at');
    const restore = await replaceInManifests(0, int64(greatest), int64(greatest - 1n));
    const bad = await verdict();
    restore();
    expect(bad.problems).toEqual([
      `plant.telemetry, "${segment.uri}": column measured_at: upper_bound is "${greatest - 1n}", its greatest value "${greatest}"`,
    ]);
    expect(report(screen, bad, 0)).toBe(1);
    expect(told.at(-1)).toContain('measured_at: upper_bound');
    expect((await verdict()).problems).toEqual([]);
  });

  test('fails and names the table when one data file is gone', async () => {
    const uri = played.tables[2]?.segments[2]?.uri ?? '';
    const { stack, lake } = stage.services;
    stack.objects.delete(lake.bucket, keyOf(uri));
    const bad = await verdict();
    expect(bad.problems).toEqual([expect.stringContaining('plant.orders: cannot be read back: ')]);
    expect(report(screen, bad, 0)).toBe(1);
  });
});

function keyOf(uri: string): string {
  return uri.slice(`s3://${stage.services.lake.bucket}/`.length);
}

/** Replaces bytes that occur once in the manifests of a table's newest snapshot; answers what undoes it. */
async function replaceInManifests(tableIndex: number, from: Buffer, to: Buffer): Promise<() => void> {
  const { lake, stack } = stage.services;
  const table = played.tables[tableIndex]?.table ?? { namespace: [], name: '' };
  const metadata = await loadMetadata(lake, table);
  const list = metadata && currentSnapshot(metadata)?.['manifest-list'];
  const manifests = await stage.engine.query(`SELECT manifest_path FROM ${avroFilesSql(lake, [list ?? ''])}`);
  const found = manifests.flat().flatMap((uri) => {
    const file = stack.objects.get(lake.bucket, keyOf(uri))?.bytes ?? Buffer.alloc(0);
    const { header, count, rows, sync } = singleBlock(file);
    const at = rows.indexOf(from);
    if (at === -1) return [];
    expect(rows.indexOf(from, at + 1)).toBe(-1);
    const body = deflateRawSync(Buffer.concat([rows.subarray(0, at), to, rows.subarray(at + from.length)]));
    return [{ uri, file, changed: Buffer.concat([header, varint(count), varint(body.length), body, sync]) }];
  });
  expect(found).toHaveLength(1);
  for (const { uri, changed } of found) stack.objects.put(lake.bucket, keyOf(uri), changed);
  return () => {
    for (const { uri, file } of found) stack.objects.put(lake.bucket, keyOf(uri), file);
  };
}

/** An Avro object container file of one deflated block, taken apart. */
function singleBlock(file: Buffer): { header: Buffer; count: number; rows: Buffer; sync: Buffer } {
  const sync = file.subarray(-16);
  const headerEnd = file.indexOf(sync) + 16;
  const [count, sizeAt] = readVarint(file, headerEnd);
  const [size, bodyAt] = readVarint(file, sizeAt);
  expect(bodyAt + size + 16).toBe(file.length);
  return {
    header: file.subarray(0, headerEnd),
    count,
    rows: inflateRawSync(file.subarray(bodyAt, bodyAt + size)),
    sync,
  };
}

/** Avro's long: zigzag, seven bits a byte; the value and where it ends. */
function readVarint(bytes: Buffer, start: number): [number, number] {
  let value = 0;
  for (let at = start, scale = 1; ; at += 1, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return [value / 2, at + 1];
  }
}

function varint(value: number): Buffer {
  const bytes = [];
  let rest = value * 2;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}
