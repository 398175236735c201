import type { Entry } from '../config/entry.ts';
import { RegistrarError } from '../errors.ts';

/** The FIFO queue that an entry's segments go to. @throws `config.invalid` without one */
export function registrationsQueue(entry: Entry): string {
  const queueUrl = entry.queues.registrations;
  if (queueUrl !== undefined) return queueUrl;
  throw new RegistrarError(
    'config.invalid',
    `Cannot send the segments below "${entry.url}": queues.registrations is not set; name the FIFO queue that register reads`,
  );
}
