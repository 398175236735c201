import {
  packBlocks,
  readContainer,
  records,
  writeContainer,
} from '../../lib/append/avro/object-container.ts';
import { recordEditor } from '../../lib/append/avro/record-editor.ts';
import { skipper } from '../../lib/append/avro/row-reader.ts';
import { newSnapshotId, type PreparedAppend, prepareAppend } from '../../lib/append/prepare.ts';
import { type StagedAppend, stageAppend } from '../../lib/append/stage.ts';
import type { DataFile } from '../../lib/spec/manifest.ts';
import { metadataDirectory } from '../../lib/spec/metadata-directory.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import type { Content } from './contents.ts';
import { dataFile, type ForeignTables, type LiveFile, partitionOf } from './foreign-tables.ts';
import { datasetOf, keyUri } from './lake.ts';
import { type EntryOf, replaceManifests } from './replace.ts';
import type { DatasetName } from './schedule.ts';

/** Appends rows of another writer. Some writers put no counts into the summary; an absent count is unknown, not zero. */
export function append(tables: ForeignTables, dataset: DatasetName, counted: boolean): void {
  const state = tables.state(dataset);
  if (state === undefined) return;
  const { uri, content } = tables.write(state, 'foreign');
  appendFiles(tables, dataset, state, [fileOf(state, uri, content)], counted ? {} : undefined);
}

/** Another writer registers a shipped file, without a ledger entry, unless the table has it already. */
export function addFiles(tables: ForeignTables, key: string): void {
  const uri = keyUri(key);
  const dataset = datasetOf(uri);
  const state = dataset && tables.state(dataset);
  const content = tables.history.keys.get(uri)?.at(-1)?.content;
  if (dataset === undefined || state === undefined || content === undefined) return;
  if (content.rows === 0 || content.kind === 'misfit') return;
  if (holds(tables, dataset, uri)) return;
  appendFiles(tables, dataset, state, [fileOf(state, uri, content)], {});
}

/** Whether the branch contains the rows of a file, compacted or not. */
export function holds(tables: ForeignTables, dataset: DatasetName, uri: string): boolean {
  return tables.live(dataset).some(({ filePath }) => tables.history.sourcesOf(filePath).includes(uri));
}

/** Compacts all files of a table, or of one partition, into one. A job that dies has written its file and commits nothing. */
export function compact(tables: ForeignTables, dataset: DatasetName, dies: boolean): void {
  const state = tables.state(dataset);
  const live = tables.live(dataset);
  const [first] = live;
  if (state === undefined || first === undefined) return;
  const { uri, content } = tables.write(state, 'compacted');
  const { partition } = first;
  const compacted = live.filter((file) => file.partition === partition);
  tables.history.compacted.set(
    uri,
    compacted.flatMap(({ filePath }) => tables.history.sourcesOf(filePath)),
  );
  if (dies) return;
  const entries = [
    { status: 'added', file: fileOf(state, uri, content, partition) } as const,
    ...live.map((file) => kept(state, file, file.partition === partition ? 'deleted' : 'existing')),
  ];
  replace(tables, dataset, state, entries, {
    operation: 'replace',
    'added-data-files': '1',
    'deleted-data-files': String(compacted.length),
  });
}

/** A SQL delete of all rows of one file. */
export function deleteRows(tables: ForeignTables, dataset: DatasetName): void {
  const state = tables.state(dataset);
  const [gone, ...rest] = tables.live(dataset);
  if (state === undefined || gone === undefined) return;
  const entries = [kept(state, gone, 'deleted'), ...rest.map((entry) => kept(state, entry, 'existing'))];
  replace(tables, dataset, state, entries, { operation: 'delete', 'deleted-data-files': '1' });
}

/** A SQL delete in merge-on-read mode: it adds a delete manifest. Tables of format version 1 have none. */
export function addDeletes(tables: ForeignTables, dataset: DatasetName): void {
  const state = tables.state(dataset);
  const [first] = tables.live(dataset);
  if (state === undefined || state.formatVersion === 1 || first === undefined) return;
  const uri = `${metadataDirectory(state)}/deletes-${tables.draws.uuid()}.parquet`;
  const deletes = { filePath: uri, fileSizeInBytes: 1_000n, recordCount: 1n, partition: first.partition };
  const prepared = asDeletes(preparedOf(tables, state, [dataFile(state, deletes)]));
  const summary = { operation: 'delete', 'added-delete-files': '1', 'added-data-files': '0' };
  tables.commit(dataset, writeSnapshot(tables, state, prepared, summary));
}

/** The same manifests, but of position deletes. */
function asDeletes(prepared: PreparedAppend): PreparedAppend {
  const manifests = prepared.manifests.map(({ path, bytes, file }) => {
    const { metadata, ...container } = readContainer(bytes);
    const edited = records(container, (shape) => {
      const [skip, edit] = [skipper(shape), recordEditor(shape)];
      return (input) => {
        const start = input.at;
        skip(input);
        return edit(input.bytes.subarray(start, input.at), new Map([[134, 1n]]));
      };
    });
    const { 'avro.schema': _schema, 'avro.codec': _codec, ...header } = Object.fromEntries(metadata);
    const written = writeContainer(
      { ...container, blocks: packBlocks(edited) },
      { ...header, content: 'deletes' },
      Buffer.alloc(16),
    );
    return {
      path,
      bytes: written,
      file: { ...file, content: 1 as const, manifestLength: BigInt(written.length) },
    };
  });
  return { ...prepared, manifests };
}

export function rewriteManifests(tables: ForeignTables, dataset: DatasetName): void {
  const state = tables.state(dataset);
  const live = tables.live(dataset);
  if (state === undefined || live.length === 0) return;
  const entries = live.map((entry) => kept(state, entry, 'existing'));
  replace(tables, dataset, state, entries, { operation: 'replace', 'manifests-created': '1' });
}

/** @param summary entries beside the counts; undefined for a summary without counts */
export function appendFiles(
  tables: ForeignTables,
  dataset: DatasetName,
  state: TableState,
  added: readonly DataFile[],
  summary: Readonly<Record<string, string>> | undefined,
): void {
  const updates = writeSnapshot(tables, state, preparedOf(tables, state, added), summary ?? {});
  tables.commit(dataset, summary === undefined ? updates.map(withoutCounts) : updates);
}

/** Writes the files of a snapshot. Returns the updates that commit it. */
function writeSnapshot(
  tables: ForeignTables,
  state: TableState,
  prepared: PreparedAppend,
  summary: Readonly<Record<string, string>>,
): StagedAppend['updates'] {
  const { branch, draws, store } = tables;
  const { listPath, listBytes, updates } = stageAppend({
    state,
    branch,
    prepared,
    parentList: tables.list(state),
    schemaId: state.currentSchema['schema-id'] ?? 0,
    attempt: 1,
    uuid: draws.uuid(),
    timestampMs: tables.timestampMs(state),
    summary,
  });
  store.put(listPath, listBytes);
  for (const { path, bytes } of prepared.manifests) store.put(path, bytes);
  return updates;
}

function preparedOf({ draws }: ForeignTables, state: TableState, added: readonly DataFile[]): PreparedAppend {
  return prepareAppend({
    state,
    schema: state.currentSchema,
    dataFiles: added,
    snapshotId: newSnapshotId(draws),
    uuid: draws.uuid(),
  });
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
    branch: tables.branch,
    draws: tables.draws,
    timestampMs: tables.timestampMs(state),
    summary,
  });
  for (const { path, bytes } of objects) tables.store.put(path, bytes);
  tables.commit(dataset, updates);
}

function kept(state: TableState, file: LiveFile, status: 'existing' | 'deleted'): EntryOf {
  return { status, file: dataFile(state, file) };
}

/** @param partition if it is not that of the contents */
function fileOf(
  state: TableState,
  filePath: string,
  content: Content,
  partition = partitionOf(state, content),
): DataFile {
  const { bytes, rows } = content;
  return dataFile(state, {
    filePath,
    fileSizeInBytes: BigInt(bytes.length),
    recordCount: BigInt(rows),
    partition,
  });
}
