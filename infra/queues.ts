import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
  RedrivePermission,
} from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Deployment } from './deployment.ts';

export interface Queues {
  /** Standard: object stores cannot notify a FIFO queue. */
  readonly arrivals: Queue;
  readonly arrivalsDlq: Queue;
  /** FIFO, with one group per table; shippers may send here themselves. */
  readonly registrations: Queue;
  readonly registrationsDlq: Queue;
}

const RETENTION = Duration.days(14);
const MAX_RECEIVES = { arrivals: 20, registrations: 100 };

/** Adds the two queues and their dead-letter queues. The dead-letter queue of a FIFO queue must be FIFO too. */
export function addQueues(scope: Construct, deployment: Deployment, key: IKey | undefined): Queues {
  const { stage, route, register } = deployment;
  const common: QueueProps = {
    retentionPeriod: RETENTION,
    enforceSSL: true,
    // Deleting a queue would lose the messages in it.
    removalPolicy: RemovalPolicy.RETAIN,
    ...(key === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: key }),
  };
  // High throughput: limits and deduplication apply to each message group, not to the whole queue.
  const fifo: QueueProps = {
    ...common,
    fifo: true,
    contentBasedDeduplication: true,
    deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
    fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
  };
  const name = (queue: string) => `iceberg-registrar-${stage}-${queue}`;

  // The source is named by its ARN, because a reference in both directions would be circular.
  const onlyFrom = (id: string, queue: string): QueueProps => ({
    redriveAllowPolicy: {
      redrivePermission: RedrivePermission.BY_QUEUE,
      sourceQueues: [
        Queue.fromQueueArn(scope, id, Stack.of(scope).formatArn({ service: 'sqs', resource: name(queue) })),
      ],
    },
  });

  const arrivalsDlq = new Queue(scope, 'ArrivalsDlq', {
    ...common,
    ...onlyFrom('ArrivalsDlqSource', 'arrivals'),
    queueName: name('arrivals-dlq'),
  });
  const registrationsDlq = new Queue(scope, 'RegistrationsDlq', {
    ...fifo,
    ...onlyFrom('RegistrationsDlqSource', 'registrations.fifo'),
    queueName: name('registrations-dlq.fifo'),
  });
  const arrivals = new Queue(scope, 'Arrivals', {
    ...common,
    queueName: name('arrivals'),
    visibilityTimeout: Duration.seconds(route.visibility),
    deadLetterQueue: { queue: arrivalsDlq, maxReceiveCount: MAX_RECEIVES.arrivals },
  });
  const registrations = new Queue(scope, 'Registrations', {
    ...fifo,
    queueName: name('registrations.fifo'),
    visibilityTimeout: Duration.seconds(register.visibility),
    deadLetterQueue: { queue: registrationsDlq, maxReceiveCount: MAX_RECEIVES.registrations },
  });
  return { arrivals, arrivalsDlq, registrations, registrationsDlq };
}
