import { createHash } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '../http-service.ts';
import type { Message, Queue } from './queue.ts';
import type { Queues } from './queues.ts';
import { SqsError } from './sqs-error.ts';

type Input = Readonly<Record<string, unknown>>;
type Action = (queues: Queues, input: Input, context: Context) => unknown;

interface Context {
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** SQS's limit for a message, and for all messages of a batch: 1 MiB. */
const maxBytes = 1024 * 1024;

/** SQS's JSON protocol (`X-Amz-Target: AmazonSQS.…`). Signatures are not verified. */
export async function handleSqs(
  queues: Queues,
  request: HttpRequest,
  now: () => number,
): Promise<HttpResponse> {
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  const name = request.headers['x-amz-target']?.replace(/^AmazonSQS\./, '') ?? '';
  try {
    const action = actions[name];
    if (!action) throw new SqsError('InvalidAction', `The local SQS does not implement "${name}"`);
    const input = JSON.parse(request.body.toString() || '{}') as Input;
    const output = await action(queues, input, { now, signal: request.signal });
    return { status: 200, headers, body: JSON.stringify(output ?? {}) };
  } catch (error) {
    if (!(error instanceof SqsError)) throw error;
    const body = JSON.stringify({ __type: `com.amazonaws.sqs#${error.code}`, message: error.message });
    return { status: 400, headers: { ...headers, 'x-amzn-query-error': `${error.code};Sender` }, body };
  }
}

const actions: Readonly<Record<string, Action>> = {
  CreateQueue: (queues, input) => ({
    QueueUrl: queues.create(text(input, 'QueueName'), (input['Attributes'] ?? {}) as Record<string, string>)
      .url,
  }),
  GetQueueUrl: (queues, input) => ({ QueueUrl: queues.byName(text(input, 'QueueName')).url }),
  ListQueues: (queues, input) => {
    const prefix = String(input['QueueNamePrefix'] ?? '');
    return {
      QueueUrls: queues
        .all()
        .filter(({ name }) => name.startsWith(prefix))
        .map(({ url }) => url),
    };
  },
  DeleteQueue: (queues, input) => {
    queues.remove(queueOf(queues, input));
  },
  PurgeQueue: (queues, input) => queueOf(queues, input).purge(),
  GetQueueAttributes: (queues, input) => {
    const wanted = (input['AttributeNames'] ?? []) as string[];
    return { Attributes: pick(queueAttributes(queueOf(queues, input)), wanted) };
  },
  SetQueueAttributes: (queues, input) =>
    queues.setAttributes(queueOf(queues, input), input['Attributes'] as Record<string, string>),
  SendMessage: (queues, input) => send(queueOf(queues, input), input),
  SendMessageBatch: (queues, input) => {
    const entries = entriesOf(input);
    const sizeBytes = entries.reduce((sum, entry) => sum + Buffer.byteLength(text(entry, 'MessageBody')), 0);
    if (sizeBytes > maxBytes) {
      throw new SqsError(
        'BatchRequestTooLong',
        `Batch requests cannot be longer than ${maxBytes} bytes, not ${sizeBytes}`,
      );
    }
    const queue = queueOf(queues, input);
    return batch(entries, (entry) => send(queue, entry));
  },
  ReceiveMessage: receive,
  DeleteMessage: (queues, input) => queueOf(queues, input).delete(text(input, 'ReceiptHandle')),
  DeleteMessageBatch: (queues, input) => {
    const queue = queueOf(queues, input);
    return batch(entriesOf(input), (entry) => {
      queue.delete(text(entry, 'ReceiptHandle'));
      return {};
    });
  },
  ChangeMessageVisibility: (queues, input) => setVisibility(queueOf(queues, input), input),
  ChangeMessageVisibilityBatch: (queues, input) => {
    const queue = queueOf(queues, input);
    return batch(entriesOf(input), (entry) => setVisibility(queue, entry));
  },
  StartMessageMoveTask: (queues, input) => {
    const moved = queues.move(text(input, 'SourceArn'), input['DestinationArn'] as string | undefined);
    return { TaskHandle: Buffer.from(JSON.stringify({ moved })).toString('base64') };
  },
};

async function receive(queues: Queues, input: Input, { now, signal }: Context): Promise<unknown> {
  const queue = queueOf(queues, input);
  const max = Number(input['MaxNumberOfMessages'] ?? 1);
  if (!Number.isInteger(max) || max < 1 || max > 10) {
    throw new SqsError('InvalidParameterValue', `MaxNumberOfMessages must be 1 to 10, not ${max}`);
  }
  const deadlineMs = now() + Number(input['WaitTimeSeconds'] ?? queue.settings.waitSeconds) * 1000;
  const visibilitySeconds = input['VisibilityTimeout'] as number | undefined;
  for (;;) {
    const received = signal.aborted ? [] : queue.receive(max, visibilitySeconds);
    if (received.length > 0) return { Messages: received.map((message) => receivedMessage(message, input)) };
    if (signal.aborted || deadlineMs <= now()) return {};
    const nextMs = Math.min(deadlineMs, queue.nextVisibleMs() ?? deadlineMs) - now();
    await queue.changed(AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, nextMs))]));
  }
}

function send(queue: Queue, input: Input): object {
  const body = text(input, 'MessageBody');
  if (body === '')
    throw new SqsError('MissingParameter', 'The request must contain the parameter MessageBody');
  if (Buffer.byteLength(body) > maxBytes) {
    throw new SqsError(
      'InvalidParameterValue',
      `A message must be shorter than ${maxBytes} bytes, not ${Buffer.byteLength(body)}`,
    );
  }
  const message = queue.send({
    body,
    groupId: input['MessageGroupId'] as string | undefined,
    deduplicationId: input['MessageDeduplicationId'] as string | undefined,
    delaySeconds: input['DelaySeconds'] as number | undefined,
    attributes: input['MessageAttributes'],
  });
  return {
    MessageId: message.id,
    MD5OfMessageBody: md5(body),
    ...(queue.settings.fifo && { SequenceNumber: message.sequenceNumber }),
  };
}

function setVisibility(queue: Queue, input: Input): object {
  queue.setVisibility(text(input, 'ReceiptHandle'), Number(input['VisibilityTimeout']));
  return {};
}

/** Runs `one` for each entry. A refused entry fails alone; an entry without a required parameter fails the request. */
function batch(entries: readonly Input[], one: (entry: Input) => object): object {
  const successful: object[] = [];
  const failed: object[] = [];
  for (const entry of entries) {
    const id = text(entry, 'Id');
    try {
      successful.push({ Id: id, ...one(entry) });
    } catch (error) {
      if (!(error instanceof SqsError) || error.code === 'MissingParameter') throw error;
      failed.push({ Id: id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  return { Successful: successful, Failed: failed };
}

function entriesOf(input: Input): readonly Input[] {
  const entries = (input['Entries'] ?? []) as readonly Input[];
  if (entries.length === 0)
    throw new SqsError('EmptyBatchRequest', 'There should be at least one entry in the request');
  if (entries.length > 10) {
    throw new SqsError(
      'TooManyEntriesInBatchRequest',
      `A batch takes 10 entries at most, not ${entries.length}`,
    );
  }
  if (new Set(entries.map((entry) => entry['Id'])).size < entries.length) {
    throw new SqsError('BatchEntryIdsNotDistinct', 'Two or more entries of the batch have the same Id');
  }
  return entries;
}

function receivedMessage(message: Message, input: Input): object {
  const wanted = [input['MessageSystemAttributeNames'], input['AttributeNames']].flat() as string[];
  return {
    MessageId: message.id,
    ReceiptHandle: message.receiptHandle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    Attributes: pick(
      {
        SenderId: 'AIDALOCAL',
        SentTimestamp: String(message.sentMs),
        ApproximateReceiveCount: String(message.receiveCount),
        ApproximateFirstReceiveTimestamp: String(message.firstReceivedMs),
        MessageGroupId: message.groupId,
        MessageDeduplicationId: message.deduplicationId,
        SequenceNumber: message.deduplicationId && message.sequenceNumber,
        DeadLetterQueueSourceArn: message.sourceArn,
      },
      wanted,
    ),
    ...(input['MessageAttributeNames'] !== undefined && { MessageAttributes: message.attributes }),
  };
}

function queueAttributes({ arn, settings, counts }: Queue): Record<string, string | undefined> {
  const { visible, inFlight, delayed } = counts();
  return {
    QueueArn: arn,
    FifoQueue: settings.fifo ? 'true' : undefined,
    ContentBasedDeduplication: settings.fifo ? String(settings.contentBasedDeduplication) : undefined,
    VisibilityTimeout: String(settings.visibilitySeconds),
    DelaySeconds: String(settings.delaySeconds),
    ReceiveMessageWaitTimeSeconds: String(settings.waitSeconds),
    RedrivePolicy: settings.redrive && JSON.stringify(settings.redrive),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  };
}

/** The available attributes that were requested; `All` requests all of them. */
function pick(
  attributes: Record<string, string | undefined>,
  wanted: readonly string[],
): Record<string, string> {
  const present = Object.entries(attributes).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(present.filter(([name]) => wanted.includes('All') || wanted.includes(name)));
}

function queueOf(queues: Queues, input: Input): Queue {
  return queues.byUrl(text(input, 'QueueUrl'));
}

function text(input: Input, name: string): string {
  const value = input[name];
  if (typeof value === 'string') return value;
  throw new SqsError('MissingParameter', `The request must contain the parameter ${name}`);
}

const md5 = (body: string): string => createHash('md5').update(body).digest('hex');
