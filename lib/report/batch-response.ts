import type { RegistrarError } from '../errors.ts';

/** What Lambda's partial batch response for SQS looks like (`ReportBatchItemFailures`). */
export interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** One message of a batch and whether everything it named is durable. */
export interface MessageResult {
  readonly messageId: string;
  /** Undefined on standard queues. */
  readonly groupId: string | undefined;
  readonly receiptHandle: string | undefined;
  /** `ApproximateReceiveCount`, 1 at first. */
  readonly receiveCount: number;
  /** Whether this delivery committed any of its segments, which no later one can do again. */
  readonly progressed: boolean;
  /** The first failure that prevents its acknowledgement; undefined if there is none. */
  readonly failure: RegistrarError | undefined;
}

export interface FailedMessage {
  readonly messageId: string;
  readonly receiptHandle: string | undefined;
  /** After how long the queue should deliver it again. */
  readonly visibilitySeconds: number;
}

const FIRST_VISIBILITY_SECONDS = 15;
const MAX_VISIBILITY_SECONDS = 15 * 60;

/**
 * The messages to return to the queue, in order: the failed ones, and every message that follows a failed one in its group (I6),
 * even if it was registered. The back-off is 15 s · 2ⁿ, at most 15 minutes, where n is how often the message was received before.
 * A group of which anything progressed starts over at 15 s: after an outage, its segments go in one by one over several
 * invocations, and a queue hands out nothing of a group while one of its messages waits.
 */
export function failedMessages(results: readonly MessageResult[]): readonly FailedMessage[] {
  const stoppedGroups = new Set<string>();
  const progressedGroups = new Set(results.flatMap((one) => (one.progressed ? (one.groupId ?? []) : [])));
  return results.flatMap((result) => {
    const stopped = result.groupId !== undefined && stoppedGroups.has(result.groupId);
    if (result.failure === undefined && !stopped) return [];
    if (result.groupId !== undefined) stoppedGroups.add(result.groupId);
    return [
      {
        messageId: result.messageId,
        receiptHandle: result.receiptHandle,
        visibilitySeconds: hasProgressed(result, progressedGroups)
          ? FIRST_VISIBILITY_SECONDS
          : visibilitySeconds(result.receiveCount),
      },
    ];
  });
}

function hasProgressed({ groupId, progressed }: MessageResult, groups: ReadonlySet<string>): boolean {
  return groupId === undefined ? progressed : groups.has(groupId);
}

function visibilitySeconds(receiveCount: number): number {
  return Math.min(MAX_VISIBILITY_SECONDS, FIRST_VISIBILITY_SECONDS * 2 ** Math.max(0, receiveCount - 1));
}
