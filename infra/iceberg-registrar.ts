import { CfnOutput } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { EVENTS_TARGET_QUEUE_SAME_ACCOUNT } from 'aws-cdk-lib/cx-api';
import { Construct } from 'constructs';
import { RegistrarError } from '../lib/errors.ts';
import { addAlarms } from './alarms.ts';
import { addDashboard } from './dashboard.ts';
import type { Deployable } from './deployment.ts';
import { deploymentProblems } from './deployment-problems.ts';
import { addFunctions, type CodeSource, type Functions } from './functions.ts';
import { addNotifications } from './notifications.ts';
import { addQueues, type Queues } from './queues.ts';

/** Queues, functions, notifications, alarms and dashboard of one deployment, for use in any stack. */
export class IcebergRegistrar extends Construct {
  readonly queues: Queues;
  readonly functions: Functions;

  /** @throws `config.invalid` listing every problem of the deployment, each with the way out */
  constructor(
    scope: Construct,
    id: string,
    { deployable, code }: { readonly deployable: Deployable; readonly code: CodeSource },
  ) {
    super(scope, id);
    // Without this flag, CDK lets EventBridge rules of every account send to an encrypted queue.
    this.node.setContext(EVENTS_TARGET_QUEUE_SAME_ACCOUNT, true);
    refuse(deploymentProblems([deployable]));
    const { deployment } = deployable;
    const key =
      deployment.kms_key_arn === undefined ? undefined : Key.fromKeyArn(this, 'Key', deployment.kms_key_arn);

    this.queues = addQueues(this, deployment, key);
    this.functions = addFunctions({ scope: this, deployable, queues: this.queues, code, key });
    addNotifications(this, deployable, this.queues);
    const alarms = addAlarms(this, deployment, this.queues, this.functions);
    addDashboard(this, deployment, this.queues, this.functions, alarms);
    new CfnOutput(this, 'ArrivalsUrl', { value: this.queues.arrivals.queueUrl });
    new CfnOutput(this, 'RegistrationsUrl', { value: this.queues.registrations.queueUrl });
  }
}

/** @throws `config.invalid` listing the problems, if there are any */
export function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new RegistrarError(
    'config.invalid',
    ['Cannot deploy:', ...problems.map((problem) => `- ${problem}`)].join('\n'),
  );
}
