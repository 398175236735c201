import type { Entry } from '../config/entry.ts';
import { counted } from '../counted.ts';
import { RegistrarError } from '../errors.ts';
import { decodeEvent } from '../event/decode-event.ts';
import type { DecodedMessage } from '../event/decoded-event.ts';
import { segmentUri } from '../event/segment-reference.ts';
import type { Clock, Log, Quarantine, Queue, Timers } from '../ports.ts';
import type { BatchResponse } from '../report/batch-response.ts';
import { type Chunk, chunksByTable, type RoutedSegment } from '../route/chunk.ts';
import { layoutRouter } from '../route/layout.ts';
import { quarantineRejected } from './quarantine/quarantine-rejected.ts';
import { registrationsQueue } from './registrations-queue.ts';

export interface RoutePorts {
  readonly entries: readonly Entry[];
  readonly queue: Pick<Queue, 'send'>;
  readonly quarantine: Pick<Quarantine, 'put'>;
  readonly log: Log;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Waits before resending what the queue did not accept, in milliseconds. */
const RESEND_AFTER_MS = [200, 1000];
const SAMPLE_SIZE = 5;

type Routed = RoutedSegment & { readonly message: DecodedMessage };
type Failures = Map<DecodedMessage, RegistrarError>;

/**
 * Sends the segments that an event names to the queues of their tables. A message is acknowledged only when each of its
 * segments was sent, is ignored by rule, or maps to no table (counted, with a sample in the log), and when its records that cannot
 * be understood are quarantined (I3, I9). Reads no object; takes time linear in the batch.
 *
 * @throws `event.malformed` for an event that cannot be reported on, `config.invalid` without a queue to send to, and for an event
 *   that did not come from a queue the first failure
 */
export async function route(event: unknown, ports: RoutePorts): Promise<BatchResponse> {
  const { messages } = decodeEvent(event);
  const { routed, unroutable, ignored } = routeAll(messages, ports.entries);

  const failures: Failures = new Map(await quarantineRejected(messages, ports));
  const rejected = messages.filter((message) => message.rejected.length > 0);
  const quarantined = rejected.filter((message) => !failures.has(message)).length;
  const chunks = await sendAll(routed, failures, ports);

  if (unroutable.length > 0) {
    ports.log.warn({
      event: 'key.unroutable',
      count: unroutable.length,
      sample: unroutable.slice(0, SAMPLE_SIZE),
    });
  }
  ports.log.info({
    event: 'routed',
    messages: messages.length,
    segments: routed.length,
    chunks,
    ignored: Object.fromEntries(ignored),
    unroutable: unroutable.length,
    quarantined,
    failed: failures.size,
  });
  return respond(failures, ports.log);
}

function routeAll(messages: readonly DecodedMessage[], entries: readonly Entry[]) {
  const routeOf = layoutRouter(entries);
  const routed: Routed[] = [];
  const unroutable: string[] = [];
  const ignored = new Map<string, number>();
  const ignore = (reason: string) => ignored.set(reason, (ignored.get(reason) ?? 0) + 1);

  for (const message of messages) {
    for (const { reason } of message.ignored) ignore(reason);
    for (const reference of message.references) {
      const routing = routeOf(reference);
      if (routing.kind === 'table') routed.push({ reference, routing, message });
      else if (routing.kind === 'ignored') ignore(routing.reason);
      else unroutable.push(segmentUri(reference));
    }
  }
  return { routed, unroutable, ignored };
}

async function sendAll(routed: readonly Routed[], failures: Failures, ports: RoutePorts): Promise<number> {
  const byQueue = Map.groupBy(routed, ({ routing }) => registrationsQueue(routing.entry));
  let sent = 0;
  for (const [queueUrl, ofQueue] of byQueue) {
    const chunks = chunksByTable(ofQueue);
    sent += chunks.length;
    try {
      const { left, reason } = await send(queueUrl, chunks, ports);
      fail(
        left,
        new RegistrarError(
          'queue.unavailable',
          `Cannot send ${counted(left.length, 'message')} to "${queueUrl}": the queue did not take them ("${reason}")`,
        ),
      );
    } catch (error) {
      fail(chunks, asRegistrarError(error));
    }
  }
  return sent;

  function fail(chunks: readonly Chunk<Routed>[], error: RegistrarError): void {
    for (const { message } of chunks.flatMap(({ items }) => items)) failures.set(message, error);
  }
}

/** Sends messages, resending what the queue did not accept (cases.md E26). Returns what it never accepted, and why. */
async function send(
  queueUrl: string,
  chunks: readonly Chunk<Routed>[],
  { queue, timers }: RoutePorts,
): Promise<{ readonly left: readonly Chunk<Routed>[]; readonly reason: string | undefined }> {
  let left = chunks;
  let reason: string | undefined;
  for (const waitMs of [...RESEND_AFTER_MS, undefined]) {
    const refused = await queue.send(
      queueUrl,
      left.map(({ message }) => message),
    );
    left = refused.flatMap(({ index }) => left[index] ?? []);
    reason = refused[0]?.reason;
    if (left.length === 0 || waitMs === undefined) break;
    await timers.sleep(waitMs);
  }
  return { left, reason };
}

function respond(failures: Failures, log: Log): BatchResponse {
  const [first] = failures.values();
  if (first !== undefined)
    log.error({ event: 'route.failed', code: first.code, message: first.message, messages: failures.size });
  return {
    batchItemFailures: [...failures].map(([{ messageId }, error]) => {
      if (messageId === null) throw error;
      return { itemIdentifier: messageId };
    }),
  };
}

function asRegistrarError(error: unknown): RegistrarError {
  if (error instanceof RegistrarError) return error;
  throw error;
}
