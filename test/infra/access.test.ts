import { beforeAll, describe, expect, test } from 'vitest';
import { deployable, templateOf } from './deployable.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Every action that a role allows, by function, with its resources as plain text. */
let allowed: Map<
  string,
  readonly { readonly action: string; readonly resource: string; readonly condition: unknown }[]
>;

beforeAll(async () => {
  const template = templateOf(
    await deployable(
      { table_locations: ['s3://warehouse/other'] },
      { table_location: 's3://tables/{dataset}' },
    ),
  );
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  allowed = new Map(
    policies.map(({ Properties }) => [
      /Registrar([A-Z][a-z]+)Role/.exec(Properties.PolicyName)?.[1]?.toLowerCase() ?? '',
      (Properties.PolicyDocument.Statement as Statement[]).flatMap(
        ({ Effect, Action, Resource, Condition }) => {
          expect(Effect).toBe('Allow');
          return [Action]
            .flat()
            .flatMap((action) =>
              [Resource]
                .flat()
                .map((resource) => ({ action, resource: plain(resource), condition: Condition })),
            );
        },
      ),
    ]),
  );
});

describe('the roles', () => {
  test('are one per function', () => {
    expect([...allowed.keys()].sort()).toEqual(['health', 'reconcile', 'register', 'route']);
  });

  test('may delete nothing but the messages of their own queue (I1)', () => {
    const deletions = [...allowed.values()].flat().filter(({ action }) => /delete|\*/i.test(action));
    expect(new Set(deletions.map(({ action }) => action))).toEqual(new Set(['sqs:DeleteMessage']));
  });

  test('have no wildcard resource except for metrics, which IAM cannot restrict', () => {
    expect([...allowed.values()].flat().filter(({ resource }) => resource === '*')).toEqual([
      { action: 'cloudwatch:GetMetricData', resource: '*' },
    ]);
  });

  test('of route reads no segment and no table', () => {
    expect(resources('route', 's3:GetObject')).toEqual(['arn:s3:::lake/quarantine/_events/*']);
    expect(resources('route', 's3:ListBucket')).toEqual([]);
  });

  test('of register reads segments and tables, and writes only below metadata/ and in the quarantine', () => {
    expect(resources('register', 's3:GetObject')).toEqual([
      'arn:s3:::lake/landing/*',
      'arn:s3:::lake/quarantine/*',
      'arn:s3:::tables/*/*',
      'arn:s3:::warehouse/other/*',
    ]);
    expect(resources('register', 's3:PutObject')).toEqual([
      'arn:s3:::lake/landing/*/metadata/*',
      'arn:s3:::lake/landing/metadata/*',
      'arn:s3:::lake/quarantine/*',
      'arn:s3:::tables/*/metadata/*',
      'arn:s3:::warehouse/other/*/metadata/*',
      'arn:s3:::warehouse/other/metadata/*',
    ]);
  });

  test('of reconcile sends to register and writes nothing', () => {
    expect(resources('reconcile', 's3:PutObject')).toEqual([]);
    expect(resources('reconcile', 'sqs:SendMessage')).toEqual([expect.stringContaining('Registrations')]);
  });

  test('of health writes nothing', () => {
    expect(
      (allowed.get('health') ?? []).filter(
        ({ action }) => /Put|Send|Delete/.test(action) && !action.startsWith('logs:'),
      ),
    ).toEqual([]);
  });

  test('of health may read the number of messages in all four queues', () => {
    const counted = (allowed.get('health') ?? []).filter(({ action }) => action === 'sqs:GetQueueAttributes');
    expect(new Set(counted.map(({ resource }) => resource)).size).toBe(4);
  });

  // Buckets of tables too: register lists the metadata of a table that the catalog has lost, and health looks for lost commits.
  test.each(['register', 'reconcile', 'health'])('of %s lists its own prefixes of each bucket', (name) => {
    const listings = (allowed.get(name) ?? []).filter(({ action }) => action === 's3:ListBucket');
    expect(listings.map(({ resource, condition }) => [resource, condition])).toEqual([
      ['arn:s3:::lake', { StringLikeIfExists: { 's3:prefix': ['landing/*', 'quarantine/*'] } }],
      ['arn:s3:::tables', { StringLikeIfExists: { 's3:prefix': ['*/*'] } }],
      ['arn:s3:::warehouse', { StringLikeIfExists: { 's3:prefix': ['other/*'] } }],
    ]);
  });

  test('may change how long a message waits for its next delivery', () => {
    for (const name of ['route', 'register'])
      expect(resources(name, 'sqs:ChangeMessageVisibility')).toHaveLength(1);
  });

  test('may read the secrets that the configuration names, but route none of the catalog', () => {
    for (const name of ['register', 'reconcile', 'health']) {
      expect(resources(name, 'secretsmanager:GetSecretValue')).toEqual([
        'arn:secretsmanager:AWS::Region:AWS::AccountId:secret:prod/catalog-??????',
      ]);
    }
    expect(resources('route', 'secretsmanager:GetSecretValue')).toEqual([]);
    expect(resources('register', 'ssm:GetParameter')).toEqual([]);
  });
});

describe('a catalog that authenticates by signature is granted by its own actions', () => {
  const granted = async (settings: object) => {
    const template = templateOf(await deployable({}, { catalog_token: null, ...settings }));
    const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));
    return policies.replaceAll('"},"', '').replaceAll('{"Ref":"', '');
  };

  test('only on the database of the namespace (Glue)', async () => {
    const text = await granted({
      namespace: '{pipeline}_raw',
      catalog_sigv4: { region: 'eu-west-1', service: 'glue' },
    });
    expect(text).toContain('glue:UpdateTable');
    expect(text).not.toMatch(/glue:\*|glue:Delete/);
    expect(text).toContain(':database/*_raw');
    expect(text).toContain(':table/*_raw/*');
    expect(text).not.toMatch(/:database\/\*"|:table\/\*"/);
  });

  test('only on the table bucket that is the warehouse (S3 Tables)', async () => {
    const bucket = 'arn:aws:s3tables:eu-west-1:123456789012:bucket/lake';
    const text = await granted({
      catalog_warehouse: bucket,
      catalog_sigv4: { region: 'eu-west-1', service: 's3tables' },
    });
    expect(text).toContain(`"Resource":["${bucket}","${bucket}/table/*"]`);
    expect(text).not.toContain('bucket/*');
  });
});

test('table_location "catalog" grants nothing on a bucket of that name', async () => {
  const template = templateOf(
    await deployable({ table_locations: ['s3://warehouse'] }, { table_location: 'catalog' }),
  );
  const text = JSON.stringify(template.findResources('AWS::IAM::Policy'));
  expect(text).toContain(':s3:::warehouse/*');
  expect(text).not.toContain(':s3:::catalog');
});

const key = 'arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000000';

test('keys to decrypt with are never encrypted with', async () => {
  const text = JSON.stringify(
    templateOf(await deployable({ decrypt_key_arns: [key] })).findResources('AWS::IAM::Policy'),
  );
  expect(text).toContain(key);
  expect(text).not.toContain('kms:GenerateDataKey');
});

test("metadata of new tables may be written where the tables' properties put them", async () => {
  const settings = { table_properties: { 'write.metadata.path': 's3://lake/iceberg-meta' } };
  const text = JSON.stringify(templateOf(await deployable({}, settings)).findResources('AWS::IAM::Policy'));
  expect(text).toContain(':s3:::lake/iceberg-meta/*');
});

test('health reads the lifecycle rules of the buckets that tables lie in', async () => {
  const of = templateOf(await deployable({}, { table_location: 's3://tables/{dataset}' }));
  const policies = Object.values(of.findResources('AWS::IAM::Policy'));
  const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Statement[]);
  const settings = statements.filter(({ Action }) => Action.includes('s3:GetLifecycleConfiguration'));
  expect(settings.flatMap(({ Resource }) => Resource).map(plain)).toEqual([
    'arn:s3:::lake',
    'arn:s3:::tables',
  ]);
});

test('credentials that Glue vends come from Lake Formation', async () => {
  const glue = {
    catalog_uri: 'https://glue.eu-central-1.amazonaws.com/iceberg',
    catalog_sigv4: {},
    catalog_token: null,
  };
  const of = async (more: object) =>
    JSON.stringify(templateOf(await deployable({}, { ...glue, ...more })).findResources('AWS::IAM::Policy'));
  expect(await of({ access_delegation: 'vended-credentials' })).toContain('lakeformation:GetDataAccess');
  expect(await of({})).not.toContain('lakeformation');
});

test('health, which sends and writes nothing, may only decrypt with a key', async () => {
  const policies = templateOf(await deployable({ kms_key_arn: key })).findResources('AWS::IAM::Policy');
  for (const [id, { Properties }] of Object.entries(policies)) {
    const actions = (Properties.PolicyDocument.Statement as Statement[])
      .filter(({ Resource }) => Resource === key)
      .flatMap(({ Action }) => Action);
    const expected = id.includes('Health') ? ['kms:Decrypt'] : ['kms:Decrypt', 'kms:GenerateDataKey'];
    expect([...new Set(actions)], id).toEqual(expected);
  }
});

function resources(name: string, action: string): readonly string[] {
  return (allowed.get(name) ?? [])
    .filter((one) => one.action === action)
    .map(({ resource }) => resource)
    .sort();
}

/** `{"Fn::Join":["",["arn:",{"Ref":"AWS::Partition"},":s3:::lake/*"]]}` as `arn:s3:::lake/*`. */
function plain(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const { 'Fn::Join': join } = resource as { 'Fn::Join'?: [string, (string | { Ref: string })[]] };
  if (join === undefined) return JSON.stringify(resource);
  return join[1]
    .map((part) => (typeof part === 'string' ? part : part.Ref))
    .join('')
    .replace('AWS::Partition:', '');
}
