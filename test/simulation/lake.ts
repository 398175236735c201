import type { Entry } from '../../lib/config/entry.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { entry } from '../fakes/entry.ts';
import { DATASETS, type DatasetName, type Settings } from './schedule.ts';

/** Where everything lies in the simulated deployment. */
export const BUCKET = 'lake';
const URL = `s3://${BUCKET}/in`;
export const QUARANTINE_URL = `s3://${BUCKET}/quarantine`;

export function keyUri(key: string): string {
  return `${URL}/thadam/v1/plant/${key}`;
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

export function entryOf(settings: Settings, registrations: string): Entry {
  return entry({
    url: URL,
    namespace: ['lake'],
    create_table: true,
    format_version: settings.formatVersion,
    table_properties: tableProperties(settings),
    quarantine_url: QUARANTINE_URL,
    queues: { registrations },
    retry: { initial_ms: 200, max_ms: 10_000, jitter: 0.5 },
  });
}
