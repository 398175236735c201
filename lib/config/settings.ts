import * as v from 'valibot';
import { headerSecret, headers } from './header-kinds.ts';
import {
  anyText,
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
  queueName,
  secret,
  secretFile,
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
 * Every setting of an entry: its kind, its default and its meaning. Validation, environment overrides and the documentation all come
 * from this table. Defaults are written as in YAML.
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
    'OAuth2 client ID, without a colon; empty where the secret alone identifies the client',
  ),
  client_secret: required(secret, 'OAuth2 client secret'),
  scope: optional(anyText, 'OAuth2 scope, by default `catalog`; empty to ask for none'),
  oauth2_server_uri: optional(httpUrl, 'Token endpoint, used as it is'),
  audience: optional(text, 'OAuth2 audience'),
  resource: optional(text, 'OAuth2 resource'),
  client_auth: optional(
    choice('form', 'basic'),
    'How the client authenticates: in the form body, or by HTTP Basic',
  ),
  token_exchange: optional(
    flag,
    'Renews a token by exchanging the old one instead of sending the credential again',
  ),
});

const sigv4 = group({
  region: optional(
    text,
    'AWS region to sign requests for; by default the one in the warehouse’s ARN or the catalog’s host',
  ),
  service: optional(
    text,
    'AWS service to sign requests for: glue, s3tables or execute-api; by default the one in the host or ARN',
  ),
});

const queues = group({
  arrivals: optional(queueName, 'URL of the standard queue that route reads'),
  registrations: optional(
    queueName,
    'URL of the FIFO queue that register reads; on Google Cloud the topic: projects/{project}/topics/{topic}',
  ),
});

const store = group({
  endpoint: optional(httpUrl, 'Endpoint of the object store, instead of the platform’s own'),
  region: optional(text, 'Region of the object store'),
  allow_http: optional(flag, 'Allows an endpoint without TLS'),
  path_style: optional(flag, 'Puts the bucket in the path instead of the host name'),
  access_key_id: optional(secret, 'Access key, instead of the role’s own credentials'),
  secret_access_key: optional(secret, 'Secret of the access key'),
  session_token: optional(secret, 'Session token of the access key'),
  kms_key_id: optional(text, 'KMS key to encrypt written objects with'),
  requester_pays: optional(flag, 'Agrees to pay for requests to requester-pays buckets'),
});

const retry = v.pipe(
  group({
    initial: setTo('200ms', duration, 'Wait before the first retry of a commit; doubles each time'),
    max: setTo('10s', duration, 'Longest wait between attempts'),
    jitter: setTo('0.5', share, 'Share of each wait that is random'),
  }),
  v.transform(({ initial, max, jitter }) => ({ initial_ms: initial, max_ms: max, jitter })),
);

export const entrySchema = group({
  kind: optional(choice('iceberg'), 'Kind of sink in a thadam configuration; has no effect here'),
  url: required(storeUrl, 'Prefix of every segment that this entry may read'),
  pipeline: optional(text, 'Pipeline that this entry registers; by default every pipeline'),
  from: optional(list, 'Datasets that this entry registers; by default every dataset'),
  layout: setTo(
    DEFAULT_LAYOUT,
    layout,
    `Where pipeline and dataset are in a key: {name} matches within one path segment, a final … matches the rest. Or the name of a shipper: ${LAYOUT_PRESET_NAMES.join(', ')}`,
  ),
  namespace: required(namespace, 'Namespace of the tables, its levels separated by dots'),
  table: setTo(DEFAULT_TABLE, tableName, 'Name of the table, made from the names in the layout'),
  branch: setTo('main', text, 'Branch to commit to; it must exist unless it is main'),

  catalog_uri: required(httpUrl, 'Base URI of the Iceberg REST catalog'),
  catalog_warehouse: optional(text, 'Warehouse to ask the catalog for'),
  catalog_prefix: optional(text, 'Prefix of the catalog’s paths, where the catalog does not announce one'),
  catalog_token: optional(headerSecret, 'Bearer token'),
  catalog_credential: optional(credential, 'OAuth2 client credential'),
  catalog_sigv4: optional(sigv4, 'Signs requests with the role’s AWS credentials'),
  catalog_google: optional(
    flag,
    'Authenticates with the Google access token of the service account that runs it',
  ),
  catalog_headers: optional(headers, 'Extra headers for every request to the catalog'),
  catalog_ca_file: optional(file, 'CA certificates to trust for the catalog, instead of the platform’s'),
  catalog_client_cert: optional(file, 'Client certificate for the catalog'),
  catalog_client_key: optional(secretFile, 'Private key of the client certificate'),
  catalog_server_name: optional(text, 'Name to expect in the catalog’s certificate'),
  catalog_metrics: optional(flag, 'Sends the catalog a report on each commit, with one extra request'),
  access_delegation: setTo(
    'none',
    choice('none', 'vended-credentials'),
    'Whether to ask the catalog for storage credentials',
  ),

  create_table: setTo('false', flag, 'Creates missing namespaces and tables, from the first segment'),
  create_via: setTo('auto', choice('auto', 'register', 'commit', 'create'), 'How tables are created'),
  table_location: optional(
    tableLocation,
    'Location of created tables, made from the names in the layout, or `catalog` to let the catalog choose; by default the shipper’s directory',
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
    'How columns are identified: by field IDs that are checked for stability, by field IDs known to be stable, or by name',
  ),
  case_sensitive_names: setTo('false', flag, 'Allows column names that differ only in case'),
  timestamp_millis: setTo(
    'refuse',
    choice('refuse', 'accept'),
    'What to do with millisecond timestamps, which the Iceberg specification does not have',
  ),
  hidden_names: setTo(
    'accept',
    choice('accept', 'ignore'),
    'What to do with keys in which a name below url begins with a dot or an underscore (except `_name=value`): Spark, Flink and Hive take these for markers and unfinished files',
  ),
  copies: setTo(
    'accept',
    choice('accept', 'quarantine'),
    'What to do with segments that were copied within the store',
  ),
  on_segment_error: setTo(
    'quarantine',
    choice('quarantine', 'stop'),
    'What to do with a segment that cannot be registered',
  ),
  on_unprovable: setTo(
    'quarantine',
    choice('quarantine', 'register'),
    'What to do with a segment that cannot be proven not to be registered already',
  ),
  quarantine_url: optional(storeUrl, 'Where quarantine records are written; by default {url}/_quarantine'),
  max_footer_bytes: setTo('64MiB', bytes, 'Largest Parquet footer to read'),
  merge_manifests: setTo(
    'true',
    flag,
    'Merges small manifests, following the table properties commit.manifest-merge.enabled, commit.manifest.min-count-to-merge and commit.manifest.target-size-bytes',
  ),
  freshness: optional(duration, 'Age of a table’s newest snapshot above which the table counts as stale'),
  tracing: optional(
    flag,
    'Emits OpenTelemetry spans to the SDK that the process has registered; setting it in one entry is enough',
  ),
  snapshot_properties: setTo(
    {},
    summaryProperties,
    'Extra properties for the summary of every snapshot; names that commits use themselves are refused',
  ),

  queues: setTo({}, queues, 'The queues'),
  store: setTo({}, store, 'The object store; without an access key the role’s own credentials are used'),
  retry: setTo({}, retry, 'Waits between commit attempts'),
});
