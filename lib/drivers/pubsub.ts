import pLimit from 'p-limit';
import { counted } from '../counted.ts';
import { RegistrarError } from '../errors.ts';
import type { Queue, ReceivedMessage } from '../ports.ts';
import { isPlainHttp } from '../spec/object-uri.ts';
import { type GoogleClient, type GooglePorts, googleClient, jsonOf, member } from './google-client.ts';
import type { AccessToken } from './google-token.ts';
import { messageBatches } from './message-batches.ts';

export interface PubSubSettings {
  /** An emulator's address, such as `http://127.0.0.1:8085`, to which no token is sent. @default https://pubsub.googleapis.com */
  readonly endpoint?: string;
}

export interface PubSubPorts extends GooglePorts {
  readonly accessToken: AccessToken;
}

/** Pub/Sub accepts and delivers at most 1,000 messages and 10 MB per request. */
const MAX_MESSAGES = 1_000;
const MOST_IN_BATCH = { messages: MAX_MESSAGES, bytes: 4 * 1024 * 1024 };
/** A request may hold 512 KiB of receipts of about 200 bytes. */
const MAX_RECEIPTS = 1_000;
const LONGEST_DEADLINE_SECONDS = 600;
const CONCURRENT_DEADLINES = 16;

/**
 * Pub/Sub as a queue, through its REST API. Messages are sent to a topic (`projects/p/topics/t`) and received from a subscription
 * (`projects/p/subscriptions/s`). Group and deduplication IDs exist only in SQS and are not sent.
 *
 * The body of a received message is the text that was sent. A message with attributes is a notification of Cloud Storage; its body is the
 * envelope of a push subscription. The receive count is known only if the subscription has a dead-letter topic.
 */
export function pubsubQueue(settings: PubSubSettings, ports: PubSubPorts): Queue {
  const client = pubsubClient(settings, ports);
  const limit = pLimit(CONCURRENT_DEADLINES);

  async function call(attempted: string, name: string, verb: string, body: object): Promise<unknown> {
    const answer = await client.call(attempted, {
      method: 'POST',
      path: `/v1/${pubsubPath(name)}:${verb}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status === 200) return jsonOf(answer.body);
    const wayOut = answer.status === 404 ? '; create it or correct its name' : '';
    throw client.refused(attempted, answer, wayOut);
  }

  return {
    async send(topic, messages) {
      for (const batch of messageBatches(messages, MOST_IN_BATCH)) {
        await call(`send ${counted(batch.length, 'message')} to "${topic}"`, topic, 'publish', {
          messages: batch.map(({ message }) => ({ data: Buffer.from(message.body).toString('base64') })),
        });
      }
      return [];
    },

    async receive(subscription, { maxMessages, waitSeconds }) {
      const answer = await call(`receive from "${subscription}"`, subscription, 'pull', {
        maxMessages: Math.min(maxMessages, MAX_MESSAGES),
        // Otherwise Pub/Sub waits for messages for an unlimited time, which a function pays for by the second.
        returnImmediately: waitSeconds === 0,
      });
      const received = member(answer, 'receivedMessages') ?? [];
      return (Array.isArray(received) ? received : []).map((one) => receivedMessage(one, subscription));
    },

    async delete(subscription, receiptHandles) {
      for (let from = 0; from < receiptHandles.length; from += MAX_RECEIPTS) {
        const ackIds = receiptHandles.slice(from, from + MAX_RECEIPTS);
        await call(`acknowledge messages of "${subscription}"`, subscription, 'acknowledge', { ackIds });
      }
    },

    async setVisibility(subscription, receiptHandle, seconds) {
      const ackDeadlineSeconds = Math.min(Math.ceil(seconds), LONGEST_DEADLINE_SECONDS);
      await limit(() =>
        call(`set the deadline of a message of "${subscription}"`, subscription, 'modifyAckDeadline', {
          ackIds: [receiptHandle],
          ackDeadlineSeconds,
        }),
      );
    },
  };
}

export function pubsubClient({ endpoint }: PubSubSettings, ports: PubSubPorts): GoogleClient {
  return googleClient(
    {
      origin: endpoint ?? 'https://pubsub.googleapis.com',
      unavailable: 'queue.unavailable',
      accessToken: endpoint !== undefined && isPlainHttp(endpoint) ? undefined : ports.accessToken,
    },
    ports,
  );
}

/** Whether the name of a queue is that of a Pub/Sub topic or subscription. */
function isPubSubName(name: string): boolean {
  return /^projects\/[^/]+\/(topics|subscriptions)\/[^/]+$/.test(name);
}

/** Encodes a topic or subscription for a path. @throws `config.invalid` */
export function pubsubPath(name: string): string {
  if (isPubSubName(name)) return name.split('/').map(encodeURIComponent).join('/');
  throw new RegistrarError(
    'config.invalid',
    `Cannot use "${name}" as a topic or subscription: it must read projects/{project}/topics/{topic} or projects/{project}/subscriptions/{subscription}`,
  );
}

function receivedMessage(received: unknown, subscription: string): ReceivedMessage {
  const message = member(received, 'message');
  const receiptHandle = member(received, 'ackId');
  const messageId = member(message, 'messageId');
  if (typeof receiptHandle !== 'string' || typeof messageId !== 'string') {
    throw new RegistrarError(
      'queue.unavailable',
      `Cannot use a message received from "${subscription}": it has no ID or no receipt`,
    );
  }
  const attempt = member(received, 'deliveryAttempt');
  const sentMs = Date.parse(String(member(message, 'publishTime')));
  return {
    messageId,
    receiptHandle,
    body:
      member(message, 'attributes') === undefined
        ? Buffer.from(String(member(message, 'data') ?? ''), 'base64').toString()
        : JSON.stringify({ message, subscription }),
    attributes: {
      ...(attempt !== undefined && { ApproximateReceiveCount: String(attempt) }),
      ...(!Number.isNaN(sentMs) && { SentTimestamp: String(sentMs) }),
    },
  };
}
