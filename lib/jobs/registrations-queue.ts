import type { Entry } from '../config/entry.ts';
import { RegistrarError } from '../errors.ts';

/** The FIFO queue for an entry's segments. @throws `config.invalid` if none is configured */
export function registrationsQueue(entry: Entry): string {
  const queueUrl = entry.queues.registrations;
  if (queueUrl !== undefined) return queueUrl;
  throw new RegistrarError(
    'config.invalid',
    `Cannot send the segments below "${entry.url}": queues.registrations is not set; name the FIFO queue that register reads`,
  );
}

/** The configured queue that a batch came from, by its ARN; the only queue if there is just one. */
export function sourceQueue(event: unknown, entries: readonly Pick<Entry, 'queues'>[]): string | undefined {
  const urls = [...new Set(entries.flatMap(({ queues }) => queues.registrations ?? []))];
  if (urls.length < 2) return urls[0];
  const [record] =
    (event as { readonly Records?: readonly { readonly eventSourceARN?: unknown }[] }).Records ?? [];
  const [, account, name] = /:(\d+):([^:]+)$/.exec(String(record?.eventSourceARN)) ?? [];
  return urls.find((url) => url.endsWith(`/${account}/${name}`));
}
