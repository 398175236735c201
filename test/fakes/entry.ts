import type { Entry } from '../../lib/config/entry.ts';

/** An entry as the configuration gives it, defaults and all. */
export function entry(settings: Partial<Entry> = {}): Entry {
  return {
    url: 's3://lake',
    layout: '{url}/thadam/v1/{pipeline}/{dataset}/…',
    catalog_uri: 'http://127.0.0.1:8181',
    access_delegation: 'none',
    namespace: ['analytics'],
    table: '{dataset}',
    branch: 'main',
    create_table: false,
    create_via: 'auto',
    table_properties: {},
    snapshot_properties: {},
    format_version: 2,
    partition_by: [],
    field_ids: 'checked',
    case_sensitive_names: false,
    timestamp_millis: 'refuse',
    hidden_names: 'accept',
    copies: 'accept',
    on_segment_error: 'quarantine',
    on_unprovable: 'quarantine',
    quarantine_url: 's3://lake/_quarantine',
    max_footer_bytes: 64 * 1024 * 1024,
    merge_manifests: true,
    queues: { registrations: 'https://sqs.us-east-1.amazonaws.com/000000000000/registrations.fifo' },
    store: {},
    retry: { initial_ms: 1000, max_ms: 30_000, jitter: 0.2 },
    ...settings,
  };
}
