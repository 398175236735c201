import { beforeAll, describe, expect, test } from 'vitest';
import { deployable, templateOf } from './deployable.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Every action of every role, by function; resources in plain text. */
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
  test('are one a function', () => {
    expect([...allowed.keys()].sort()).toEqual(['health', 'reconcile', 'register', 'route']);
  });

  test('may delete nothing but the messages of their own queue (I1)', () => {
    const deletions = [...allowed.values()].flat().filter(({ action }) => /delete|\*/i.test(action));
    expect(new Set(deletions.map(({ action }) => action))).toEqual(new Set(['sqs:DeleteMessage']));
  });

  test('have no wildcard but for metrics, which are no resources', () => {
    expect([...allowed.values()].flat().filter(({ resource }) => resource === '*')).toEqual([
      { action: 'cloudwatch:GetMetricData', resource: '*' },
    ]);
  });

  test('of route reads no segment and no table', () => {
    expect(resources('route', 's3:GetObject')).toEqual(['arn:s3:::lake/quarantine/_events/*']);
    expect(resources('route', 's3:ListBucket')).toEqual([]);
  });

  test('of register reads segments and tables, and writes below metadata/ and in the quarantine alone', () => {
    expect(resources('register', 's3:GetObject')).toEqual([
      'arn:s3:::lake/landing/*',
      'arn:s3:::lake/quarantine/*',
      'arn:s3:::tables/*',
      'arn:s3:::warehouse/other/*',
    ]);
    expect(resources('register', 's3:PutObject')).toEqual([
      'arn:s3:::lake/landing/*/metadata/*',
      'arn:s3:::lake/quarantine/*',
      'arn:s3:::tables/*/metadata/*',
      'arn:s3:::tables/metadata/*',
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

  test('of health counts what waits in all four queues', () => {
    const counted = (allowed.get('health') ?? []).filter(({ action }) => action === 'sqs:GetQueueAttributes');
    expect(new Set(counted.map(({ resource }) => resource)).size).toBe(4);
  });

  test('list their prefixes only, and learn that a key does not exist', () => {
    const listings = [...allowed.values()].flat().filter(({ action }) => action === 's3:ListBucket');
    expect(listings.length).toBeGreaterThan(0);
    for (const { condition } of listings) {
      expect(condition).toEqual({ StringLikeIfExists: { 's3:prefix': ['landing/*', 'quarantine/*'] } });
    }
  });

  test('may lengthen the back-off of a message', () => {
    for (const name of ['route', 'register'])
      expect(resources(name, 'sqs:ChangeMessageVisibility')).toHaveLength(1);
  });

  test('read the secrets that the configuration names, those of the catalog but for route', () => {
    for (const name of ['register', 'reconcile', 'health']) {
      expect(resources(name, 'secretsmanager:GetSecretValue')).toEqual([
        'arn:secretsmanager:AWS::Region:AWS::AccountId:secret:prod/catalog-??????',
      ]);
    }
    expect(resources('route', 'secretsmanager:GetSecretValue')).toEqual([]);
    expect(resources('register', 'ssm:GetParameter')).toEqual([]);
  });
});

test('a catalog that takes signatures is granted by its own actions', async () => {
  const template = templateOf(
    await deployable({}, { catalog_token: null, catalog_sigv4: { region: 'eu-west-1', service: 'glue' } }),
  );
  const text = JSON.stringify(template.findResources('AWS::IAM::Policy'));
  expect(text).toContain('glue:UpdateTable');
  expect(text).not.toContain('glue:*');
  expect(text).not.toContain('glue:DeleteTable');
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
