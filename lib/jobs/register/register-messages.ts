import type { RegistrarError } from '../../errors.ts';
import { decodeEvent } from '../../event/decode-event.ts';
import type { DecodedMessage } from '../../event/decoded-event.ts';
import type { SegmentReference } from '../../event/segment-reference.ts';
import type { Quarantine, Queue } from '../../ports.ts';
import { type BatchResponse, failedMessages, type MessageResult } from '../../report/batch-response.ts';
import { countOutcomes, type SegmentOutcome } from '../../report/outcome.ts';
import { quarantineRejected } from '../quarantine/quarantine-rejected.ts';
import { register } from './register.ts';
import type { RegisterPorts } from './register-ports.ts';

export interface RegisterMessagesPorts extends RegisterPorts {
  readonly queue: Pick<Queue, 'setVisibility'>;
  /** Where messages that cannot be understood are put. */
  readonly quarantine: Pick<Quarantine, 'put'>;
  /** The queue that the messages came from; undefined to leave the back-off to the queue's own visibility timeout. */
  readonly queueUrl: string | undefined;
}

/**
 * The job of `functions/register.ts`: a batch of messages → registrations → which messages to hand back (I3, I6).
 * A message is acknowledged only when each of its segments is committed, already there, quarantined or ignorable by rule.
 *
 * @throws the first failure when the function was invoked without a queue, so that the caller retries the whole event
 */
export async function registerMessages(
  event: unknown,
  ports: RegisterMessagesPorts,
  remainingMs: () => number,
): Promise<BatchResponse> {
  const { messages } = decodeEvent(event);
  const results = await registerDecoded(messages, ports, remainingMs);
  const failures = failedMessages(results.filter(({ messageId }) => messageId !== ''));
  const unreportable = results.find(({ messageId, failure }) => messageId === '' && failure !== undefined);
  if (unreportable?.failure !== undefined) throw unreportable.failure;

  await backOff(failures, ports);
  return { batchItemFailures: failures.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** Registers what decoded messages name, wherever they came from, and returns what became of each. */
export async function registerDecoded(
  messages: readonly DecodedMessage[],
  ports: Omit<RegisterMessagesPorts, 'queue' | 'queueUrl'>,
  remainingMs: () => number,
): Promise<readonly MessageResult[]> {
  const references = messages.flatMap((message) => message.references);
  const deliveries = new Map(
    messages.flatMap(({ attributes, references: named }) =>
      named.map((reference) => [reference, attributes] as const),
    ),
  );
  const { outcomes } = await register(references, ports, remainingMs, deliveries);
  const outcomeOf = new Map(outcomes.map((outcome) => [outcome.reference, outcome]));
  const rejected = await quarantineRejected(messages, ports);
  ports.log.info({ event: 'registered', messages: messages.length, ...countOutcomes(outcomes) });
  return messages.map((message) => ({
    messageId: message.messageId ?? '',
    groupId: message.attributes.groupId,
    receiptHandle: message.attributes.receiptHandle,
    receiveCount: message.attributes.receiveCount,
    progressed: message.references.some((reference) => outcomeOf.get(reference)?.kind === 'committed'),
    failure: rejected.get(message) ?? segmentFailure(message, outcomeOf),
  }));
}

function segmentFailure(
  message: DecodedMessage,
  outcomeOf: ReadonlyMap<SegmentReference, SegmentOutcome>,
): RegistrarError | undefined {
  for (const reference of message.references) {
    const outcome = outcomeOf.get(reference);
    if (outcome?.kind === 'failed') return outcome.error;
  }
  return undefined;
}

/**
 * Sets when each failed message is delivered again. If that fails, the queue's own timeout applies: it costs time, not data.
 */
export async function backOff(
  failures: ReturnType<typeof failedMessages>,
  { queue, queueUrl, log }: Pick<RegisterMessagesPorts, 'queue' | 'queueUrl' | 'log'>,
): Promise<void> {
  if (queueUrl === undefined) return;
  await Promise.all(
    failures.map(async ({ receiptHandle, visibilitySeconds, messageId }) => {
      if (receiptHandle === undefined) return;
      try {
        await queue.setVisibility(queueUrl, receiptHandle, visibilitySeconds);
      } catch (error) {
        log.warn({ event: 'visibility-unchanged', messageId, visibilitySeconds, error });
      }
    }),
  );
}
