/**
 * What an append costs beside its round trips: `node bench/append/append.ts`. The peer is the same work as writers commonly do
 * it: every entry of the parent's list decoded and encoded again.
 */

import { readManifestEntries } from '../../lib/append/manifest.ts';
import { type ManifestList, manifestFiles, readManifestList } from '../../lib/append/manifest-list.ts';
import { prepareAppend } from '../../lib/append/prepare.ts';
import { stageAppend } from '../../lib/append/stage.ts';
import type { DataFile } from '../../lib/spec/manifest.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import { cpuMs, dataFiles, empty, schema, withHead } from './table.ts';

const LIST_ENTRIES = 5_000;

function prepare(state: TableState, files: readonly DataFile[]) {
  const snapshotId = BigInt(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) << 30n;
  return prepareAppend({ state, schema, dataFiles: files, snapshotId, uuid: crypto.randomUUID() });
}

function stage(
  state: TableState,
  prepared: ReturnType<typeof prepare>,
  parentList: ManifestList | undefined,
) {
  const uuid = crypto.randomUUID();
  return stageAppend({
    state,
    branch: 'main',
    prepared,
    parentList,
    schemaId: 0,
    attempt: 1,
    uuid,
    timestampMs: 0n,
    summary: {},
  });
}

/** Median and 95th percentile in milliseconds of CPU: what does not depend on the machine's other work. */
function measure(work: () => unknown, runs: number): readonly [string, string] {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    work();
    return cpuMs(before);
  }).sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  return [at(0.5), at(0.95)];
}

const one = dataFiles(1);
const thousand = dataFiles(1_000);
const started = process.cpuUsage();
const firstAppend = prepare(empty, one);
let list = stage(empty, firstAppend, undefined).list;
const firstMs = cpuMs(started).toFixed(2);
for (let n = 1; n < LIST_ENTRIES; n += 1) list = stage(withHead(list), prepare(empty, one), list).list;

const state = withHead(list);
const foreign = { ...list, schema: list.schema.replace('"manifest_path"', '"path"') };
const listBytes = stage(state, firstAppend, list).listBytes;
const manifest = prepare(empty, thousand).manifests[0]?.bytes ?? new Uint8Array();

console.table({
  'first append of a process': { p50: firstMs, p95: firstMs },
  'encode 1 data file': rows(() => prepare(empty, one), 300),
  'encode 1,000 data files': rows(() => prepare(empty, thousand), 30),
  'stage on 5,000 entries': rows(() => stage(state, firstAppend, list), 300),
  'stage on 5,000 entries, decoded and encoded': rows(() => stage(state, firstAppend, foreign), 30),
  'read a list of 5,000 entries, encoded': rows(() => readManifestList(listBytes, list.path), 300),
  'decode its entries': rows(() => manifestFiles(list), 30),
  'read the entries of a manifest of 1,000': rows(() => [...readManifestEntries(manifest, 'm.avro')], 30),
});
console.log(
  `list of 5,001 entries: ${listBytes.length} bytes; manifest of 1,000 files: ${manifest.length} bytes`,
);

function rows(work: () => unknown, runs: number) {
  const [p50, p95] = measure(work, runs);
  return { p50, p95 };
}
