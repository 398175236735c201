import { type ManifestList, readManifestList } from '../../lib/append/manifest-list.ts';
import type { DataFile, ManifestEntry } from '../../lib/spec/manifest.ts';
import { wholeNumberBytes } from '../../lib/spec/single-value.ts';
import { readTableMetadata } from '../../lib/spec/table-metadata.ts';
import { branchHead, type TableState } from '../../lib/spec/table-state.ts';
import type { CommitRequest } from '../../local/catalog/commit.ts';
import type { TableMetadata } from '../../local/catalog/table-metadata.ts';
import type { Content } from './contents.ts';
import type { Draws } from './draws.ts';
import type { Services } from './functions.ts';
import type { History } from './history.ts';
import { branchOf, partitionAt, tableOf } from './lake.ts';
import type { DatasetName, Settings } from './schedule.ts';
import { headOf, type TableFiles } from './table-files.ts';
import type { World } from './world.ts';

/** A data file with its partition value, if the table is partitioned. */
export interface LiveFile extends ManifestEntry {
  readonly partition: bigint | undefined;
}

/** The tables as other writers see them. Their commits take effect at once. */
export interface ForeignTables {
  readonly settings: Settings;
  /** The branch that they read and commit to: the registrar's. */
  readonly branch: string;
  /** The same tables on another branch. */
  on(branch: string): ForeignTables;
  readonly draws: Draws;
  readonly history: History;
  readonly files: TableFiles;
  readonly store: Services['store'];
  readonly catalog: Services['catalog'];
  state(dataset: DatasetName): TableState | undefined;
  metadata(dataset: DatasetName): TableMetadata | undefined;
  live(dataset: DatasetName): readonly LiveFile[];
  /** The manifest list of the branch's head. */
  list(state: TableState): ManifestList | undefined;
  /** The writer's clock, but not more than a minute before the table's last update: catalogs refuse that. */
  timestampMs(state: TableState): bigint;
  /** @throws CatalogError */
  commit(dataset: DatasetName, updates: CommitRequest['updates']): void;
  /** Writes a data file of the other writer to the table's data path, of which the store notifies. */
  write(
    state: TableState,
    kind: 'compacted' | 'foreign',
  ): { readonly uri: string; readonly content: Content };
}

export function foreignTables(
  world: World,
  { store, catalog }: Services,
  history: History,
  files: TableFiles,
  wrote: (uri: string, content: Content) => void,
): ForeignTables {
  let written = 0;
  const metadata = (dataset: DatasetName): TableMetadata | undefined =>
    catalog.table(tableOf(dataset))?.metadata;
  const { settings } = world.schedule;
  const draws = world.draws('others');
  const on = (branch: string): ForeignTables => ({
    settings,
    branch,
    on,
    draws,
    history,
    files,
    store,
    catalog,
    metadata,
    state(dataset) {
      const table = catalog.table(tableOf(dataset));
      return table && readTableMetadata(tableOf(dataset), table);
    },
    live(dataset) {
      const known = metadata(dataset);
      const head = known && headOf(known, branch);
      const identities = settings.partitioned === true ? files.identities(head) : undefined;
      return files
        .live(head)
        .map((entry) => ({ ...entry, partition: identities?.get(entry.filePath)?.at(-1)?.partition }));
    },
    list(state) {
      const path = branchHead(state, branch)?.manifestList;
      const object = path === undefined ? undefined : store.objects.get(path);
      return path === undefined || object === undefined ? undefined : readManifestList(object.bytes, path);
    },
    timestampMs(state) {
      const nowMs = BigInt(world.timeline.now() + settings.othersSkewMs);
      const least = state.lastUpdatedMs - 60_000n;
      return nowMs > least ? nowMs : least;
    },
    commit(dataset, updates) {
      catalog.commit(tableOf(dataset), { requirements: [], updates }, 'others');
    },
    write(state, kind) {
      written += 1;
      const folder = state.properties['write.data.path'] ?? `${state.location}/data`;
      const uri = `${folder}/${kind}-${written}.parquet`;
      const content = world.contents('compacted', written);
      wrote(uri, content);
      return { uri, content };
    },
  });
  return on(branchOf(settings));
}

/** The partition of a file, if the table is partitioned. */
export function partitionOf({ defaultSpec }: TableState, { firstSeq }: Content): bigint | undefined {
  return defaultSpec.fields.length === 0 ? undefined : partitionAt(firstSeq);
}

/** An entry with nothing but what every manifest entry has. */
export function dataFile(
  { defaultSpec }: TableState,
  {
    filePath,
    fileSizeInBytes,
    recordCount,
    partition,
  }: Pick<LiveFile, 'filePath' | 'fileSizeInBytes' | 'recordCount' | 'partition'>,
): DataFile {
  return {
    filePath,
    fileSizeInBytes,
    specId: defaultSpec['spec-id'],
    partition: partition === undefined ? [] : [wholeNumberBytes('long', partition)],
    recordCount,
    columnSizes: new Map(),
    valueCounts: new Map(),
    nullValueCounts: new Map(),
    lowerBounds: new Map(),
    upperBounds: new Map(),
    splitOffsets: [4n],
  };
}
