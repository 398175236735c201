import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Deployable, deployableOf, readDeployment } from '../../infra/deployment.ts';
import { deploymentProblems } from '../../infra/deployment-problems.ts';
import { unpackText } from '../../lib/config/packed-text.ts';
import { deployable, templateOf } from './deployable.ts';

const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000000';

let template: Template;
beforeAll(async () => {
  template = templateOf(await deployable());
});

describe('the queues', () => {
  test('keep messages for 14 days, dead-letter queues too', () => {
    template.resourceCountIs('AWS::SQS::Queue', 4);
    template.allResourcesProperties('AWS::SQS::Queue', { MessageRetentionPeriod: 1_209_600 });
    template.allResources('AWS::SQS::Queue', { DeletionPolicy: 'Retain' });
  });

  test('are a standard queue and a FIFO queue of high throughput, each with a dead-letter queue of its kind', () => {
    template.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: 'iceberg-registrar-test-arrivals',
      FifoQueue: Match.absent(),
      VisibilityTimeout: 370,
      RedrivePolicy: { maxReceiveCount: 20, deadLetterTargetArn: arnOf(template, 'arrivals-dlq') },
    });
    template.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: 'iceberg-registrar-test-registrations.fifo',
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      VisibilityTimeout: 360,
      RedrivePolicy: { maxReceiveCount: 100, deadLetterTargetArn: arnOf(template, 'registrations-dlq.fifo') },
    });
  });

  test('serve as dead-letter queues only for their own source queue', () => {
    for (const [dead, source] of [
      ['arrivals-dlq', 'arrivals'],
      ['registrations-dlq.fifo', 'registrations.fifo'],
    ]) {
      template.hasResourceProperties('AWS::SQS::Queue', {
        QueueName: `iceberg-registrar-test-${dead}`,
        RedriveAllowPolicy: {
          redrivePermission: 'byQueue',
          sourceQueueArns: [{ 'Fn::Join': ['', Match.arrayWith([`:iceberg-registrar-test-${source}`])] }],
        },
      });
    }
  });

  // Under a new logical ID, CloudFormation would create the resource again, and fail because the retained one has the same name.
  test('keep their logical IDs in every release, and so do the logs', () => {
    const retained = Object.entries(
      template.toJSON()['Resources'] as Record<string, { DeletionPolicy?: string; Type: string }>,
    )
      .filter(
        ([, { Type, DeletionPolicy }]) => DeletionPolicy === 'Retain' && Type !== 'AWS::Lambda::Version',
      )
      .map(([id]) => id);
    expect(retained).toEqual([
      'RegistrarArrivalsDlqA36CA40D',
      'RegistrarRegistrationsDlq7A087788',
      'RegistrarArrivalsA9AA75A0',
      'RegistrarRegistrations54746196',
      'RegistrarRegisterLog1824E770',
      'RegistrarRouteLogF2F94BFB',
      'RegistrarHealthLogB398F8DF',
      'RegistrarReconcileLogFFDFB1A9',
    ]);
  });

  test('accept messages of buckets in the same account only', () => {
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Principal: { Service: 's3.amazonaws.com' },
            Condition: Match.objectLike({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }),
          }),
        ]),
      },
    });
  });

  test('name any number of buckets in one statement: a policy has room for twenty', async () => {
    const statements = policyStatements(await inBuckets(40));
    const [ofS3, ...others] = statements.filter(({ Principal }) => Principal.Service === 's3.amazonaws.com');
    expect(others).toEqual([]);
    expect(ofS3?.Condition.ArnLike['aws:SourceArn']).toHaveLength(40);
    expect(statements.length).toBeLessThanOrEqual(20);
  });

  test('have room for the rules of 19 buckets', async () => {
    const most = await inBuckets(19, { notifications: 'eventbridge' });
    expect(deploymentProblems([most])).toEqual([]);
    expect(policyStatements(most)).toHaveLength(20);
    expect(deploymentProblems([await inBuckets(20, { notifications: 'eventbridge' })])).toEqual([
      expect.stringContaining('20 buckets notify through EventBridge'),
    ]);
  });
});

describe('the functions', () => {
  test('run on Node 24 and arm64, and are invoked through an alias', () => {
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
    });
    template.resourceCountIs('AWS::Lambda::Function', 4);
    template.resourceCountIs('AWS::Lambda::Alias', 4);
    template.allResourcesProperties('AWS::Lambda::EventSourceMapping', {
      FunctionName: Match.not(Match.objectLike({ Ref: Match.anyValue() })),
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('keep their earlier versions, so that a rollback can move the alias', () => {
    template.resourceCountIs('AWS::Lambda::Version', 4);
    template.allResources('AWS::Lambda::Version', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });

  test('reserve as many executions as their queue may start', () => {
    for (const [name, most, batch] of [
      ['route', 2, { BatchSize: 10_000, MaximumBatchingWindowInSeconds: 10 }],
      ['register', 50, { BatchSize: 10, MaximumBatchingWindowInSeconds: Match.absent() }],
    ] as const) {
      template.hasResourceProperties('AWS::Lambda::Function', {
        FunctionName: `iceberg-registrar-test-${name}`,
        Timeout: 60,
        ReservedConcurrentExecutions: most,
      });
      template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
        ...batch,
        ScalingConfig: { MaximumConcurrency: most },
      });
    }
  });

  test('are deployed with register before route, so that it understands what route sends', () => {
    const route = template.findResources('AWS::Lambda::Function', {
      Properties: { FunctionName: 'iceberg-registrar-test-route' },
    });
    const dependencies = Object.values(route).flatMap(({ DependsOn }) => DependsOn as string[]);
    const [registerAlias] = Object.keys(template.findResources('AWS::Lambda::Alias')).filter((id) =>
      id.includes('RegisterLive'),
    );
    const routeAlias = Object.entries(template.findResources('AWS::Lambda::Alias')).find(([id]) =>
      id.includes('RouteLive'),
    )?.[1];
    expect([...dependencies, ...(routeAlias?.['DependsOn'] ?? [])]).toContain(registerAlias);
  });

  test('have the configuration that they need: the references to catalog secrets are not in that of route', () => {
    for (const [name, told] of [
      ['route', Match.not(Match.stringLikeRegexp('catalog_token'))],
      ['register', Match.stringLikeRegexp('catalog_token')],
    ] as const) {
      template.hasResourceProperties('AWS::Lambda::Function', {
        FunctionName: `iceberg-registrar-test-${name}`,
        Environment: { Variables: Match.objectLike({ REGISTRAR_CONFIG: told }) },
      });
    }
  });

  test('have a configuration of forty entries packed, which has no room in their environment as it is', async () => {
    const entries = Array.from({ length: 40 }, (_, at) => ({
      url: 's3://lake/landing',
      namespace: 'analytics',
      catalog_uri: 'https://catalog.example.com/iceberg',
      from: [`dataset_${at}`],
      freshness: '15m',
    }));
    const deployment = readDeployment({ stage: 'test', config: 'registrar.yaml' });
    const forty = await deployableOf(deployment, JSON.stringify(entries));
    expect(deploymentProblems([forty])).toEqual([]);
    const [register] = Object.values(
      templateOf(forty).findResources('AWS::Lambda::Function', {
        Properties: { FunctionName: 'iceberg-registrar-test-register' },
      }),
    );
    const variable = String(register?.['Properties'].Environment.Variables.REGISTRAR_CONFIG);
    expect(variable.length).toBeLessThan(3_500);
    expect(JSON.parse(unpackText(variable) ?? '')).toEqual(entries);
  });

  test('are configured with the queues of the same stack', () => {
    template.allResourcesProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          REGISTRAR_QUEUES__REGISTRATIONS: { Ref: Match.stringLikeRegexp('Registrations') },
        }),
      },
    });
  });
});

describe('the alarms', () => {
  test('are each explained in docs/operating.md', () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/operating.md'), 'utf8');
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
    expect(alarms.length).toBeGreaterThan(10);
    for (const { Properties } of alarms) {
      const name = String(Properties.AlarmName).replace('iceberg-registrar-test-', '');
      expect(page, name).toContain(`\n### ${name}\n`);
      expect(Properties.AlarmDescription).toContain(`docs/operating.md#${name}`);
    }
  });

  test('are raised at the values that docs/operating.md and the queues call for', () => {
    const raisedAbove = Object.fromEntries(
      Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => [
        String(Properties.AlarmName).replace('iceberg-registrar-test-', ''),
        Properties.Threshold,
      ]),
    );
    expect(raisedAbove).toEqual({
      'tables-unavailable': 0,
      'tables-stale': 0,
      'tables-unhealthy': 0,
      'health-silent': Number.MAX_SAFE_INTEGER,
      'health-failing': 0,
      'arrivals-waiting': 15 * 60,
      'arrivals-dead': 0,
      'registrations-dead': 0,
      'registrations-deep': 50_000,
      'keys-unroutable': 1,
      'segments-quarantined': 0,
      'notification-missing': 0,
      'segments-missed': 0,
      'commits-lost': 0,
      'history-short': 0,
      'auth-failed': 0,
      'register-failing': 0,
      'route-failing': 0,
      'reconcile-failing': 0,
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'iceberg-registrar-test-keys-unroutable',
      ComparisonOperator: 'GreaterThanThreshold',
      Metrics: Match.arrayWith([
        Match.objectLike({ Expression: '100 * unroutable / (unroutable + routed)' }),
      ]),
    });
  });

  test('exist for single tables too, each with its own freshness', async () => {
    const named = await deployable({
      table_freshness: { 'analytics.orders': '15m', 'analytics.events': '2h' },
    });
    const ofTable = (table: string, threshold: number) => ({
      AlarmName: `iceberg-registrar-test-table-stale-${table}`,
      AlarmDescription: Match.stringLikeRegexp('docs/operating.md#tables-stale$'),
      MetricName: 'ageMs',
      Dimensions: [{ Name: 'table', Value: table }],
      Threshold: threshold,
    });
    const tables = templateOf(named);
    tables.hasResourceProperties('AWS::CloudWatch::Alarm', ofTable('analytics.orders', 900_000));
    tables.hasResourceProperties('AWS::CloudWatch::Alarm', ofTable('analytics.events', 7_200_000));
  });

  // A period without data does not breach. A check every quarter of an hour would never breach two five-minute periods in a row.
  test('on tables have periods at least as long as the time between two health checks', async () => {
    const seldom = templateOf(await deployable({ health_minutes: 13 }));
    for (const metric of ['tablesUnavailable', 'tablesStale', 'tablesUnhealthy', 'notificationsMissing'])
      seldom.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: metric, Period: 900 });
    await expect(deployable({ health_minutes: 481 })).rejects.toThrow(/health_minutes/);
  });

  test('notify the topic of the deployment', async () => {
    const topic = 'arn:aws:sns:eu-central-1:123456789012:pages';
    templateOf(await deployable({ alarm_topic_arn: topic })).allResourcesProperties(
      'AWS::CloudWatch::Alarm',
      { AlarmActions: [topic] },
    );
  });
});

test('a reconcile run that is out of time is invoked again with the request for its next run', () => {
  const [rule] = Object.values(
    template.findResources('AWS::Events::Rule', {
      Properties: {
        EventPattern: {
          source: ['lambda'],
          detail: { responsePayload: { next: { startAfter: [{ exists: true }] } } },
        },
      },
    }),
  );
  const [functionId] = Object.keys(
    template.findResources('AWS::Lambda::Function', {
      Properties: { FunctionName: 'iceberg-registrar-test-reconcile' },
    }),
  );
  const { Targets, EventPattern } = rule?.['Properties'] ?? {};
  expect(EventPattern.resources).toEqual([{ prefix: { 'Fn::GetAtt': [functionId, 'Arn'] } }]);
  expect(Targets).toEqual([
    expect.objectContaining({
      Arn: { Ref: expect.stringContaining('ReconcileLive') },
      InputPath: '$.detail.responsePayload.next',
    }),
  ]);
  template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    FunctionName: { Ref: functionId },
    MaximumRetryAttempts: 0,
    DestinationConfig: { OnSuccess: { Destination: Match.anyValue() } },
  });
});

test('without a window route takes as many messages as Lambda allows then', async () => {
  templateOf(await deployable({ route: { window: 0 } })).hasResourceProperties(
    'AWS::Lambda::EventSourceMapping',
    {
      BatchSize: 10,
      MaximumBatchingWindowInSeconds: 0,
    },
  );
});

test('an EventBridge rule matches only segments below the prefix', async () => {
  const through = templateOf(await deployable({ notifications: 'eventbridge' }));
  through.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: {
      source: ['aws.s3'],
      'detail-type': ['Object Created'],
      detail: { bucket: { name: ['lake'] }, object: { key: [{ wildcard: 'landing/*.parquet' }] } },
    },
  });
});

test.each([
  ['not encrypted', {}],
  ['encrypted', { kms_key_arn: KEY }],
])('a queue that is %s accepts no events of another account', async (_, parameters) => {
  const through = templateOf(await deployable({ notifications: 'eventbridge', ...parameters }));
  const statements = Object.values(through.findResources('AWS::SQS::QueuePolicy')).flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );
  const ofEventBridge = statements.filter(({ Principal }) => Principal.Service === 'events.amazonaws.com');
  expect(ofEventBridge).toHaveLength(2);
  for (const { Condition } of ofEventBridge)
    expect(JSON.stringify(Condition)).toMatch(/"aws:SourceArn"|"aws:SourceAccount":\{"Ref":"AWS::AccountId"/);
});

test('an existing bucket is not a resource of the stack; an output says what to add to its notifications', () => {
  template.resourceCountIs('AWS::S3::Bucket', 0);
  expect(
    Object.keys(template.toJSON()['Resources']).filter((id) => id.includes('BucketNotifications')),
  ).toEqual([]);
  expect(JSON.stringify(template.toJSON()['Outputs'])).toContain('s3:ObjectCreated:*');
});

test('a key and a VPC apply to every resource that supports them', async () => {
  const vpc = {
    id: 'vpc-12345678',
    availability_zones: ['a'],
    subnet_ids: ['subnet-12345678'],
    security_group_ids: ['sg-12345678'],
  };
  const inVpc = templateOf(await deployable({ kms_key_arn: KEY, vpc }));
  inVpc.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: KEY });
  inVpc.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: KEY });
  inVpc.allResourcesProperties('AWS::Lambda::Function', {
    KmsKeyArn: KEY,
    VpcConfig: { SubnetIds: ['subnet-12345678'], SecurityGroupIds: ['sg-12345678'] },
  });
});

test('two stages share no name, so that both fit in one account and region', async () => {
  const namesOf = async (stage: string) => {
    const resources = templateOf(await deployable({ stage, notifications: 'eventbridge' })).toJSON();
    return [
      ...JSON.stringify(resources).matchAll(
        /"(?:QueueName|FunctionName|LogGroupName|AlarmName|RoleName|DashboardName|Name)":("[^"]*"|\{"Fn::Join":\["",\["[^"]*")/g,
      ),
    ].map(([, name = '']) => name);
  };
  const [a, b] = [await namesOf('a'), await namesOf('b')];
  expect(a.filter((name) => name.includes('iceberg-registrar-a-')).length).toBeGreaterThan(30);
  expect(a.filter((name) => name.includes('iceberg-registrar') && b.includes(name))).toEqual([]);
});

function arnOf(of: Template, queue: string): object {
  const [id] = Object.keys(
    of.findResources('AWS::SQS::Queue', { Properties: { QueueName: `iceberg-registrar-test-${queue}` } }),
  );
  return { 'Fn::GetAtt': [id, 'Arn'] };
}

/** A deployment of segments in so many buckets. */
function inBuckets(count: number, parameters: Readonly<Record<string, unknown>> = {}) {
  const entries = Array.from({ length: count }, (_, at) => ({
    url: `s3://lake-${at}/landing`,
    namespace: 'analytics',
    catalog_uri: 'https://catalog.example.com/iceberg',
  }));
  const deployment = readDeployment({ stage: 'test', config: 'registrar.yaml', ...parameters });
  return deployableOf(deployment, JSON.stringify(entries));
}

/** The statements of the policy of the arrivals queue. */
function policyStatements(of: Deployable) {
  const policies = Object.entries(templateOf(of).findResources('AWS::SQS::QueuePolicy'));
  return policies.flatMap(([id, { Properties }]) =>
    /Arrivals(?!Dlq)/.test(id) ? Properties.PolicyDocument.Statement : [],
  );
}
