import { RegistrarError } from '../../errors.ts';
import type { DecodedMessage } from '../../event/decoded-event.ts';
import type { Clock, Quarantine } from '../../ports.ts';

/**
 * Quarantines a message whose records cannot be understood, with its raw body, so that the rest of its batch goes on (cases.md
 * E19). Returns what prevents its acknowledgement, if anything: a record of a newer version, or a quarantine that cannot be
 * written.
 */
export async function quarantineRejected(
  message: DecodedMessage,
  { quarantine, clock }: { readonly quarantine: Pick<Quarantine, 'put'>; readonly clock: Clock },
): Promise<RegistrarError | undefined> {
  const [first] = message.rejected;
  if (first === undefined) return undefined;
  const retryable = message.rejected.find((error) => error.retryable);
  if (retryable !== undefined) return retryable;
  try {
    await quarantine.put({
      v: 1,
      kind: 'failure',
      at: new Date(clock.now()).toISOString(),
      code: first.code,
      message: message.rejected.map((error) => error.message).join('\n'),
      body: message.body,
    });
    return undefined;
  } catch (fault) {
    if (fault instanceof RegistrarError) return fault;
    throw fault;
  }
}
