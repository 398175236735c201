/**
 * What staging costs as a table grows, merging included: `node bench/append/growth.ts [--commits 10000]`. One segment a
 * commit; manifests lie in memory, so that CPU alone is measured, and each commit counts, also those that merge.
 */
import { type ManifestList, manifestCount } from '../../lib/append/manifest-list.ts';
import { newSnapshotId, prepareAppend } from '../../lib/append/prepare.ts';
import { stageAppend } from '../../lib/append/stage.ts';
import { type MergingPorts, mergingOf } from '../../lib/jobs/register/merging.ts';
import { readCommandLine } from '../../local/command-line.ts';
import { entry } from '../../test/fakes/entry.ts';
import { memoryLog } from '../../test/fakes/log.ts';
import { fakeStore } from '../../test/fakes/store.ts';
import { cpuMs, dataFiles, empty, schema, withHead } from './table.ts';

const { values } = readCommandLine({ options: { commits: { type: 'string', default: '10000' } } });
const commits = Number(values.commits);
/** Figures are of so many commits up to a number of them: two merges of a hundred at least. */
const WINDOW = 250;

const random = { next: Math.random, uuid: () => crypto.randomUUID() };

interface Commit {
  readonly ms: number;
  readonly merged: number;
}

async function grow(isMerging: boolean): Promise<void> {
  const store = fakeStore({ now: () => 0 });
  const ports: MergingPorts = { store, random, log: memoryLog(), remainingMs: () => 60_000 };
  const done: Commit[] = [];
  let list: ManifestList | undefined;
  for (let number = 1; number <= commits; number += 1) {
    const files = dataFiles(1);
    const state = list === undefined ? empty : withHead(list);
    const started = process.cpuUsage();
    const prepared = prepareAppend({
      state,
      schema,
      dataFiles: files,
      snapshotId: newSnapshotId(random),
      uuid: random.uuid(),
    });
    const attempt = { state, fresh: false, number: 1, afterUnknown: false, mayHaveLanded: false };
    const mergingFor = mergingOf(entry({ merge_manifests: isMerging }), ports);
    const { merged, lookForMergeAt } = await mergingFor(list, attempt, schema);
    const staged = stageAppend({
      state,
      branch: 'main',
      prepared,
      parentList: list,
      merged,
      lookForMergeAt,
      schemaId: 0,
      attempt: 1,
      uuid: random.uuid(),
      timestampMs: 0n,
      summary: {},
    });
    done.push({ ms: cpuMs(started), merged: merged?.file.existingFilesCount ?? 0 });
    for (const { path, bytes } of [...prepared.manifests, ...(merged === undefined ? [] : [merged])]) {
      store.upload(path, bytes);
    }
    list = staged.list;
    if (points.has(number)) show(number, isMerging, done, list, staged.listBytes.length);
  }
}

const points = new Set([100, 1_000, 5_000, 10_000].filter((point) => point <= commits).concat(commits));
const rows: Record<string, string | number>[] = [];

function show(
  number: number,
  isMerging: boolean,
  done: readonly Commit[],
  list: ManifestList,
  listBytes: number,
): void {
  const recent = done.slice(-WINDOW).map(({ ms }) => ms);
  const sum = (times: readonly number[]) => times.reduce((total, ms) => total + ms, 0);
  const files = done.reduce((total, { merged }) => total + merged, 0);
  rows.push({
    merging: String(isMerging),
    commits: number,
    'p50, ms of CPU': (recent.toSorted((a, b) => a - b)[recent.length >> 1] ?? 0).toFixed(2),
    'mean of the last 250': (sum(recent) / recent.length).toFixed(2),
    'mean of all': (sum(done.map(({ ms }) => ms)) / number).toFixed(2),
    'largest merge, files': Math.max(...done.map(({ merged }) => merged)),
    'its ms': Math.max(...done.slice(WINDOW).map(({ ms }) => ms), 0).toFixed(0),
    'entries rewritten a commit': (files / number).toFixed(1),
    'manifests in the list': manifestCount(list),
    'list, KiB': Math.round(listBytes / 1024),
  });
}

await grow(true);
await grow(false);
console.table(rows);
