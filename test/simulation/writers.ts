import { newSnapshotId, prepareAppend } from '../../lib/append/prepare.ts';
import { stageAppend } from '../../lib/append/stage.ts';
import type { DataFile, ManifestEntry } from '../../lib/spec/manifest.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import { dataFile, type ForeignTables } from './foreign-tables.ts';
import { datasetOf, keyUri } from './lake.ts';
import { type EntryOf, replaceManifests } from './replace.ts';
import type { DatasetName } from './schedule.ts';

/** Rows of another writer. Some writers say nothing of counts in the summary: absent is unknown. */
export function append(tables: ForeignTables, dataset: DatasetName, counted: boolean): void {
  const state = tables.state(dataset);
  if (state === undefined) return;
  const { uri, content } = tables.write(state, 'foreign');
  appendFile(tables, dataset, state, dataFile(uri, content.bytes.length, content.rows), counted);
}

/** A shipped file that another writer registers, without our ledger, unless the table has it. */
export function addFiles(tables: ForeignTables, key: string): void {
  const uri = keyUri(key);
  const dataset = datasetOf(uri);
  const state = dataset && tables.state(dataset);
  const content = tables.history.keys.get(uri)?.at(-1)?.content;
  if (dataset === undefined || state === undefined || content === undefined) return;
  if (content.rows === 0 || content.kind === 'misfit') return;
  const isThere = tables
    .live(dataset)
    .some(({ filePath }) => tables.history.sourcesOf(filePath).includes(uri));
  if (isThere) return;
  appendFile(tables, dataset, state, dataFile(uri, content.bytes.length, content.rows), true);
}

/** All files of a table become one. A job that dies has written its file, and commits nothing. */
export function compact(tables: ForeignTables, dataset: DatasetName, dies: boolean): void {
  const state = tables.state(dataset);
  const live = tables.live(dataset);
  if (state === undefined || live.length === 0) return;
  const { uri, content } = tables.write(state, 'compacted');
  tables.history.compacted.set(
    uri,
    live.flatMap(({ filePath }) => tables.history.sourcesOf(filePath)),
  );
  if (dies) return;
  const output = dataFile(uri, content.bytes.length, content.rows);
  const entries = [
    { status: 'added', file: output } as const,
    ...live.map((entry) => kept(entry, 'deleted')),
  ];
  replace(tables, dataset, state, entries, {
    operation: 'replace',
    'added-data-files': '1',
    'deleted-data-files': String(live.length),
  });
}

/** By SQL: the rows of one file are gone. */
export function deleteRows(tables: ForeignTables, dataset: DatasetName): void {
  const state = tables.state(dataset);
  const [gone, ...rest] = tables.live(dataset);
  if (state === undefined || gone === undefined) return;
  const entries = [kept(gone, 'deleted'), ...rest.map((entry) => kept(entry, 'existing'))];
  replace(tables, dataset, state, entries, { operation: 'delete', 'deleted-data-files': '1' });
}

export function rewriteManifests(tables: ForeignTables, dataset: DatasetName): void {
  const state = tables.state(dataset);
  const live = tables.live(dataset);
  if (state === undefined || live.length === 0) return;
  const entries = live.map((entry) => kept(entry, 'existing'));
  replace(tables, dataset, state, entries, { operation: 'replace', 'manifests-created': '1' });
}

function appendFile(
  tables: ForeignTables,
  dataset: DatasetName,
  state: TableState,
  added: DataFile,
  counted: boolean,
): void {
  const { draws, store } = tables;
  const uuid = draws.uuid();
  const prepared = prepareAppend({
    state,
    schema: state.currentSchema,
    dataFiles: [added],
    snapshotId: newSnapshotId(draws),
    uuid,
  });
  const staged = stageAppend({
    state,
    branch: 'main',
    prepared,
    parentList: tables.list(state),
    schemaId: state.currentSchema['schema-id'] ?? 0,
    attempt: 1,
    uuid,
    timestampMs: tables.timestampMs(state),
    summary: {},
  });
  store.put(staged.listPath, staged.listBytes);
  for (const { path, bytes } of prepared.manifests) store.put(path, bytes);
  tables.commit(dataset, counted ? staged.updates : staged.updates.map(withoutCounts));
}

function withoutCounts(update: object): object {
  if (!('snapshot' in update)) return update;
  return { ...update, snapshot: { ...(update.snapshot as object), summary: { operation: 'append' } } };
}

function replace(
  tables: ForeignTables,
  dataset: DatasetName,
  state: TableState,
  entries: readonly EntryOf[],
  summary: Readonly<Record<string, string>>,
): void {
  const { updates, objects } = replaceManifests(state, entries, {
    draws: tables.draws,
    timestampMs: tables.timestampMs(state),
    summary,
  });
  for (const { path, bytes } of objects) tables.store.put(path, bytes);
  tables.commit(dataset, updates);
}

function kept(entry: ManifestEntry, status: 'existing' | 'deleted'): EntryOf {
  const { filePath, fileSizeInBytes, recordCount } = entry;
  return { status, file: dataFile(filePath, Number(fileSizeInBytes), Number(recordCount)) };
}
