import pLimit from 'p-limit';
import { RegistrarError } from '../../errors.ts';
import type { DecodedMessage } from '../../event/decoded-event.ts';
import type { Clock, Log, Quarantine } from '../../ports.ts';

interface Ports {
  readonly quarantine: Pick<Quarantine, 'put'>;
  readonly clock: Clock;
  readonly log: Log;
}

const CONCURRENT_WRITES = 16;
const SAMPLE_SIZE = 5;

/**
 * Quarantines the messages whose records cannot be understood, with their raw bodies, so that the rest of the batch goes on
 * (cases.md E19). Logs one line for all of them, which is also the metric of quarantined events.
 *
 * @returns what prevents the acknowledgement of a message: a record of a newer version, or a quarantine that cannot be written
 */
export async function quarantineRejected(
  messages: readonly DecodedMessage[],
  ports: Ports,
): Promise<ReadonlyMap<DecodedMessage, RegistrarError>> {
  const failures = new Map<DecodedMessage, RegistrarError>();
  const rejected = messages.filter((message) => message.rejected.length > 0);
  if (rejected.length === 0) return failures;
  await pLimit(CONCURRENT_WRITES).map(rejected, async (message) => {
    const failure = await quarantineOne(message, ports);
    if (failure !== undefined) failures.set(message, failure);
  });
  const sample = rejected.slice(0, SAMPLE_SIZE).map(({ messageId, rejected: [error] }) => ({
    messageId,
    code: error?.code,
    message: error?.message,
  }));
  const [error] = failures.values();
  ports.log.warn({
    event: 'event.rejected',
    count: rejected.length,
    quarantined: rejected.length - failures.size,
    sample,
    ...(error !== undefined && { error }),
  });
  return failures;
}

async function quarantineOne(
  { rejected, body }: DecodedMessage,
  { quarantine, clock }: Ports,
): Promise<RegistrarError | undefined> {
  const retryable = rejected.find((error) => error.retryable);
  if (retryable !== undefined) return retryable;
  try {
    await quarantine.put({
      v: 1,
      kind: 'failure',
      at: new Date(clock.now()).toISOString(),
      code: rejected[0]?.code ?? 'event.malformed',
      message: rejected.map((error) => error.message).join('\n'),
      body,
    });
    return undefined;
  } catch (fault) {
    if (fault instanceof RegistrarError) return fault;
    throw fault;
  }
}
