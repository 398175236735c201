import type { SubscriptionSetup } from '../../ports/setup.ts';
import { isPubSub } from '../../spec/queue-url.ts';
import { type Found, failed, notChecked, ok, warning } from './finding.ts';

/** The required attributes of a queue. */
export interface QueueSetup {
  readonly visibilitySeconds: number;
  readonly maxReceiveCount: number | undefined;
}

export interface QueueSetups {
  /** For a queue of SQS. */
  readonly ofQueue: (url: string) => Promise<QueueSetup>;
  /** For a topic of Pub/Sub. */
  readonly ofTopic: (topic: string) => Promise<readonly SubscriptionSetup[]>;
}

/** The timeout of the function. A message must stay invisible for longer. */
const FUNCTION_SECONDS = 60;
/** A run on Google Cloud ends by itself after this time. */
const GOOGLE_RUN_SECONDS = 240;

export async function examineQueue(
  url: string | undefined,
  fifo: boolean,
  setups: QueueSetups,
): Promise<Found> {
  if (url === undefined) return notChecked('no URL is configured');
  if (isPubSub(url)) return examineTopic(url, await setups.ofTopic(url));
  const setup = await setups.ofQueue(url);
  if (setup.visibilitySeconds <= FUNCTION_SECONDS) {
    return failed(
      `messages are visible again after ${setup.visibilitySeconds} s, while they may still be worked on`,
      `set the visibility timeout to ${6 * FUNCTION_SECONDS} s, six times the function's`,
    );
  }
  if (setup.maxReceiveCount === undefined) {
    return warning('no dead-letter queue takes what keeps failing', 'give it a redrive policy');
  }
  return ok(
    `a ${fifo ? 'FIFO' : 'standard'} queue with a dead-letter queue after ${setup.maxReceiveCount} receives`,
  );
}

/** Pub/Sub has no groups and no order, and neither is needed. */
function examineTopic(topic: string, subscriptions: readonly SubscriptionSetup[]): Found {
  if (subscriptions.length === 0) {
    return failed(`nobody receives what is sent to "${topic}"`, 'create a subscription for the function');
  }
  const hasty = subscriptions.find(({ deadlineSeconds }) => deadlineSeconds <= GOOGLE_RUN_SECONDS);
  if (hasty !== undefined) {
    return failed(
      `"${hasty.name}" hands messages out again after ${hasty.deadlineSeconds} s, while they may still be worked on`,
      'set its acknowledgement deadline to 600 s',
    );
  }
  const uncounted = subscriptions.find(({ maxDeliveryAttempts }) => maxDeliveryAttempts === undefined);
  if (uncounted !== undefined) {
    return warning(
      `"${uncounted.name}" has no dead-letter topic, and without one Pub/Sub does not count deliveries: what keeps failing is not isolated`,
      'give it a dead-letter policy',
    );
  }
  const listed = subscriptions
    .map(
      ({ name, maxDeliveryAttempts }) =>
        `"${name}" with a dead-letter topic after ${maxDeliveryAttempts} deliveries`,
    )
    .join(', ');
  return ok(`a topic, received by ${listed}`);
}
