import type { SnapshotJson } from '../../local/catalog/table-metadata.ts';
import { dataFile, type ForeignTables } from './foreign-tables.ts';
import { setBranch } from './maintenance.ts';
import type { DatasetName } from './schedule.ts';
import { ancestry, headOf } from './table-files.ts';
import { addFiles, append, appendFiles, holds } from './writers.ts';

const SIDE_BRANCH = 'side';

export function tagHead(tables: ForeignTables, dataset: DatasetName): void {
  const metadata = tables.metadata(dataset);
  const head = metadata && headOf(metadata, tables.branch);
  if (head === undefined) return;
  const ref = { 'ref-name': `tag-${head['snapshot-id']}`, type: 'tag', 'snapshot-id': head['snapshot-id'] };
  tables.commit(dataset, [{ action: 'set-snapshot-ref', ...ref }]);
}

/** @param key of the shipped file to append; without it, the writer appends a file of its own */
export function appendAside(tables: ForeignTables, dataset: DatasetName, key: string | undefined): void {
  const metadata = tables.metadata(dataset);
  const head = metadata && headOf(metadata, tables.branch);
  if (metadata === undefined || head === undefined) return;
  const side = tables.on(SIDE_BRANCH);
  if (headOf(metadata, SIDE_BRANCH) === undefined) setBranch(side, dataset, head);
  if (key === undefined) append(side, dataset, true);
  else addFiles(side, key);
}

/** Fast-forwards the branch to the side branch, unless something else was committed to the branch. */
export function fastForward(tables: ForeignTables, dataset: DatasetName): void {
  const metadata = tables.metadata(dataset);
  const head = metadata && headOf(metadata, tables.branch);
  const side = metadata && headOf(metadata, SIDE_BRANCH);
  if (metadata === undefined || head === undefined || side === undefined) return;
  if (!ancestry(metadata, side).includes(head)) return;
  setBranch(tables, dataset, side);
}

/**
 * Iceberg's cherry-pick of the newest append outside the branch's history. If that follows the head, the branch moves there. Otherwise a
 * new snapshot adds its files again and names it as its source; the new summary has none of its other entries.
 */
export function cherryPick(tables: ForeignTables, dataset: DatasetName): void {
  const [state, metadata] = [tables.state(dataset), tables.metadata(dataset)];
  const head = metadata && headOf(metadata, tables.branch);
  if (state === undefined || metadata === undefined || head === undefined) return;
  const line = new Set(ancestry(metadata, head));
  const source = metadata.snapshots.findLast((one) => !line.has(one) && isAppend(one));
  if (source === undefined) return;
  if (source['parent-snapshot-id'] === head['snapshot-id']) {
    setBranch(tables, dataset, source);
    return;
  }
  const partitions = tables.files.identities(source);
  const added = tables.files.added(source).map((entry) => {
    return { ...entry, partition: partitions.get(entry.filePath)?.at(-1)?.partition };
  });
  // Files that the branch already has would be there twice, which nobody does on purpose.
  if (added.length === 0 || added.some(({ filePath }) => holds(tables, dataset, filePath))) return;
  appendFiles(
    tables,
    dataset,
    state,
    added.map((file) => dataFile(state, file)),
    { 'source-snapshot-id': String(source['snapshot-id']) },
  );
}

function isAppend({ summary }: SnapshotJson): boolean {
  return (summary as Readonly<Record<string, string>> | undefined)?.['operation'] === 'append';
}
