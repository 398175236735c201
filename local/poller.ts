import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { lambdaContext } from './lambda-context.ts';

/** The result of a handler. A message counts as failed unless the result proves it done. */
export type BatchHandler = (event: SQSEvent, context: Context) => Promise<unknown>;

/** One invocation and the outcome of its messages. */
export interface Invocation {
  readonly records: readonly SQSRecord[];
  readonly failed: readonly SQSRecord[];
  /** The error that the handler threw. */
  readonly error?: unknown;
}

export interface PollerOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly handler: BatchHandler;
  /** @default 10, which is also the maximum for a FIFO queue */
  readonly batchSize?: number;
  /** Batching window of a standard queue. @default 0 */
  readonly windowSeconds?: number;
  /** Most concurrent invocations. A FIFO queue itself locks the groups of messages in flight. @default 2 */
  readonly concurrency?: number;
  /** @default 60 000 */
  readonly timeoutMs?: number;
  readonly functionName?: string;
  readonly onInvocation?: (invocation: Invocation) => void;
  /** Called when a queue cannot be reached. @default console.error */
  readonly onError?: (error: unknown) => void;
}

export interface Poller {
  /** Stops receiving, lets running invocations finish, and resolves after their messages are deleted. */
  stop(): Promise<void>;
}

/** Lambda's limit for the payload of one invocation. */
const maxBatchBytes = 6 * 1024 * 1024;

/**
 * Does what Lambda's event source mapping does, for a queue at any endpoint: collects a batch, calls the handler, and deletes
 * the messages that are not among its `batchItemFailures`. If the handler throws, or names a message that is not in the batch, the whole
 * batch has failed. Failed messages become visible again when their visibility timeout ends. A queue that cannot be reached is retried.
 */
export function startPoller(options: PollerOptions): Poller {
  const stopping = new AbortController();
  const workers = Array.from({ length: options.concurrency ?? 2 }, () => work(options, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(workers);
    },
  };
}

async function work(options: PollerOptions, signal: AbortSignal): Promise<void> {
  const { onError = console.error } = options;
  let arn = '';
  while (!signal.aborted) {
    try {
      if (arn === '') arn = await queueArn(options);
      await pollOnce(options, arn, signal);
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      await sleep(100, undefined, { signal }).catch(() => {});
    }
  }
}

async function pollOnce(options: PollerOptions, arn: string, signal: AbortSignal): Promise<void> {
  const messages = await collect(options, arn.endsWith('.fifo'), signal);
  if (messages.length === 0) return;
  const records = messages.map((message) => sqsRecord(message, arn));
  const invocation = await invoke(options, records);
  await deleteAll(
    options,
    records.filter((record) => !invocation.failed.includes(record)),
  );
  options.onInvocation?.(invocation);
}

async function queueArn({ client, queueUrl }: PollerOptions): Promise<string> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }),
  );
  return Attributes?.['QueueArn'] ?? '';
}

/** Collects a batch until it is full, 6 MB large, or its window has passed. From a FIFO queue it is a single receive. */
async function collect(
  options: PollerOptions,
  fifo: boolean,
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const batchSize = Math.min(options.batchSize ?? 10, fifo ? 10 : 10_000);
  const windowMs = fifo ? 0 : (options.windowSeconds ?? 0) * 1000;
  const messages = [...(await receive(options, Math.min(10, batchSize), 20, signal))];
  const closesMs = Date.now() + windowMs;
  let bytes = sizeOf(messages);
  while (messages.length > 0 && messages.length < batchSize && bytes < maxBatchBytes && !fifo) {
    const leftMs = closesMs - Date.now();
    if (leftMs <= 0 || signal.aborted) break;
    const wanted = Math.min(10, batchSize - messages.length);
    const received = await receive(options, wanted, Math.min(20, Math.ceil(leftMs / 1000)), signal);
    messages.push(...received);
    bytes += sizeOf(received);
  }
  return messages;
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { Body = '' }) => sum + Buffer.byteLength(Body), 0);
}

async function receive(
  { client, queueUrl }: PollerOptions,
  maxMessages: number,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: maxMessages,
    WaitTimeSeconds: waitSeconds,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  try {
    return (await client.send(command, { abortSignal: signal })).Messages ?? [];
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
}

async function invoke(options: PollerOptions, records: readonly SQSRecord[]): Promise<Invocation> {
  const context = lambdaContext({
    functionName: options.functionName ?? 'local',
    requestId: randomUUID(),
    deadlineMs: Date.now() + (options.timeoutMs ?? 60_000),
    now: Date.now,
  });
  try {
    const answer = await options.handler({ Records: [...records] }, context);
    return { records, failed: failedRecords(answer, records) };
  } catch (error) {
    return { records, failed: records, error };
  }
}

/** The failed records: those in `batchItemFailures`, or all if one of its entries is not in the batch. */
function failedRecords(answer: unknown, records: readonly SQSRecord[]): readonly SQSRecord[] {
  const failures = (answer as { batchItemFailures?: unknown } | null | undefined)?.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return records;
  const failed = failures.map((failure: { itemIdentifier?: unknown } | null) =>
    records.find((record) => record.messageId === failure?.itemIdentifier),
  );
  return failed.includes(undefined) ? records : failed.filter((record) => record !== undefined);
}

async function deleteAll({ client, queueUrl }: PollerOptions, records: readonly SQSRecord[]): Promise<void> {
  for (let start = 0; start < records.length; start += 10) {
    const entries = records.slice(start, start + 10).map((record, i) => ({
      Id: String(i),
      ReceiptHandle: record.receiptHandle,
    }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
  }
}

function sqsRecord(message: Message, arn: string): SQSRecord {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: { ...message.Attributes } as unknown as SQSRecord['attributes'],
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: arn.split(':')[3] ?? '',
  };
}
