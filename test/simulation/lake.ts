import type { Entry } from '../../lib/config/entry.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { entry } from '../fakes/entry.ts';
import { DATASETS, type DatasetName, type Settings } from './schedule.ts';

/** The locations of the simulated deployment. */
export const BUCKET = 'lake';
/** Below it lies everything that shippers upload. */
export const LAKE = `s3://${BUCKET}/in`;
export const QUARANTINE_URL = `s3://${BUCKET}/quarantine`;

export function keyUri(key: string): string {
  return `${LAKE}/thadam/v1/plant/${key}`;
}

export function directoryOf(dataset: DatasetName): string {
  return keyUri(dataset);
}

export function tableOf(dataset: DatasetName): TableIdentifier {
  return { namespace: ['lake'], name: dataset };
}

export function datasetOf(uri: string): DatasetName | undefined {
  return DATASETS.find((dataset) => uri.startsWith(`${directoryOf(dataset)}/`));
}

export function tableProperties({
  mergeFrom,
}: Pick<Settings, 'mergeFrom'>): Readonly<Record<string, string>> {
  return mergeFrom === undefined ? {} : { 'commit.manifest.min-count-to-merge': String(mergeFrom) };
}

export function branchOf({ branch = 'main' }: Pick<Settings, 'branch'>): string {
  return branch;
}

/** In partitioned tables, the number of values of the first column per partition. */
export const PARTITION_WIDTH = 100;

export function partitionAt(firstSeq: bigint): bigint {
  return firstSeq - (firstSeq % BigInt(PARTITION_WIDTH));
}

export function entryOf(settings: Settings, registrations: string): Entry {
  return entry({
    url: LAKE,
    namespace: ['lake'],
    create_table: true,
    branch: branchOf(settings),
    format_version: settings.formatVersion,
    partition_by: settings.partitioned === true ? [`truncate[${PARTITION_WIDTH}](seq)`] : [],
    field_ids: settings.byName === true ? 'by_name' : 'checked',
    table_properties: tableProperties(settings),
    quarantine_url: QUARANTINE_URL,
    queues: { registrations },
    retry: { initial_ms: 200, max_ms: 10_000, jitter: 0.5 },
  });
}
