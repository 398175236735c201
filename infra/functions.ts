import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Match, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Alias,
  Architecture,
  type Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunctionResource,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { EventBridgeDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { statements } from './access.ts';
import type { AccessContext, FunctionName } from './access-context.ts';
import { variableOf } from './config-variable.ts';
import type { Deployable, FunctionConfig } from './deployment.ts';
import type { Queues } from './queues.ts';
import { acknowledgeWildcards } from './rule-exceptions.ts';

/** Where the functions' bundles are: in `dist/`, or in a bucket that a parameter names. */
export interface CodeSource {
  readonly codeOf: (name: FunctionName) => Code;
  /** Whether a change of the code changes the template. Only then can each deployment publish a version to roll back to. */
  readonly versioned: boolean;
}

export interface Functions {
  readonly route: Alias;
  readonly register: Alias;
  readonly health: Alias;
  readonly reconcile: Alias;
}

interface FunctionSettings {
  readonly name: FunctionName;
  readonly timeout: Duration;
  readonly memoryMb: number;
  readonly reserved?: number;
}

interface Deploying {
  readonly scope: Construct;
  readonly deployable: Deployable;
  readonly queues: Queues;
  readonly code: CodeSource;
  readonly key: IKey | undefined;
}

/** The metrics' namespace, one per stage, so that no metric needs a dimension for it. */
export function metricsNamespace(stage: string): string {
  return `iceberg-registrar/${stage}`;
}

/** Adds each function behind an alias `live`, which a rollback moves. */
export function addFunctions(of: Deploying): Functions {
  const { deployable, queues, scope } = of;
  const {
    concurrency,
    route: routing,
    register: registering,
    health_minutes,
    reconcile_hours,
  } = deployable.deployment;
  const reserved = (count: number) => (concurrency.reserved ? { reserved: count } : {});

  const register = addFunction(of, {
    name: 'register',
    timeout: Duration.seconds(registering.timeout),
    memoryMb: 1024,
    ...reserved(concurrency.register),
  });
  register.addEventSource(
    new SqsEventSource(queues.registrations, {
      batchSize: 10,
      reportBatchItemFailures: true,
      maxConcurrency: concurrency.register,
    }),
  );

  const route = addFunction(of, {
    name: 'route',
    timeout: Duration.seconds(routing.timeout),
    memoryMb: 512,
    ...reserved(concurrency.route),
  });
  // A new register must be in place before a new route sends to it. route's version and alias are updated after its function.
  route.lambda.node.addDependency(register);
  queues.registrations.grant(route, 'sqs:SendMessage');
  route.addEventSource(
    new SqsEventSource(queues.arrivals, {
      // Lambda takes more than ten messages at once only where it waits for them.
      batchSize: routing.window === 0 ? 10 : 10_000,
      maxBatchingWindow: Duration.seconds(routing.window),
      reportBatchItemFailures: true,
      maxConcurrency: concurrency.route,
    }),
  );

  const health = addFunction(of, { name: 'health', timeout: Duration.minutes(5), memoryMb: 512 });
  const { arrivals, arrivalsDlq, registrations, registrationsDlq } = queues;
  for (const queue of [arrivals, arrivalsDlq, registrations, registrationsDlq])
    queue.grant(health, 'sqs:GetQueueAttributes');
  addSchedule(scope, 'HealthSchedule', health, Duration.minutes(health_minutes));

  const reconcile = addFunction(of, { name: 'reconcile', timeout: Duration.minutes(15), memoryMb: 2048 });
  queues.registrations.grant(reconcile, 'sqs:SendMessage');
  addSchedule(scope, 'ReconcileSchedule', reconcile, Duration.hours(reconcile_hours));
  continueReconcile(scope, reconcile);
  return { route, register, health, reconcile };
}

/** Adds a schedule. A run that fails is not retried: the next one examines everything anyway. */
function addSchedule(scope: Construct, id: string, target: Alias, every: Duration): void {
  new Rule(scope, id, {
    schedule: Schedule.rate(every),
    targets: [
      new LambdaFunction(target as IFunction, { retryAttempts: 0, event: RuleTargetInput.fromObject({}) }),
    ],
  });
}

/**
 * Lets a reconcile run continue when its time is up: it returns the request for its next run, and EventBridge sends that request
 * back to the function. Lambda would stop a function that invokes itself, directly or through a queue, after 16 rounds.
 */
function continueReconcile(scope: Construct, reconcile: Alias): void {
  reconcile.configureAsyncInvoke({ onSuccess: new EventBridgeDestination(), retryAttempts: 0 });
  new Rule(scope, 'ReconcileContinues', {
    eventPattern: {
      source: ['lambda'],
      detailType: ['Lambda Function Invocation Result - Success'],
      resources: Match.prefix(reconcile.lambda.functionArn),
      detail: { responsePayload: { next: { startAfter: Match.exists() } } },
    },
    targets: [
      new LambdaFunction(reconcile as IFunction, {
        retryAttempts: 0,
        event: RuleTargetInput.fromEventPath('$.detail.responsePayload.next'),
      }),
    ],
  });
}

function addFunction(of: Deploying, settings: FunctionSettings): Alias {
  const { scope, deployable, key } = of;
  const { stage } = deployable.deployment;
  const { name, timeout, memoryMb, reserved } = settings;
  const config = name === 'route' ? deployable.routeConfig : deployable.config;
  const functionName = `iceberg-registrar-${stage}-${name}`;
  const id = `${name[0]?.toUpperCase()}${name.slice(1)}`;

  const logGroup = new LogGroup(scope, `${id}Log`, {
    logGroupName: `/aws/lambda/${functionName}`,
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.RETAIN,
    ...(key !== undefined && { encryptionKey: key }),
  });
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  const network = networkOf(scope, id, deployable);
  const allowed = statements(name, accessContext(scope, deployable, config));
  for (const statement of allowed) role.addToPolicy(statement);
  acknowledgeWildcards(role, allowed, Stack.of(scope));

  const deployed = new LambdaFunctionResource(scope, id, {
    functionName,
    code: of.code.codeOf(name),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    role,
    logGroup,
    timeout,
    memorySize: memoryMb,
    environment: environmentOf(of, config),
    // A rollback points the alias at an earlier version. By default, CloudFormation would delete it with the next deployment.
    currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    ...(key !== undefined && { environmentEncryption: key }),
    ...network,
  });
  const version = of.code.versioned ? deployed.currentVersion : deployed.latestVersion;
  return new Alias(scope, `${id}Live`, { aliasName: 'live', version: version as IVersion });
}

function environmentOf(
  { deployable, queues }: Deploying,
  { configText }: FunctionConfig,
): Record<string, string> {
  return {
    REGISTRAR_CONFIG: variableOf(configText),
    REGISTRAR_QUEUES__ARRIVALS: queues.arrivals.queueUrl,
    REGISTRAR_QUEUES__REGISTRATIONS: queues.registrations.queueUrl,
    METRICS_NAMESPACE: metricsNamespace(deployable.deployment.stage),
    NODE_OPTIONS: '--enable-source-maps',
  };
}

function accessContext(
  scope: Construct,
  { deployment, entries }: Deployable,
  { secrets }: FunctionConfig,
): AccessContext {
  const { partition, region, account } = Stack.of(scope);
  return {
    partition,
    region,
    account,
    entries,
    secrets,
    tableLocations: deployment.table_locations,
    decryptKeyArns: deployment.decrypt_key_arns,
    inVpc: deployment.vpc !== undefined,
    ...(deployment.kms_key_arn !== undefined && { kmsKeyArn: deployment.kms_key_arn }),
  };
}

function networkOf(
  scope: Construct,
  id: string,
  { deployment: { vpc } }: Deployable,
): { readonly vpc: IVpc; readonly securityGroups: ISecurityGroup[] } | undefined {
  if (vpc === undefined) return undefined;
  return {
    vpc: Vpc.fromVpcAttributes(scope, `${id}Vpc`, {
      vpcId: vpc.id,
      availabilityZones: vpc.availability_zones,
      privateSubnetIds: vpc.subnet_ids,
    }),
    securityGroups: vpc.security_group_ids.map((group) =>
      SecurityGroup.fromSecurityGroupId(scope, `${id}${group}`, group),
    ),
  };
}
