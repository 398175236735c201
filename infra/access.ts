import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { AccessContext, FunctionName } from './access-context.ts';
import { catalogStatements } from './catalog-access.ts';
import type { SecretReference } from './deployment.ts';

/**
 * The permissions of a function, except those on its queues and its log. No function may delete an object. Only register may write
 * tables, and only below `metadata/`, where no shipper uploads. route reads no segment.
 */
export function statements(name: FunctionName, of: AccessContext): readonly PolicyStatement[] {
  return [
    ...storeStatements(name, of),
    ...secretStatements(of),
    ...(name === 'route' ? [] : catalogStatements(name, of)),
    ...keyStatements(name, of),
    ...(of.inVpc ? [useVpc()] : []),
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
  const roots = [...entries.map(({ url }) => `${url}/`), ...tableRoots(of)];
  const read = objects(
    of,
    'ReadSegmentsAndTables',
    ['s3:GetObject'],
    [...roots.map((root) => `${root}*`), ...metadataPaths(of), ...quarantines],
  );
  const list = listings(of, [...roots, ...entries.map(({ quarantine_url }) => `${quarantine_url}/`)]);
  if (name === 'health') return [read, ...list, watchBuckets(of), watchQueues()];
  if (name !== 'register') return [read, ...list];
  // In a policy, `*` also matches slashes: a root that ends in `*/` covers deeper directories too.
  const metadata = roots.flatMap((root) =>
    root.endsWith('*/') ? [`${root}metadata/*`] : [`${root}metadata/*`, `${root}*/metadata/*`],
  );
  return [
    read,
    ...list,
    objects(of, 'WriteMetadata', ['s3:PutObject'], [...metadata, ...metadataPaths(of)]),
    objects(of, 'SetSegmentsAside', ['s3:PutObject'], quarantines),
  ];
}

/** The directories that new tables' properties name for their metadata. */
function metadataPaths({ entries }: AccessContext): readonly string[] {
  return entries.flatMap(({ table_properties }) => {
    const path = table_properties['write.metadata.path'];
    return path?.startsWith('s3://') ? [`${withSlash(path)}*`] : [];
  });
}

/**
 * The prefixes of tables outside the uploads. `catalog` is not a prefix: where the catalog chooses the locations, `table_locations`
 * names them.
 */
function tableRoots({ entries, tableLocations }: AccessContext): readonly string[] {
  const templates = entries.flatMap(({ table_location }) => table_location ?? []);
  return [
    ...templates.filter((template) => template !== 'catalog').map(asPattern),
    ...tableLocations.map(withSlash),
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
 * Allows listing below the roots, with one statement per bucket. The condition is `IfExists`, because S3 checks the right to list,
 * without a prefix, before it answers that a key does not exist. Without that right it answers 403, and a deleted segment would look
 * like a forbidden one.
 */
function listings({ partition }: AccessContext, roots: readonly string[]): readonly PolicyStatement[] {
  const byBucket = Map.groupBy(roots, bucketUri);
  return [...byBucket].map(
    ([bucket, ofBucket]) =>
      new PolicyStatement({
        actions: ['s3:ListBucket'],
        resources: [arnOf(partition, bucket)],
        conditions: {
          StringLikeIfExists: { 's3:prefix': unique(ofBucket.map((root) => `${keyOf(root)}*`)) },
        },
      }),
  );
}

/** Allows reading how long messages wait. IAM cannot restrict metrics to a resource. */
function watchQueues(): PolicyStatement {
  return new PolicyStatement({
    sid: 'ReadQueueAges',
    actions: ['cloudwatch:GetMetricData'],
    resources: ['*'],
  });
}

function watchBuckets(of: AccessContext): PolicyStatement {
  const uris = [...of.entries.map(({ url }) => url), ...tableRoots(of)];
  const buckets = uris.map((uri) => arnOf(of.partition, bucketUri(uri)));
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
    // Secrets Manager appends a hyphen and six random characters to a secret's name.
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

/** Allows using the keys. health only reads, so it needs no key to encrypt with. */
function keyStatements(
  name: FunctionName,
  { entries, kmsKeyArn, decryptKeyArns }: AccessContext,
): readonly PolicyStatement[] {
  const arns = unique([
    ...entries.flatMap(({ store }) => store.kms_key_id ?? []),
    ...(kmsKeyArn === undefined ? [] : [kmsKeyArn]),
  ]);
  const statement = (sid: string, actions: string[], resources: string[]) =>
    resources.length === 0 ? [] : [new PolicyStatement({ sid, actions, resources })];
  return [
    ...statement('UseKeys', ['kms:Decrypt', ...(name === 'health' ? [] : ['kms:GenerateDataKey'])], arns),
    ...statement(
      'ReadWithKeys',
      ['kms:Decrypt'],
      unique(decryptKeyArns.filter((arn) => !arns.includes(arn))),
    ),
  ];
}

/** What Lambda needs to run in a VPC; none of it can be restricted to a resource. */
function useVpc(): PolicyStatement {
  return new PolicyStatement({
    sid: 'UseVpc',
    actions: [
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:UnassignPrivateIpAddresses',
    ],
    resources: ['*'],
  });
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

/** Turns `s3://lake/tables/{dataset}` into `s3://lake/tables/*` followed by a slash. */
function asPattern(template: string): string {
  return withSlash(template.replaceAll(/\{[^}]*\}/g, '*'));
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
