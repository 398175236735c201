import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { handleSqs } from '../../local/sqs/sqs-service.ts';
import { type Stack, type StackQueue, startStack } from '../../local/stack.ts';

let stack: Stack;
let sqs: SQSClient;
let nowMs = 1_700_000_000_000;
const pass = (seconds: number) => {
  nowMs += seconds * 1000;
};

beforeAll(async () => {
  stack = await startStack({ now: () => nowMs });
  const { sqsEndpoint: endpoint, region, credentials } = stack;
  sqs = new SQSClient({ endpoint, region, credentials, maxAttempts: 1 });
});

afterAll(() => stack.close());

let count = 0;
let queue: StackQueue;
let deadLetterUrl: string;

function createQueue(fifo: boolean): void {
  count += 1;
  queue = stack.createQueue(`queue-${count}`, {
    fifo,
    visibilitySeconds: 60,
    deadLetter: { maxReceiveCount: 3 },
  });
  deadLetterUrl = queue.deadLetterUrl ?? '';
}

async function send(MessageBody: string, MessageGroupId?: string, MessageDeduplicationId = MessageBody) {
  const fifo = MessageGroupId !== undefined && { MessageGroupId, MessageDeduplicationId };
  return await sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody, ...fifo }));
}

async function receive(options: { max?: number; url?: string; wait?: number } = {}): Promise<Message[]> {
  const { max = 10, url = queue.url, wait = 0 } = options;
  const command = new ReceiveMessageCommand({
    QueueUrl: url,
    MaxNumberOfMessages: max,
    WaitTimeSeconds: wait,
    MessageSystemAttributeNames: ['All'],
  });
  return (await sqs.send(command)).Messages ?? [];
}

const remove = ({ ReceiptHandle }: Message) =>
  sqs.send(new DeleteMessageCommand({ QueueUrl: queue.url, ReceiptHandle }));
const setVisibility = ({ ReceiptHandle }: Message, VisibilityTimeout: number) =>
  sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: queue.url, ReceiptHandle, VisibilityTimeout }));
const bodies = (messages: readonly Message[]) => messages.map(({ Body }) => Body);

describe('a FIFO queue', () => {
  beforeEach(() => createQueue(true));

  test('gives ten of a group, then the other group, then nothing, while the first are in flight', async () => {
    for (let i = 0; i < 12; i++) await send(`A${i}`, 'A');
    for (let i = 0; i < 3; i++) await send(`B${i}`, 'B');
    expect(bodies(await receive())).toEqual(['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9']);
    expect(bodies(await receive())).toEqual(['B0', 'B1', 'B2']);
    expect(bodies(await receive())).toEqual([]);
  });

  test('fills a receive group by group, each in order', async () => {
    for (const body of ['A0', 'B0', 'A1', 'C0', 'B1']) await send(body, body.slice(0, 1));
    expect(bodies(await receive({ max: 4 }))).toEqual(['A0', 'A1', 'B0', 'B1']);
    expect(bodies(await receive())).toEqual(['C0']);
  });

  test('keeps a group locked until the last of its messages in flight is gone', async () => {
    for (const body of ['A0', 'A1', 'A2']) await send(body, 'A');
    const [first, second] = await receive({ max: 2 });
    if (!first || !second) throw new Error('Two messages were sent');
    await remove(first);
    expect(await receive()).toEqual([]);
    await setVisibility(second, 0);
    const again = await receive();
    expect(bodies(again)).toEqual(['A1', 'A2']);
    expect(again[0]?.Attributes?.ApproximateReceiveCount).toBe('2');
  });

  test('keeps a group locked by a later message in flight when an earlier one is visible again', async () => {
    for (const body of ['A0', 'A1']) await send(body, 'A');
    const [first, second] = await receive();
    await setVisibility(first ?? {}, 0);
    expect(await receive()).toEqual([]);
    await setVisibility(second ?? {}, 0);
    expect(bodies(await receive())).toEqual(['A0', 'A1']);
  });

  test('gives messages again, oldest first, when their visibility ends', async () => {
    for (const body of ['A0', 'A1', 'A2']) await send(body, 'A');
    await receive({ max: 2 });
    pass(59);
    expect(await receive()).toEqual([]);
    pass(1);
    expect(bodies(await receive())).toEqual(['A0', 'A1', 'A2']);
  });

  test('swallows a deduplication ID for five minutes, deleted message or not', async () => {
    const first = await send('one', 'A', 'same');
    const [message] = await receive();
    if (message) await remove(message);
    const again = await send('two', 'B', 'same');
    expect(again.MessageId).toBe(first.MessageId);
    expect(await receive()).toEqual([]);
    pass(300);
    await send('three', 'A', 'same');
    expect(bodies(await receive())).toEqual(['three']);
  });

  test('tells group, deduplication ID and ascending sequence numbers', async () => {
    await send('A0', 'A');
    await send('A1', 'A', 'id');
    const [first, second] = (await receive()).map(({ Attributes }) => Attributes);
    expect(second).toMatchObject({
      MessageGroupId: 'A',
      MessageDeduplicationId: 'id',
      ApproximateReceiveCount: '1',
    });
    expect(BigInt(second?.SequenceNumber ?? 0)).toBeGreaterThan(BigInt(first?.SequenceNumber ?? 0));
  });

  test('refuses a message without group, without deduplication ID, or with an ID of other characters', async () => {
    const sent = (input: object) =>
      sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'x', ...input }));
    await expect(sent({ MessageDeduplicationId: 'd' })).rejects.toMatchObject({ name: 'MissingParameter' });
    const invalid = { name: 'InvalidParameterValue' };
    await expect(sent({ MessageGroupId: 'g' })).rejects.toMatchObject(invalid);
    for (const MessageGroupId of ['a b', 'ü', 'x'.repeat(129)]) {
      await expect(sent({ MessageGroupId, MessageDeduplicationId: 'd' })).rejects.toMatchObject(invalid);
    }
  });

  test('moves a message to its dead-letter queue after maxReceiveCount, and the group goes on', async () => {
    for (const body of ['A0', 'A1']) await send(body, 'A');
    for (let i = 0; i < 3; i++) {
      const [first] = await receive({ max: 1 });
      expect(first?.Body).toBe('A0');
      if (first) await setVisibility(first, 0);
    }
    expect(bodies(await receive())).toEqual(['A1']);
    const [dead] = await receive({ url: deadLetterUrl });
    expect(dead).toMatchObject({
      Body: 'A0',
      Attributes: { MessageGroupId: 'A', DeadLetterQueueSourceArn: queue.arn },
    });
  });

  test('gets back what a move task takes from its dead-letter queue', async () => {
    await send('A0', 'A');
    for (let i = 0; i < 4; i++) {
      const [message] = await receive();
      if (message) await setVisibility(message, 0);
    }
    const SourceArn = stack.queues.byUrl(deadLetterUrl).arn;
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
    const [again] = await receive();
    expect(again).toMatchObject({
      Body: 'A0',
      Attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'A' },
    });
    expect(await receive({ url: deadLetterUrl })).toEqual([]);
  });

  test('refuses a standard dead-letter queue', async () => {
    createQueue(false);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: queue.arn, maxReceiveCount: 1 });
    const create = new CreateQueueCommand({
      QueueName: 'wrong.fifo',
      Attributes: { FifoQueue: 'true', RedrivePolicy },
    });
    await expect(sqs.send(create)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  test('refuses to delete by a receipt handle whose visibility has ended', async () => {
    await send('A0', 'A');
    const [message] = await receive();
    pass(60);
    await expect(remove(message ?? {})).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

describe('a standard queue', () => {
  beforeEach(() => createQueue(false));

  test('deletes by the newest receipt handle only', async () => {
    await send('x');
    const [first] = await receive();
    pass(60);
    const [second] = await receive();
    if (first) await remove(first);
    pass(60);
    const [third] = await receive();
    expect(third?.MessageId).toBe(second?.MessageId);
    if (third) await remove(third);
    pass(60);
    expect(await receive()).toEqual([]);
  });

  test('moves a message to its dead-letter queue after maxReceiveCount', async () => {
    await send('x');
    for (let i = 0; i < 3; i++) {
      expect(bodies(await receive())).toEqual(['x']);
      pass(60);
    }
    expect(await receive()).toEqual([]);
    expect(bodies(await receive({ url: deadLetterUrl }))).toEqual(['x']);
  });

  test('wakes a waiting receive when a message comes', async () => {
    const waiting = receive({ wait: 20 });
    await send('late');
    expect(bodies(await waiting)).toEqual(['late']);
  });

  test('gives nothing to a receive whose client has gone', async () => {
    const gone = new AbortController();
    const waiting = handleSqs(
      stack.queues,
      {
        method: 'POST',
        path: '/',
        query: new URLSearchParams(),
        headers: { 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
        body: Buffer.from(JSON.stringify({ QueueUrl: queue.url, WaitTimeSeconds: 20 })),
        signal: gone.signal,
      },
      () => nowMs,
    );
    gone.abort();
    stack.queues.byUrl(queue.url).send({ body: 'x' });
    expect(await waiting).toMatchObject({ status: 200, body: '{}' });
    expect(bodies(await receive())).toEqual(['x']);
  });

  test('refuses a deduplication ID, a receive of eleven, and visibility for what is not in flight', async () => {
    const invalid = { name: 'InvalidParameterValue' };
    const MessageDeduplicationId = 'd';
    const send1 = new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'x', MessageDeduplicationId });
    await expect(sqs.send(send1)).rejects.toMatchObject(invalid);
    await expect(receive({ max: 11 })).rejects.toMatchObject(invalid);
    await send('x');
    const [message] = await receive();
    pass(60);
    await expect(setVisibility(message ?? {}, 10)).rejects.toMatchObject({ name: 'MessageNotInflight' });
  });
});

describe('batches', () => {
  beforeEach(() => createQueue(true));

  test('fail entry by entry', async () => {
    const sent = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queue.url,
        Entries: [
          { Id: 'good', MessageBody: 'x', MessageGroupId: 'g', MessageDeduplicationId: 'd' },
          { Id: 'bad', MessageBody: 'y', MessageGroupId: 'a b', MessageDeduplicationId: 'e' },
        ],
      }),
    );
    expect(sent.Successful?.map(({ Id }) => Id)).toEqual(['good']);
    expect(sent.Failed).toMatchObject([{ Id: 'bad', Code: 'InvalidParameterValue', SenderFault: true }]);
    const [message] = await receive();
    const Entries = [
      { Id: '0', ReceiptHandle: message?.ReceiptHandle },
      { Id: '1', ReceiptHandle: 'nonsense' },
    ];
    const deleted = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }));
    expect(deleted.Successful?.map(({ Id }) => Id)).toEqual(['0']);
    expect(deleted.Failed).toMatchObject([{ Id: '1', Code: 'ReceiptHandleIsInvalid' }]);
  });

  test.each([
    ['EmptyBatchRequest', 0, 1],
    ['TooManyEntriesInBatchRequest', 11, 1],
    ['BatchRequestTooLong', 2, 600 * 1024],
  ])('are refused whole with %s', async (name, entries, bytes) => {
    const Entries = Array.from({ length: entries }, (_, i) => ({
      Id: String(i),
      MessageBody: 'x'.repeat(bytes),
      MessageGroupId: 'g',
      MessageDeduplicationId: String(i),
    }));
    const command = new SendMessageBatchCommand({ QueueUrl: queue.url, Entries });
    await expect(sqs.send(command)).rejects.toMatchObject({ name: expect.stringContaining(name) });
  });
});

describe('queues', () => {
  test('are found by name and counted', async () => {
    createQueue(false);
    await send('a');
    await send('b');
    await receive({ max: 1 });
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: `queue-${count}` }));
    expect(QueueUrl).toBe(queue.url);
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    expect(Attributes).toMatchObject({
      QueueArn: queue.arn,
      VisibilityTimeout: '60',
      ApproximateNumberOfMessages: '1',
      ApproximateNumberOfMessagesNotVisible: '1',
    });
  });

  test('that do not exist are refused by name', async () => {
    const absent = new GetQueueUrlCommand({ QueueName: 'absent' });
    await expect(sqs.send(absent)).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });
});
