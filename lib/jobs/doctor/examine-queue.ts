import { type Found, failed, notChecked, ok, warning } from './finding.ts';

/** What a queue of ours must be. */
export interface QueueSetup {
  readonly fifo: boolean;
  readonly visibilitySeconds: number;
  readonly maxReceiveCount: number | undefined;
}

/** What the function's own timeout is: a message must stay invisible for longer. */
const FUNCTION_SECONDS = 60;
export async function examineQueue(
  url: string | undefined,
  fifo: boolean,
  setupOf: (queueUrl: string) => Promise<QueueSetup>,
): Promise<Found> {
  if (url === undefined) return notChecked('no URL is configured');
  const setup = await setupOf(url);
  const kind = (isFifo: boolean) => (isFifo ? 'FIFO' : 'standard');
  if (setup.fifo !== fifo) {
    return failed(`it is a ${kind(setup.fifo)} queue`, `name a ${kind(fifo)} queue`);
  }
  if (setup.visibilitySeconds <= FUNCTION_SECONDS) {
    return failed(
      `messages are visible again after ${setup.visibilitySeconds} s, while they may still be worked on`,
      `set the visibility timeout to ${6 * FUNCTION_SECONDS} s, six times the function's`,
    );
  }
  if (setup.maxReceiveCount === undefined) {
    return warning('no dead-letter queue takes what keeps failing', 'give it a redrive policy');
  }
  return ok(`a ${kind(fifo)} queue with a dead-letter queue after ${setup.maxReceiveCount} receives`);
}
