import type { Queue, Random } from '../../ports.ts';
import { chunksByTable, type RoutedSegment } from '../../route/chunk.ts';
import { registrationsQueue } from '../registrations-queue.ts';

export interface SendAgainPorts {
  readonly queue: Pick<Queue, 'send'>;
  readonly random: Pick<Random, 'uuid'>;
}

/**
 * Sends segments to the queues of their tables in messages that were never sent before (each body has a nonce), so that the
 * queue's deduplication drops none. Returns the segments that a queue did not accept, with its reason.
 *
 * @throws `config.invalid` without a queue, `queue.unavailable`, `auth.failed`
 */
export async function sendAgain<T extends RoutedSegment>(
  segments: readonly T[],
  { queue, random }: SendAgainPorts,
): Promise<ReadonlyMap<T, string>> {
  const refused = new Map<T, string>();
  for (const [queueUrl, ofQueue] of Map.groupBy(segments, ({ routing }) =>
    registrationsQueue(routing.entry),
  )) {
    const chunks = chunksByTable(ofQueue, { nonce: random.uuid() });
    const answers = await queue.send(
      queueUrl,
      chunks.map(({ message }) => message),
    );
    for (const { index, reason } of answers) {
      for (const item of chunks[index]?.items ?? []) refused.set(item, reason);
    }
  }
  return refused;
}
