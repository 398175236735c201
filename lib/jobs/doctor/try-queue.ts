import { RegistrarError } from '../../errors.ts';
import type { Clock, OutgoingMessage, Queue, Random } from '../../ports.ts';
import { isPubSub } from '../../spec/queue-url.ts';
import { type Found, failed } from './finding.ts';

export interface TryQueuePorts {
  readonly queue: Pick<Queue, 'send' | 'setVisibility'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** A receipt handle that no queue ever issued. */
const FOREIGN_HANDLE = 'iceberg-registrar-doctor';

/**
 * Adds to a finding about a queue what can be tried on it. One message is sent that route and register acknowledge without effect: the
 * test message of S3 (cases.md E6). On a FIFO queue of SQS the visibility of a message is changed too, as register does it when a
 * registration fails.
 *
 * Receiving is not tried, because it would count as a delivery of somebody's message.
 */
export async function tryQueue(
  found: Found,
  url: string,
  fifo: boolean,
  ports: TryQueuePorts,
): Promise<Found> {
  const [refused] = await ports.queue.send(url, [testMessage(fifo, ports)]);
  if (refused !== undefined) {
    return failed(`it did not take a test message: ${refused.reason}`, 'allow sqs:SendMessage on the queue');
  }
  const tried = ['a test message was sent to it'];
  if (fifo && !isPubSub(url)) {
    await tryVisibility(url, ports);
    tried.push('changing the visibility of a message is not denied');
  }
  return { ...found, found: [found.found, ...tried, 'receiving is not tried'].join('; ') };
}

function testMessage(fifo: boolean, { clock, random }: TryQueuePorts): OutgoingMessage {
  const RequestId = random.uuid();
  const body = JSON.stringify({
    Service: 'Amazon S3',
    Event: 's3:TestEvent',
    Time: new Date(clock.now()).toISOString(),
    Bucket: 'iceberg-registrar-doctor',
    RequestId,
  });
  // A group of its own, so that no table waits for it.
  return fifo ? { body, groupId: 'iceberg-registrar-doctor', deduplicationId: RequestId } : { body };
}

/**
 * SQS refuses a receipt handle that it never issued (`ReceiptHandleIsInvalid`), so nothing is changed. AWS does not document whether it
 * looks at the permission before the handle: this refusal shows only that the permission was not denied.
 *
 * @throws `auth.failed` where it is denied, `queue.unavailable` where the queue does not answer
 */
async function tryVisibility(url: string, { queue }: TryQueuePorts): Promise<void> {
  try {
    await queue.setVisibility(url, FOREIGN_HANDLE, 0);
  } catch (error) {
    const isRefusal = error instanceof RegistrarError && HANDLE_FAULTS.has(String(error.context['fault']));
    if (!isRefusal) throw error;
  }
}

const HANDLE_FAULTS: ReadonlySet<string> = new Set(['ReceiptHandleIsInvalid', 'InvalidParameterValue']);
