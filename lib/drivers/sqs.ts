import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { counted } from '../counted.ts';
import { RegistrarError } from '../errors.ts';
import type { Queue, ReceivedMessage, RefusedMessage } from '../ports.ts';
import { awsError, awsFault } from './aws-client.ts';
import type { AwsSettings } from './aws-client-config.ts';
import { messageBatches } from './message-batches.ts';
import { sqsClient } from './sqs-client.ts';

/** SQS accepts 10 messages per call. */
const batchMessages = 10;
/** SQS on AWS accepts 1 MiB per call; LocalStack 4 still has the earlier limit of 256 KiB. */
const MOST_IN_BATCH = { messages: batchMessages, bytes: 256 * 1024 };

/** A queue on Amazon SQS. */
export function sqsQueue(settings: AwsSettings = {}): Queue {
  const clients = new Map<string, SQSClient>();
  const clientOf = (queueUrl: string): SQSClient => {
    const host = URL.parse(queueUrl)?.origin ?? queueUrl;
    const known = clients.get(host);
    if (known !== undefined) return known;
    const client = sqsClient(queueUrl, settings);
    clients.set(host, client);
    return client;
  };

  async function attempt<Answer>(attempted: string, answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      throw awsError('queue.unavailable', attempted, awsFault(error));
    }
  }

  return {
    async send(queueUrl, messages) {
      const refused: RefusedMessage[] = [];
      for (const batch of messageBatches(messages, MOST_IN_BATCH)) {
        const { Failed = [] } = await attempt(
          `send ${counted(batch.length, 'message')} to "${queueUrl}"`,
          clientOf(queueUrl).send(
            new SendMessageBatchCommand({
              QueueUrl: queueUrl,
              Entries: batch.map(({ index, message }) => ({
                Id: String(index),
                MessageBody: message.body,
                ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
                ...(message.deduplicationId !== undefined && {
                  MessageDeduplicationId: message.deduplicationId,
                }),
              })),
            }),
          ),
        );
        refused.push(
          ...Failed.map(({ Id, Code, Message }) => ({ index: Number(Id), reason: `${Code}: ${Message}` })),
        );
      }
      return refused;
    },

    async receive(queueUrl, { maxMessages, waitSeconds }) {
      const { Messages = [] } = await attempt(
        `receive from "${queueUrl}"`,
        clientOf(queueUrl).send(
          new ReceiveMessageCommand({
            QueueUrl: queueUrl,
            MaxNumberOfMessages: Math.min(maxMessages, batchMessages),
            WaitTimeSeconds: waitSeconds,
            MessageSystemAttributeNames: ['All'],
          }),
          { requestTimeout: (waitSeconds + 20) * 1000 },
        ),
      );
      return Messages.map(receivedMessage);
    },

    async delete(queueUrl, receiptHandles) {
      for (let from = 0; from < receiptHandles.length; from += batchMessages) {
        const { Failed = [] } = await attempt(
          `delete messages from "${queueUrl}"`,
          clientOf(queueUrl).send(
            new DeleteMessageBatchCommand({
              QueueUrl: queueUrl,
              Entries: receiptHandles
                .slice(from, from + batchMessages)
                .map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
            }),
          ),
        );
        if (Failed[0] !== undefined) {
          const { Code, Message } = Failed[0];
          throw new RegistrarError(
            'queue.unavailable',
            `Cannot delete ${counted(Failed.length, 'message')} from "${queueUrl}": ${Code}: ${Message}`,
          );
        }
      }
    },

    async setVisibility(queueUrl, receiptHandle, seconds) {
      await attempt(
        `set the visibility of a message of "${queueUrl}"`,
        clientOf(queueUrl).send(
          new ChangeMessageVisibilityCommand({
            QueueUrl: queueUrl,
            ReceiptHandle: receiptHandle,
            VisibilityTimeout: Math.min(Math.ceil(seconds), 43_200),
          }),
        ),
      );
    },
  };
}

function receivedMessage({ MessageId, ReceiptHandle, Body, Attributes }: Message): ReceivedMessage {
  if (MessageId === undefined || ReceiptHandle === undefined) {
    throw new RegistrarError(
      'queue.unavailable',
      'Cannot use a received message: it has no ID or receipt handle',
    );
  }
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body ?? '',
    attributes: Attributes ?? {},
  };
}
