import type { SnapshotJson } from '../../local/catalog/table-metadata.ts';
import type { ForeignTables } from './foreign-tables.ts';
import { directoryOf, PARTITION_WIDTH, tableOf, tableProperties } from './lake.ts';
import type { DatasetName, Settings } from './schedule.ts';
import { ancestry, headOf, snapshotOf, type TableFiles } from './table-files.ts';
import { append } from './writers.ts';

/** Creates a table with the dataset's first schema, as by SQL. */
export function create(tables: ForeignTables, dataset: DatasetName, formatVersion: 1 | 2 | 3): void {
  const fields = [
    { id: 1, name: 'seq', required: false, type: 'long' },
    { id: 2, name: 'name', required: false, type: 'string' },
  ];
  const updates = [
    { action: 'assign-uuid', uuid: tables.draws.uuid() },
    { action: 'upgrade-format-version', 'format-version': formatVersion },
    { action: 'add-schema', schema: { type: 'struct', fields }, 'last-column-id': fields.length },
    { action: 'set-current-schema', 'schema-id': -1 },
    { action: 'add-spec', spec: { 'spec-id': 0, fields: partitionFields(tables.settings) } },
    { action: 'set-default-spec', 'spec-id': -1 },
    { action: 'add-sort-order', 'sort-order': { 'order-id': 0, fields: [] } },
    { action: 'set-default-sort-order', 'sort-order-id': -1 },
    { action: 'set-location', location: directoryOf(dataset) },
    { action: 'set-properties', updates: tableProperties(tables.settings) },
  ];
  tables.catalog.commit(tableOf(dataset), { requirements: [{ type: 'assert-create' }], updates }, 'others');
  if (tables.branch !== 'main') beginBranch(tables, dataset);
}

function partitionFields({ partitioned = false }: Settings) {
  const field = { 'source-id': 1, 'field-id': 1000, name: 'seq_trunc' };
  return partitioned ? [{ ...field, transform: `truncate[${PARTITION_WIDTH}]` }] : [];
}

/** Appends to `main` and creates the branch at that snapshot: a branch needs one to start from. */
function beginBranch(tables: ForeignTables, dataset: DatasetName): void {
  append(tables.on('main'), dataset, true);
  const metadata = tables.metadata(dataset);
  const head = metadata && headOf(metadata, 'main');
  if (head === undefined) return;
  tables.commit(dataset, [
    {
      action: 'set-snapshot-ref',
      'ref-name': tables.branch,
      type: 'branch',
      'snapshot-id': head['snapshot-id'],
      'min-snapshots-to-keep': 7,
    },
  ]);
}

export function addColumn(tables: ForeignTables, dataset: DatasetName): void {
  const state = tables.state(dataset);
  if (state === undefined) return;
  const id = state.lastColumnId + 1;
  const column = { id, name: `sql_${id}`, required: false, type: 'string' };
  const { 'schema-id': _id, ...schema } = state.currentSchema;
  tables.commit(dataset, [
    { action: 'add-schema', schema: { ...schema, fields: [...schema.fields, column] } },
    { action: 'set-current-schema', 'schema-id': -1 },
  ]);
}

export function setDataPath(tables: ForeignTables, dataset: DatasetName, folder: string): void {
  if (tables.metadata(dataset) === undefined) return;
  const updates = { 'write.data.path': `${directoryOf(dataset)}/${folder}` };
  tables.commit(dataset, [{ action: 'set-properties', updates }]);
}

/** Like expire_snapshots: removes all snapshots except the newest of the branch and those of refs, with all files that only they needed. */
export function expire(tables: ForeignTables, dataset: DatasetName, keep: number): void {
  const metadata = tables.metadata(dataset);
  if (metadata === undefined) return;
  const { files, store, history } = tables;
  const head = headOf(metadata, tables.branch);
  const named = Object.values(metadata.refs).map((ref) => snapshotOf(metadata, BigInt(ref['snapshot-id'])));
  const retained = [...ancestry(metadata, head).slice(0, keep), ...named];
  const expired = metadata.snapshots.filter((snapshot) => !retained.includes(snapshot));
  if (expired.length === 0) return;
  const needed = new Set(retained.flatMap((snapshot) => filesOf(files, snapshot)));
  const unneeded = expired.flatMap((snapshot) => filesOf(files, snapshot)).filter((uri) => !needed.has(uri));
  tables.commit(dataset, [
    { action: 'remove-snapshots', 'snapshot-ids': expired.map((one) => one['snapshot-id']) },
  ]);
  for (const uri of unneeded) {
    store.objects.delete(uri);
    if (history.keys.has(uri)) history.hold(uri, undefined);
  }
}

export function rollBack(tables: ForeignTables, dataset: DatasetName, steps: number): void {
  const metadata = tables.metadata(dataset);
  const target = metadata && ancestry(metadata, headOf(metadata, tables.branch))[steps];
  if (target === undefined) return;
  setBranch(tables, dataset, target);
}

/** Moves the branch to a snapshot. The branch keeps its settings. */
export function setBranch(tables: ForeignTables, dataset: DatasetName, head: SnapshotJson): void {
  const ref = tables.metadata(dataset)?.refs[tables.branch];
  tables.commit(dataset, [
    {
      action: 'set-snapshot-ref',
      'ref-name': tables.branch,
      ...ref,
      type: 'branch',
      'snapshot-id': head['snapshot-id'],
    },
  ]);
}

/** Every file of a snapshot: its manifest list, its manifests and their data files. */
function filesOf(files: TableFiles, snapshot: Parameters<TableFiles['live']>[0]): readonly string[] {
  const path = snapshot?.['manifest-list'];
  if (typeof path !== 'string') return [];
  return [
    path,
    ...files.list(path).map(({ manifestPath }) => manifestPath),
    ...files.live(snapshot).map(({ filePath }) => filePath),
  ];
}
