import { RegistrarError } from '../errors.ts';
import { decodeReceived } from '../event/decode-event.ts';
import type { Queue, ReceivedMessage } from '../ports.ts';
import { failedMessages } from '../report/batch-response.ts';
import { backOff, type RegisterMessagesPorts, registerDecoded } from './register/register-messages.ts';

export type PullPorts = Omit<RegisterMessagesPorts, 'queue' | 'queueUrl'> & {
  readonly queue: Pick<Queue, 'receive' | 'delete' | 'setVisibility'>;
};

export interface PullAnswer {
  readonly messages: number;
  /** The messages among them that will be delivered again. */
  readonly failed: number;
}

const MESSAGES_A_ROUND = 1_000;
/** No round is started with less time left than this. */
const ROUND_MS = 30_000;

/**
 * Empties a subscription, up to 1,000 messages per round, and registers each round as one batch: one commit per table. Only
 * what is durable is acknowledged (I3); the rest is delivered again after its back-off. A full round is followed by another.
 *
 * @param request `{"subscription": "projects/p/subscriptions/s"}`
 * @throws `config.invalid` for a request that names no subscription, `queue.unavailable`, `auth.failed`
 */
export async function pull(
  request: unknown,
  ports: PullPorts,
  remainingMs: () => number,
): Promise<PullAnswer> {
  const subscription = subscriptionOf(request);
  let messages = 0;
  let failed = 0;
  for (;;) {
    const received = await receiveRound(subscription, ports.queue);
    if (received.length === 0) break;
    const results = await registerDecoded(received.map(decodeReceived), ports, remainingMs);
    const failures = failedMessages(results);
    const handedBack = new Set(failures.map(({ receiptHandle }) => receiptHandle));
    await ports.queue.delete(
      subscription,
      received.flatMap(({ receiptHandle }) => (handedBack.has(receiptHandle) ? [] : [receiptHandle])),
    );
    await backOff(failures, { ...ports, queueUrl: subscription });
    messages += received.length;
    failed += failures.length;
    if (received.length < MESSAGES_A_ROUND || remainingMs() < ROUND_MS) break;
  }
  return { messages, failed };
}

function subscriptionOf(request: unknown): string {
  const { subscription } = (request ?? {}) as { readonly subscription?: unknown };
  if (typeof subscription === 'string') return subscription;
  throw new RegistrarError(
    'config.invalid',
    `Cannot pull: the request must be {"subscription": "projects/{project}/subscriptions/{subscription}"}, not "${JSON.stringify(request)}"`,
  );
}

/** Receives one round of messages. A pull may return fewer messages than there are; one that returns none ends the round. */
async function receiveRound(
  subscription: string,
  queue: Pick<Queue, 'receive'>,
): Promise<readonly ReceivedMessage[]> {
  const round: ReceivedMessage[] = [];
  while (round.length < MESSAGES_A_ROUND) {
    const maxMessages = MESSAGES_A_ROUND - round.length;
    const received = await queue.receive(subscription, { maxMessages, waitSeconds: 0 });
    if (received.length === 0) break;
    round.push(...received);
  }
  return round;
}
