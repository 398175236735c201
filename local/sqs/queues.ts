import { createQueue, type Message, type Queue, type QueueSettings } from './queue.ts';
import { SqsError } from './sqs-error.ts';

/** All queues of one account and region. Throws `SqsError`. */
export interface Queues {
  /** Returns the existing queue if it has the same attributes. Attributes are those of SQS. */
  create(name: string, attributes: Readonly<Record<string, string>>): Queue;
  byUrl(url: string): Queue;
  byName(name: string): Queue;
  byArn(arn: string): Queue | undefined;
  all(): readonly Queue[];
  remove(queue: Queue): void;
  setAttributes(queue: Queue, attributes: Readonly<Record<string, string>>): void;
  /** Moves visible messages of a dead-letter queue to `destinationArn`, or back to their sources. Returns their number. */
  move(sourceArn: string, destinationArn: string | undefined): number;
}

export function createQueues(options: {
  readonly region: string;
  readonly now: () => number;
  readonly uuid: () => string;
  /** `http://127.0.0.1:49152` */
  readonly endpoint: () => string;
}): Queues {
  const queues = new Map<string, Queue>();
  const attributesOf = new Map<Queue, Readonly<Record<string, string>>>();
  const missing = () => new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
  const byName = (name: string): Queue => {
    const queue = queues.get(name);
    if (!queue) throw missing();
    return queue;
  };
  const byArn = (arn: string) => queues.get(arn.split(':')[5] ?? '');
  const deadLetter = (message: Message, targetArn: string) => byArn(targetArn)?.adopt(message);

  return {
    create(name, attributes) {
      const settings = readSettings(name, attributes, byArn);
      const existing = queues.get(name);
      if (existing) {
        if (JSON.stringify(existing.settings) === JSON.stringify(settings)) return existing;
        throw new SqsError(
          'QueueNameExists',
          `A queue already exists with the same name and other attributes: "${name}"`,
        );
      }
      const identity = {
        name,
        arn: `arn:aws:sqs:${options.region}:000000000000:${name}`,
        // Like LocalStack's, so that clients can derive the ARN from it.
        url: `${options.endpoint()}/queue/${options.region}/000000000000/${name}`,
      };
      const queue = createQueue(identity, settings, { ...options, deadLetter });
      queues.set(name, queue);
      attributesOf.set(queue, attributes);
      return queue;
    },
    byUrl: (url) => byName(url.slice(url.lastIndexOf('/') + 1)),
    byName,
    byArn,
    all: () => [...queues.values()],
    remove: (queue) => queues.delete(queue.name),
    setAttributes(queue, attributes) {
      const merged = { ...attributesOf.get(queue), ...attributes };
      queue.settings = readSettings(queue.name, merged, byArn);
      attributesOf.set(queue, merged);
    },
    move(sourceArn, destinationArn) {
      const source = byArn(sourceArn);
      if (!source) throw new SqsError('ResourceNotFoundException', `The queue "${sourceArn}" does not exist`);
      const destinations = source.drain().map((message) => {
        const destination = byArn(destinationArn ?? message.sourceArn ?? '');
        // In SQS a redriven message is a new one, with a new ID, a new time and a receive count of zero.
        const fresh = { ...message, id: options.uuid(), receiveCount: 0, firstReceivedMs: undefined };
        (destination ?? source).adopt({ ...fresh, sourceArn: destination ? undefined : message.sourceArn });
        return destination;
      });
      return destinations.filter((destination) => destination !== undefined).length;
    },
  };
}

function readSettings(
  name: string,
  attributes: Readonly<Record<string, string>>,
  byArn: (arn: string) => Queue | undefined,
): QueueSettings {
  const fifo = name.endsWith('.fifo');
  if (!/^[\w-]{1,80}(?<=^.{1,75})\.fifo$|^[\w-]{1,80}$/.test(name)) {
    throw new SqsError(
      'InvalidParameterValue',
      `A queue's name is 1 to 80 of letters, digits, "-" and "_", not "${name}"`,
    );
  }
  if (fifo !== (attributes['FifoQueue'] === 'true')) {
    throw new SqsError(
      'InvalidParameterValue',
      'The name of a FIFO queue ends in ".fifo", and FifoQueue is "true"',
    );
  }
  return {
    fifo,
    contentBasedDeduplication: attributes['ContentBasedDeduplication'] === 'true',
    visibilitySeconds: Number(attributes['VisibilityTimeout'] ?? 30),
    delaySeconds: Number(attributes['DelaySeconds'] ?? 0),
    waitSeconds: Number(attributes['ReceiveMessageWaitTimeSeconds'] ?? 0),
    redrive: readRedrive(attributes['RedrivePolicy'], fifo, byArn),
  };
}

function readRedrive(
  policy: string | undefined,
  fifo: boolean,
  byArn: (arn: string) => Queue | undefined,
): QueueSettings['redrive'] {
  if (policy === undefined || policy === '') return undefined;
  const parsed = JSON.parse(policy) as { deadLetterTargetArn: string; maxReceiveCount: number | string };
  const target = byArn(parsed.deadLetterTargetArn);
  if (!target || target.settings.fifo !== fifo) {
    const kind = fifo ? 'FIFO' : 'standard';
    throw new SqsError(
      'InvalidParameterValue',
      `The dead-letter queue "${parsed.deadLetterTargetArn}" of a ${kind} queue must exist and be a ${kind} queue`,
    );
  }
  return { deadLetterTargetArn: target.arn, maxReceiveCount: Number(parsed.maxReceiveCount) };
}
