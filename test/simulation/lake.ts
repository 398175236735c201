import type { Entry } from '../../lib/config/entry.ts';
import { DEFAULT_LAYOUT, DEFAULT_TABLE } from '../../lib/config/settings.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
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

export function entryOf(settings: Settings, registrations: string): Entry {
  return {
    url: URL,
    layout: DEFAULT_LAYOUT,
    catalog_uri: 'https://catalog.example.com',
    access_delegation: 'none',
    namespace: ['lake'],
    table: DEFAULT_TABLE,
    branch: 'main',
    create_table: true,
    create_via: 'auto',
    table_properties: {},
    snapshot_properties: {},
    format_version: settings.formatVersion,
    partition_by: [],
    field_ids: 'checked',
    case_sensitive_names: false,
    timestamp_millis: 'refuse',
    copies: 'accept',
    on_segment_error: 'quarantine',
    on_unprovable: 'quarantine',
    quarantine_url: QUARANTINE_URL,
    max_footer_bytes: 64 * 1024 * 1024,
    merge_manifests: false,
    queues: { registrations },
    store: {},
    retry: { initial_ms: 200, max_ms: 10_000, jitter: 0.5 },
  };
}
