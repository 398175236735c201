import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Entry } from '../lib/config/entry.ts';
import type { SecretReference } from './deployment.ts';

export type FunctionName = 'route' | 'register' | 'reconcile' | 'health';

/** The parts of the account that a policy's ARNs are made of. */
export interface AccessContext {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly entries: readonly Entry[];
  readonly secrets: readonly SecretReference[];
  readonly tableLocations: readonly string[];
  readonly kmsKeyArn?: string;
}

/**
 * What a function may do apart from its queues and its log. None may delete, and only register may write: below `metadata/`,
 * where no shipper uploads. route reads no segment.
 */
export function statements(name: FunctionName, of: AccessContext): readonly PolicyStatement[] {
  return [
    ...storeStatements(name, of),
    ...secretStatements(of),
    ...catalogStatements(name, of),
    ...keyStatements(of),
  ];
}

function storeStatements(name: FunctionName, of: AccessContext): readonly PolicyStatement[] {
  const { entries } = of;
  const quarantines = entries.map(({ quarantine_url }) => `${quarantine_url}/*`);
  const [events] = entries.map(({ quarantine_url }) => `${quarantine_url}/_events/*`);
  if (name === 'route') {
    return [
      objects(of, 'SetEventsAside', ['s3:GetObject', 's3:PutObject'], events === undefined ? [] : [events]),
    ];
  }
  const tables = [
    ...entries.flatMap(({ table_location }) => table_location ?? []).map(literalStart),
    ...of.tableLocations.map(withSlash),
  ];
  const readable = [
    ...entries.map(({ url }) => `${url}/*`),
    ...tables.map((start) => `${start}*`),
    ...quarantines,
  ];
  const read = objects(of, 'ReadSegmentsAndTables', ['s3:GetObject'], readable);
  const list = listing(of, [
    ...entries.map(({ url }) => url),
    ...entries.map(({ quarantine_url }) => quarantine_url),
  ]);
  if (name === 'health') return [read, list, watchBuckets(of), watchQueues()];
  if (name !== 'register') return [read, list];
  const metadata = [
    ...entries.map(({ url }) => `${url}/*/metadata/*`),
    ...tables.flatMap((start) => [`${start}metadata/*`, `${start}*/metadata/*`]),
  ];
  return [
    read,
    list,
    objects(of, 'WriteMetadata', ['s3:PutObject'], metadata),
    objects(of, 'SetSegmentsAside', ['s3:PutObject'], quarantines),
  ];
}

function objects(
  { partition }: AccessContext,
  sid: string,
  actions: string[],
  uris: readonly string[],
): PolicyStatement {
  return new PolicyStatement({
    sid,
    effect: Effect.ALLOW,
    actions,
    resources: unique(uris.map((uri) => arnOf(partition, uri))),
  });
}

/**
 * Allows listing below the URLs. The condition is `IfExists`, because S3 checks the right to list, without a prefix, before it
 * answers that a key does not exist. Without that right it answers 403, and a segment that is gone would look like one that is
 * denied.
 */
function listing({ partition }: AccessContext, urls: readonly string[]): PolicyStatement {
  return new PolicyStatement({
    sid: 'ListPrefixes',
    actions: ['s3:ListBucket'],
    resources: unique(urls.map((url) => arnOf(partition, bucketUri(url)))),
    conditions: {
      StringLikeIfExists: { 's3:prefix': unique(urls.map((url) => `${keyOf(url)}/*`.replace(/^\//, ''))) },
    },
  });
}

/** Allows reading how long messages wait. Metrics cannot be restricted to a resource. */
function watchQueues(): PolicyStatement {
  return new PolicyStatement({
    sid: 'ReadQueueAges',
    actions: ['cloudwatch:GetMetricData'],
    resources: ['*'],
  });
}

function watchBuckets({ partition, entries }: AccessContext): PolicyStatement {
  const buckets = entries.map(({ url }) => arnOf(partition, bucketUri(url)));
  return new PolicyStatement({
    sid: 'ReadBucketSettings',
    actions: ['s3:GetBucketNotification', 's3:GetLifecycleConfiguration'],
    resources: unique(buckets),
  });
}

function secretStatements({
  partition,
  region,
  account,
  secrets,
}: AccessContext): readonly PolicyStatement[] {
  const named = (store: SecretReference['store']) =>
    unique(secrets.filter((one) => one.store === store).map(({ name }) => name));
  const arn = (service: string, resource: string) =>
    `arn:${partition}:${service}:${region}:${account}:${resource}`;
  const statement = (sid: string, action: string, resources: readonly string[]) =>
    resources.length === 0
      ? []
      : [new PolicyStatement({ sid, actions: [action], resources: [...resources] })];
  return [
    // Secrets Manager puts six random characters after a secret's name.
    ...statement(
      'ReadSecrets',
      'secretsmanager:GetSecretValue',
      named('secretsmanager').map((name) =>
        name.startsWith('arn:') ? name : arn('secretsmanager', `secret:${name}-??????`),
      ),
    ),
    ...statement(
      'ReadParameters',
      'ssm:GetParameter',
      named('ssm').map((name) =>
        name.startsWith('arn:') ? name : arn('ssm', `parameter/${name.replace(/^\//, '')}`),
      ),
    ),
  ];
}

const CATALOG_ACTIONS: Readonly<
  Record<string, { readonly read: readonly string[]; readonly write: readonly string[] }>
> = {
  glue: {
    read: ['glue:GetCatalog', 'glue:GetDatabase', 'glue:GetTable'],
    write: ['glue:CreateDatabase', 'glue:CreateTable', 'glue:UpdateTable'],
  },
  s3tables: {
    read: [
      's3tables:GetNamespace',
      's3tables:GetTable',
      's3tables:GetTableMetadataLocation',
      's3tables:GetTableData',
    ],
    write: [
      's3tables:CreateNamespace',
      's3tables:CreateTable',
      's3tables:UpdateTableMetadataLocation',
      's3tables:PutTableData',
    ],
  },
};

/** For catalogs that accept the role's own signature. */
function catalogStatements(
  name: FunctionName,
  { partition, account, entries }: AccessContext,
): readonly PolicyStatement[] {
  if (name === 'route') return [];
  const signed = entries.flatMap(({ catalog_sigv4 }) => catalog_sigv4 ?? []);
  const services = Map.groupBy(signed, ({ service }) => service);
  return [...services].flatMap(([service, settings]) => {
    const actions = CATALOG_ACTIONS[service];
    if (actions === undefined) return [];
    return new PolicyStatement({
      sid: `Catalog${service}`,
      actions: [...actions.read, ...(name === 'register' ? actions.write : [])],
      resources: unique(
        settings.flatMap(({ region }) => {
          const arn = `arn:${partition}:${service}:${region}:${account}`;
          return service === 'glue'
            ? [`${arn}:catalog`, `${arn}:database/*`, `${arn}:table/*`]
            : [`${arn}:bucket/*`];
        }),
      ),
    });
  });
}

function keyStatements({ entries, kmsKeyArn }: AccessContext): readonly PolicyStatement[] {
  const keys = unique([
    ...entries.flatMap(({ store }) => store.kms_key_id ?? []),
    ...(kmsKeyArn === undefined ? [] : [kmsKeyArn]),
  ]);
  const arns = keys.filter((key) => key.startsWith('arn:'));
  return arns.length === 0
    ? []
    : [
        new PolicyStatement({
          sid: 'UseKeys',
          actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
          resources: arns,
        }),
      ];
}

function arnOf(partition: string, uri: string): string {
  return `arn:${partition}:s3:::${uri.replace(/^s3:\/\//, '')}`;
}

function bucketUri(url: string): string {
  return /^s3:\/\/[^/]+/.exec(url)?.[0] ?? url;
}

function keyOf(url: string): string {
  return url.slice(bucketUri(url).length + 1);
}

/** `s3://lake/tables/` of `s3://lake/tables/{dataset}`. */
function literalStart(template: string): string {
  const literal = /^[^{]*/.exec(template)?.[0] ?? '';
  return literal.length === template.length
    ? withSlash(literal)
    : literal.slice(0, literal.lastIndexOf('/') + 1);
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
