import { type ManifestList, readManifestList } from '../../lib/append/manifest-list.ts';
import { newSnapshotId, prepareAppend } from '../../lib/append/prepare.ts';
import { stageAppend } from '../../lib/append/stage.ts';
import type { DataFile, ManifestEntry } from '../../lib/spec/manifest.ts';
import { readTableMetadata } from '../../lib/spec/table-metadata.ts';
import { branchHead, type TableState } from '../../lib/spec/table-state.ts';
import type { CommitRequest } from '../../local/catalog/commit.ts';
import type { Content } from './contents.ts';
import type { Services } from './functions.ts';
import type { History } from './history.ts';
import { directoryOf, keyUri, datasetOf, tableOf } from './lake.ts';
import { type EntryOf, replaceManifests } from './replace.ts';
import type { DatasetName } from './schedule.ts';
import { sourcesOf } from './commit-invariants.ts';
import { ancestry, headOf, type TableFiles } from './table-files.ts';
import type { World } from './world.ts';

/** Writers and maintenance other than the registrar: each act is one commit that lands at once, or nothing when there is no table. */
export interface Others {
  append(dataset: DatasetName, counted: boolean): void;
  addFiles(key: string): void;
  addColumn(dataset: DatasetName): void;
  compact(dataset: DatasetName): void;
  rewriteManifests(dataset: DatasetName): void;
  expire(dataset: DatasetName, keep: number): void;
  rollBack(dataset: DatasetName, steps: number): void;
  setDataPath(dataset: DatasetName, folder: string): void;
  drop(dataset: DatasetName): void;
  /** A table with the dataset's first schema, as somebody made it by SQL. */
  create(dataset: DatasetName, formatVersion: 1 | 2 | 3): void;
}

export function others(
  world: World,
  { store, catalog }: Services,
  history: History,
  files: TableFiles,
  options: { readonly written: (uri: string, content: Content) => void; readonly dropped: (dataset: DatasetName) => void },
): Others {
  const draws = world.draws('others');
  const nowMs = (): number => world.timeline.now() + world.schedule.settings.othersSkewMs;
  let made = 0;

  function stateOf(dataset: DatasetName): TableState | undefined {
    const table = catalog.table(tableOf(dataset));
    return table && readTableMetadata(tableOf(dataset), table);
  }

  function commit(dataset: DatasetName, updates: CommitRequest['updates']): void {
    catalog.commit(tableOf(dataset), { requirements: [], updates }, 'others');
  }

  function appendFiles(dataset: DatasetName, state: TableState, added: DataFile, counted: boolean): void {
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
      parentList: listOf(state),
      schemaId: state.currentSchema['schema-id'] ?? 0,
      attempt: 1,
      uuid,
      timestampMs: timestampMs(state),
      summary: {},
    });
    store.put(staged.listPath, staged.listBytes);
    for (const { path, bytes } of prepared.manifests) store.put(path, bytes);
    commit(dataset, counted ? staged.updates : staged.updates.map(withoutCounts));
  }

  /** A writer's own clock, as far as catalogs take it: not a minute before the table's last update. */
  function timestampMs(state: TableState): bigint {
    const least = state.lastUpdatedMs - 60_000n;
    return BigInt(nowMs()) > least ? BigInt(nowMs()) : least;
  }

  function listOf(state: TableState): ManifestList | undefined {
    const path = branchHead(state, 'main')?.manifestList;
    const object = path === undefined ? undefined : store.objects.get(path);
    return path === undefined || object === undefined ? undefined : readManifestList(object.bytes, path);
  }

  function dataFolder(state: TableState): string {
    return state.properties['write.data.path'] ?? `${state.location}/data`;
  }

  function replace(
    dataset: DatasetName,
    state: TableState,
    entries: readonly EntryOf[],
    summary: Readonly<Record<string, string>>,
  ): void {
    const { updates, objects } = replaceManifests(state, entries, {
      draws,
      timestampMs: timestampMs(state),
      summary,
    });
    for (const { path, bytes } of objects) store.put(path, bytes);
    commit(dataset, updates);
  }

  function liveOf(dataset: DatasetName): readonly ManifestEntry[] {
    const table = catalog.table(tableOf(dataset));
    return table === undefined ? [] : files.live(headOf(table.metadata));
  }

  return {
    append(dataset, counted) {
      const state = stateOf(dataset);
      if (state === undefined) return;
      made += 1;
      const uri = `${dataFolder(state)}/foreign-${made}.parquet`;
      const content = world.contents('compacted', 1000 + made);
      store.put(uri, content.bytes, content.etag);
      options.written(uri, content);
      appendFiles(dataset, state, dataFile(uri, content.bytes.length, content.rows), counted);
    },

    addFiles(key) {
      const uri = keyUri(key);
      const dataset = datasetOf(uri);
      const content = history.keys.get(uri)?.at(-1)?.content;
      const state = dataset && stateOf(dataset);
      if (dataset === undefined || state === undefined || content === undefined || content.rows === 0) return;
      if (liveOf(dataset).some(({ filePath }) => sourcesOf(history, filePath).includes(uri))) return;
      if (content.kind === 'misfit') return;
      appendFiles(dataset, state, dataFile(uri, content.bytes.length, content.rows), true);
    },

    addColumn(dataset) {
      const state = stateOf(dataset);
      if (state === undefined) return;
      const id = state.lastColumnId + 1;
      const column = { id, name: `sql_${id}`, required: false, type: 'string' };
      const { 'schema-id': _id, ...schema } = state.currentSchema;
      commit(dataset, [
        { action: 'add-schema', schema: { ...schema, fields: [...schema.fields, column] } },
        { action: 'set-current-schema', 'schema-id': -1 },
      ]);
    },

    compact(dataset) {
      const state = stateOf(dataset);
      const live = liveOf(dataset);
      if (state === undefined || live.length === 0) return;
      made += 1;
      const uri = `${dataFolder(state)}/compacted-${made}.parquet`;
      const content = world.contents('compacted', made);
      history.compacted.set(
        uri,
        live.flatMap(({ filePath }) => sourcesOf(history, filePath)),
      );
      store.put(uri, content.bytes, content.etag);
      options.written(uri, content);
      const output = dataFile(uri, content.bytes.length, content.rows);
      replace(
        dataset,
        state,
        [{ status: 'added', file: output }, ...live.map((entry) => kept(entry, 'deleted'))],
        { operation: 'replace', 'added-data-files': '1', 'deleted-data-files': String(live.length) },
      );
    },

    rewriteManifests(dataset) {
      const state = stateOf(dataset);
      const live = liveOf(dataset);
      if (state === undefined || live.length === 0) return;
      replace(
        dataset,
        state,
        live.map((entry) => kept(entry, 'existing')),
        { operation: 'replace', 'manifests-created': '1' },
      );
    },

    expire(dataset, keep) {
      const table = catalog.table(tableOf(dataset));
      if (table === undefined) return;
      const { metadata } = table;
      const retained = ancestry(metadata, headOf(metadata)).slice(0, keep);
      const expired = metadata.snapshots.filter((snapshot) => !retained.includes(snapshot));
      if (expired.length === 0) return;
      const needed = new Set(retained.flatMap((snapshot) => filesOf(files, snapshot)));
      const unneeded = expired.flatMap((snapshot) => filesOf(files, snapshot)).filter((uri) => !needed.has(uri));
      commit(dataset, [
        { action: 'remove-snapshots', 'snapshot-ids': expired.map((one) => one['snapshot-id']) },
      ]);
      for (const uri of unneeded) {
        store.objects.delete(uri);
        if (history.keys.has(uri)) history.hold(uri, undefined);
      }
    },

    rollBack(dataset, steps) {
      const table = catalog.table(tableOf(dataset));
      if (table === undefined) return;
      const target = ancestry(table.metadata, headOf(table.metadata))[steps];
      if (target === undefined) return;
      commit(dataset, [
        {
          action: 'set-snapshot-ref',
          'ref-name': 'main',
          type: 'branch',
          'snapshot-id': target['snapshot-id'],
        },
      ]);
    },

    setDataPath(dataset, folder) {
      if (stateOf(dataset) === undefined) return;
      const path = `${directoryOf(dataset)}/${folder}`;
      commit(dataset, [{ action: 'set-properties', updates: { 'write.data.path': path } }]);
    },

    drop(dataset) {
      if (stateOf(dataset) === undefined) return;
      catalog.drop(tableOf(dataset));
      options.dropped(dataset);
    },

    create(dataset, formatVersion) {
      const { 'schema-id': _id, ...schema } = { 'schema-id': 0, ...firstSchema };
      catalog.commit(
        tableOf(dataset),
        {
          requirements: [{ type: 'assert-create' }],
          updates: [
            { action: 'assign-uuid', uuid: draws.uuid() },
            { action: 'upgrade-format-version', 'format-version': formatVersion },
            { action: 'add-schema', schema, 'last-column-id': 2 },
            { action: 'set-current-schema', 'schema-id': -1 },
            { action: 'add-spec', spec: { 'spec-id': 0, fields: [] } },
            { action: 'set-default-spec', 'spec-id': -1 },
            { action: 'add-sort-order', 'sort-order': { 'order-id': 0, fields: [] } },
            { action: 'set-default-sort-order', 'sort-order-id': -1 },
            { action: 'set-location', location: directoryOf(dataset) },
          ],
        },
        'others',
      );
    },
  };
}

const firstSchema = {
  type: 'struct',
  fields: [
    { id: 1, name: 'seq', required: false, type: 'long' },
    { id: 2, name: 'name', required: false, type: 'string' },
  ],
};

function dataFile(filePath: string, sizeBytes: number, rows: number): DataFile {
  return {
    filePath,
    fileSizeInBytes: BigInt(sizeBytes),
    specId: 0,
    partition: [],
    recordCount: BigInt(rows),
    columnSizes: new Map(),
    valueCounts: new Map(),
    nullValueCounts: new Map(),
    lowerBounds: new Map(),
    upperBounds: new Map(),
    splitOffsets: [4n],
  };
}

function kept(entry: ManifestEntry, status: 'existing' | 'deleted'): EntryOf {
  const { filePath, fileSizeInBytes, recordCount } = entry;
  return { status, file: dataFile(filePath, Number(fileSizeInBytes), Number(recordCount)) };
}

/** Some writers say nothing of counts in the summary: absent is unknown. */
function withoutCounts(update: object): object {
  if (!('snapshot' in update)) return update;
  return { ...update, snapshot: { ...(update.snapshot as object), summary: { operation: 'append' } } };
}

/** Every file that a snapshot needs: its list, its manifests and what lies in them. */
function filesOf(files: TableFiles, snapshot: Parameters<TableFiles['live']>[0]): readonly string[] {
  const path = snapshot?.['manifest-list'];
  if (typeof path !== 'string') return [];
  return [
    path,
    ...files.list(path).map(({ manifestPath }) => manifestPath),
    ...files.live(snapshot).map(({ filePath }) => filePath),
  ];
}

