import { decodeEvent } from '../event/decode-event.ts';
import { type RegisterMessagesPorts, registerDecoded } from './register/register-messages.ts';

/**
 * Registers the object that one CloudEvent names. There is no batch to report on: returning acknowledges the event.
 *
 * @throws whatever prevents one of its segments from being durable, so that the event is delivered again (I3)
 */
export async function registerCloudEvent(
  event: unknown,
  ports: Omit<RegisterMessagesPorts, 'queue' | 'queueUrl'>,
  remainingMs: () => number,
): Promise<void> {
  const results = await registerDecoded(decodeEvent(event).messages, ports, remainingMs);
  for (const { failure } of results) {
    if (failure !== undefined) throw failure;
  }
}
