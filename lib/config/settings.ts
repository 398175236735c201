import * as v from 'valibot';
import {
  bytes,
  choice,
  clientId,
  duration,
  file,
  flag,
  formatVersion,
  httpUrl,
  layout,
  list,
  namespace,
  partitionFields,
  secret,
  secretFile,
  secretMap,
  share,
  storeUrl,
  summaryProperties,
  tableLocation,
  tableName,
  tableProperties,
  text,
} from './kinds.ts';
import { LAYOUT_PRESET_NAMES } from './layout-presets.ts';

/**
 * Every setting of an entry: its kind, its default, what it means. Validation, overrides by the environment and the documentation are
 * made from this table. A default is written as in YAML.
 */

export const DEFAULT_LAYOUT = '{url}/thadam/v1/{pipeline}/{dataset}/…';
export const DEFAULT_TABLE = '{dataset}';

const required = <const Kind extends v.GenericSchema>(kind: Kind, doc: string) =>
  v.pipe(kind, v.description(doc));

const optional = <const Kind extends v.GenericSchema>(kind: Kind, doc: string) =>
  v.exactOptional(required(kind, doc));

const setTo = <const Kind extends v.GenericSchema>(
  standard: NoInfer<v.InferInput<Kind>>,
  kind: Kind,
  doc: string,
) => v.exactOptional(required(kind, doc), () => standard);

const group = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.object(entries, 'must be a map of settings');

const credential = group({
  client_id: required(
    clientId,
    'OAuth2 client ID, without a colon; empty where the secret alone names the client',
  ),
  client_secret: required(secret, 'OAuth2 client secret'),
  scope: optional(text, 'OAuth2 scope'),
  oauth2_server_uri: optional(httpUrl, 'Token endpoint, taken as it is'),
  audience: optional(text, 'OAuth2 audience'),
  resource: optional(text, 'OAuth2 resource'),
  client_auth: optional(
    choice('form', 'basic'),
    'How the client proves itself: in the form, or by HTTP Basic',
  ),
  token_exchange: optional(flag, 'Renews a token by exchanging the old one instead of the credential'),
});

const sigv4 = group({
  region: optional(
    text,
    'AWS region that requests are signed for; else that of the warehouse’s ARN or the catalog’s host',
  ),
  service: optional(
    text,
    'AWS service that requests are signed for: glue, s3tables or execute-api; else that of host or ARN',
  ),
});

const queues = group({
  arrivals: optional(text, 'URL of the standard queue that route reads'),
  registrations: optional(
    text,
    'URL of the FIFO queue that register reads; on Google Cloud the topic: projects/{project}/topics/{topic}',
  ),
});

const store = group({
  endpoint: optional(httpUrl, 'Endpoint of the object store, other than the platform’s own'),
  region: optional(text, 'Region of the object store'),
  allow_http: optional(flag, 'Allows an endpoint without TLS'),
  path_style: optional(flag, 'Names the bucket in the path instead of the host'),
  access_key_id: optional(secret, 'Access key, instead of the role’s own credentials'),
  secret_access_key: optional(secret, 'Its secret'),
  session_token: optional(secret, 'Its session token'),
  kms_key_id: optional(text, 'KMS key for the objects written'),
  requester_pays: optional(flag, 'Agrees to pay for requests to others’ buckets'),
});

const retry = v.pipe(
  group({
    initial: setTo('200ms', duration, 'First wait before a commit is tried again; doubles each time'),
    max: setTo('10s', duration, 'Longest wait'),
    jitter: setTo('0.5', share, 'Share of a wait that is random'),
  }),
  v.transform(({ initial, max, jitter }) => ({ initial_ms: initial, max_ms: max, jitter })),
);

export const entrySchema = group({
  kind: optional(choice('iceberg'), 'Kind of sink, as the original writes it; without meaning here'),
  url: required(storeUrl, 'Prefix of every segment that this entry may read'),
  pipeline: optional(text, 'The one pipeline that this entry takes'),
  from: optional(list, 'The datasets that this entry takes'),
  layout: setTo(
    DEFAULT_LAYOUT,
    layout,
    `Where pipeline and dataset stand in a key: {name} is in one path segment, a last … any rest. Or the name of a shipper: ${LAYOUT_PRESET_NAMES.join(', ')}`,
  ),
  namespace: required(namespace, 'Namespace of the tables, its levels separated by dots'),
  table: setTo(DEFAULT_TABLE, tableName, 'Name of the table, from the names of the layout'),
  branch: setTo('main', text, 'Branch that is written; it must exist, main excepted'),

  catalog_uri: required(httpUrl, 'Base URI of the Iceberg REST catalog'),
  catalog_warehouse: optional(text, 'Warehouse to ask the catalog for'),
  catalog_prefix: optional(text, 'Prefix of the catalog’s paths, where the catalog names none'),
  catalog_token: optional(secret, 'Bearer token'),
  catalog_credential: optional(credential, 'OAuth2 client credential'),
  catalog_sigv4: optional(sigv4, 'Signs requests with the role’s AWS credentials'),
  catalog_google: optional(
    flag,
    'Authenticates with the Google access token of whoever runs it: the function’s service account',
  ),
  catalog_headers: optional(secretMap, 'Headers for every request to the catalog'),
  catalog_ca_file: optional(file, 'Roots to trust for the catalog, instead of the platform’s'),
  catalog_client_cert: optional(file, 'Client certificate for the catalog'),
  catalog_client_key: optional(secretFile, 'Its private key'),
  catalog_server_name: optional(text, 'Name to expect in the catalog’s certificate'),
  catalog_metrics: optional(flag, 'Reports each commit to the catalog, by one more request'),
  access_delegation: setTo(
    'none',
    choice('none', 'vended-credentials'),
    'Whether the catalog hands out storage credentials',
  ),

  create_table: setTo('false', flag, 'Creates namespace and table from the first segment'),
  create_via: setTo('auto', choice('auto', 'register', 'commit', 'create'), 'How tables are created'),
  table_location: optional(
    tableLocation,
    'Location of created tables, from the names of the layout, or `catalog` where the catalog chooses it; else the shipper’s directory',
  ),
  table_properties: setTo({}, tableProperties, 'Properties of created tables'),
  format_version: setTo('2', formatVersion, 'Format version of created tables'),
  partition_by: setTo(
    [],
    partitionFields,
    'Partition fields of created tables: region, day(ts), bucket[16](id)',
  ),

  field_ids: setTo(
    'checked',
    choice('checked', 'stable', 'by_name'),
    'How columns are told apart: by IDs that are checked for being stable, by IDs that are, or by names',
  ),
  case_sensitive_names: setTo('false', flag, 'Allows names that only case tells apart'),
  timestamp_millis: setTo(
    'refuse',
    choice('refuse', 'accept'),
    'What becomes of millisecond timestamps, which the specification does not know',
  ),
  hidden_names: setTo(
    'accept',
    choice('accept', 'ignore'),
    'What becomes of keys with a name below the url that begins with a dot or an underscore (`_name=value` excepted): markers and unfinished files to Spark, Flink and Hive',
  ),
  copies: setTo(
    'accept',
    choice('accept', 'quarantine'),
    'What becomes of segments that were copied in the store',
  ),
  on_segment_error: setTo(
    'quarantine',
    choice('quarantine', 'stop'),
    'What becomes of a segment that cannot be registered',
  ),
  on_unprovable: setTo(
    'quarantine',
    choice('quarantine', 'register'),
    'What becomes of a segment of which nothing proves that it was not registered',
  ),
  quarantine_url: optional(storeUrl, 'Where quarantine objects are written; else {url}/_quarantine'),
  max_footer_bytes: setTo('64MiB', bytes, 'Largest footer that is read'),
  merge_manifests: setTo(
    'true',
    flag,
    'Merges manifests where a table has many small ones, as its commit.manifest-merge.enabled, commit.manifest.min-count-to-merge and commit.manifest.target-size-bytes say',
  ),
  freshness: optional(duration, 'Age of a table’s newest data above which it is unhealthy'),
  tracing: optional(
    flag,
    'Makes spans by OpenTelemetry’s API, for the SDK that the process has registered; one entry that says so is enough',
  ),
  snapshot_properties: setTo(
    {},
    summaryProperties,
    'Properties for the summary of every snapshot, under names that no commit uses itself',
  ),

  queues: setTo({}, queues, 'The queues'),
  store: setTo({}, store, 'The object store; without keys the role’s own credentials are used'),
  retry: setTo({}, retry, 'Waits between attempts of a commit'),
});

/** One setting, as the documentation shows it. */
export interface SettingDescription {
  /** `store.endpoint` */
  readonly name: string;
  /** `REGISTRAR_STORE__ENDPOINT` */
  readonly variable: string;
  /** `text`, `duration`, `list`, `map`, …; `settings` for a map of settings. */
  readonly type: string;
  readonly required: boolean;
  /** As written in YAML; undefined when there is none. */
  readonly default: string | undefined;
  readonly secret: boolean;
  readonly doc: string;
}

/** Every setting in the order of the table, maps of settings before what is in them. */
export function describeSettings(): readonly SettingDescription[] {
  return describeEntries(entrySchema.entries, []);
}

function describeEntries(
  entries: v.ObjectEntries,
  parents: readonly string[],
): readonly SettingDescription[] {
  return Object.entries(entries).flatMap(([key, schema]) => {
    const wrapped = 'wrapped' in schema ? (schema.wrapped as v.GenericSchema) : (schema as v.GenericSchema);
    const children = 'entries' in wrapped ? (wrapped.entries as v.ObjectEntries) : undefined;
    const { type, secret: hidden } = v.getMetadata(wrapped) as { type?: string; secret?: boolean };
    const standard: unknown = v.getDefault(schema);
    const path = [...parents, key];
    return [
      {
        name: path.join('.'),
        variable: `REGISTRAR_${path.join('__').toUpperCase()}`,
        type: children === undefined ? (type ?? 'text') : 'settings',
        required: !('wrapped' in schema),
        default: typeof standard === 'string' ? standard : undefined,
        secret: hidden ?? false,
        doc: v.getDescription(wrapped) ?? '',
      },
      ...(children === undefined ? [] : describeEntries(children, path)),
    ];
  });
}
