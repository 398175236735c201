import { mappedByName, nameMappingProperty, parseNameMapping } from '../../lib/spec/name-mapping.ts';
import { currentSchema, type SnapshotJson, type TableMetadata } from '../../local/catalog/table-metadata.ts';
import { versions } from './contents.ts';
import type { History } from './history.ts';
import { partitionAt } from './lake.ts';
import type { Settings } from './schedule.ts';
import type { TableFiles } from './table-files.ts';
import type { World } from './world.ts';

/** I5: the table has every column of the file, found by field ID or name, with its type or a promoted one. */
export function checkColumns(
  world: World,
  history: History,
  metadata: TableMetadata,
  table: string,
  path: string,
): void {
  const current = new Map(currentSchema(metadata)?.fields.map((field) => [field.id, field]));
  const mapped = namesOf(world.schedule.settings, metadata);
  const kinds = (history.keys.get(path) ?? []).flatMap(({ content }) => content?.kind ?? []);
  const fits = kinds.some((kind) =>
    (typeof kind === 'number' ? versions[kind].fields : []).every(({ id, name, type }) => {
      const column = current.get(mapped === undefined ? id : (mapped.get(name)?.['field-id'] ?? 0));
      return column !== undefined && (column.type === type || (type === 'int' && column.type === 'long'));
    }),
  );
  if (!fits) world.violate('I5', `${table} does not have the columns of ${path}`);
}

/** The name mapping by which readers find the columns of files without field IDs. */
function namesOf({ byName = false }: Settings, { properties }: TableMetadata) {
  return byName ? mappedByName(parseNameMapping(properties[nameMappingProperty] ?? '[]')) : undefined;
}

/** In a partitioned table the file has the partition value of its rows. */
export function checkPartition(
  world: World,
  history: History,
  files: TableFiles,
  head: SnapshotJson | undefined,
  table: string,
  path: string,
): void {
  if (world.schedule.settings.partitioned !== true) return;
  const contents = (history.keys.get(path) ?? []).flatMap(({ content }) => content ?? []);
  const partition = files.identities(head).get(path)?.at(-1)?.partition;
  if (!contents.some(({ firstSeq }) => partitionAt(firstSeq) === partition))
    world.violate('partition', `${path} is in ${table} as of partition ${partition}`);
}
