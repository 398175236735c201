import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { prefixesOf } from './bucket-prefixes.ts';
import type { Deployable } from './deployment.ts';
import type { Queues } from './queues.ts';

/**
 * Lets the buckets notify the arrivals queue. The stack does not change the buckets, because CloudFormation would replace the
 * notifications that others have set. An output of the stack says what to add to them.
 */
export function addNotifications(
  scope: Construct,
  { deployment, entries }: Deployable,
  queues: Queues,
): void {
  const { stage, suffix, notifications } = deployment;
  const prefixes = Map.groupBy(prefixesOf(entries), ({ bucket }) => bucket);
  if (notifications === 'bucket') allowBuckets(scope, queues, [...prefixes.keys()]);
  for (const [bucket, ofBucket] of prefixes) {
    if (notifications === 'eventbridge') {
      new Rule(scope, `ArrivalsOf-${bucket}`, {
        description: `Segments in ${bucket} to the arrivals queue of stage ${stage}`,
        eventPattern: {
          source: ['aws.s3'],
          detailType: ['Object Created'],
          detail: {
            bucket: { name: [bucket] },
            object: {
              key: ofBucket.map(({ prefix }) => ({ wildcard: `${escaped(prefix)}*${escaped(suffix)}` })),
            },
          },
        },
        targets: [new SqsQueue(queues.arrivals, { deadLetterQueue: queues.arrivalsDlq })],
      });
    }
    new CfnOutput(scope, `NotificationsOf-${bucket}`, {
      description: `Add to the notifications of ${bucket}, keeping what is there`,
      value: Stack.of(scope).toJsonString(
        notifications === 'eventbridge'
          ? { EventBridgeConfiguration: {} }
          : {
              QueueConfigurations: ofBucket.map(({ prefix }, at) => ({
                Id: `iceberg-registrar-${stage}${at === 0 ? '' : `-${at + 1}`}`,
                QueueArn: queues.arrivals.queueArn,
                Events: ['s3:ObjectCreated:*'],
                Filter: {
                  Key: {
                    FilterRules: [
                      { Name: 'prefix', Value: prefix },
                      { Name: 'suffix', Value: suffix },
                    ],
                  },
                },
              })),
            },
      ),
    });
  }
}

/** One statement for all buckets: the policy of a queue can have no more than twenty. */
function allowBuckets(scope: Construct, { arrivals }: Queues, buckets: readonly string[]): void {
  const { partition, account } = Stack.of(scope);
  arrivals.grantSendMessages(
    new ServicePrincipal('s3.amazonaws.com', {
      conditions: {
        ArnLike: { 'aws:SourceArn': buckets.map((bucket) => `arn:${partition}:s3:::${bucket}`) },
        StringEquals: { 'aws:SourceAccount': account },
      },
    }),
  );
}

/** Escapes text for a wildcard pattern of EventBridge. */
function escaped(text: string): string {
  return text.replaceAll(/[\\*]/g, String.raw`\$&`);
}
