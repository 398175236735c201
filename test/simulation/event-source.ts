import type { BatchResponse } from '../../lib/report/batch-response.ts';
import type { Message, Queue } from '../../local/sqs/queue.ts';
import { SqsError } from '../../local/sqs/sqs-error.ts';
import type { Instance } from './io.ts';
import type { SimQueues } from './queues.ts';
import type { World } from './world.ts';

/** A function behind a queue, run as by Lambda's event source mapping. */
export interface EventSource {
  readonly name: string;
  readonly queues: SimQueues;
  readonly queue: Queue;
  readonly batchSize: number;
  /** The batching window. */
  readonly windowMs: number;
  readonly maxInstances: number;
  readonly timeoutMs: number;
  /** Starts a container and returns its handler. */
  readonly start: (instance: Instance) => Handler;
  /** Called with each batch and its failed messages before any message is deleted. */
  readonly answered: (batch: Batch, failed: ReadonlySet<string>) => void;
}

export type Handler = (event: unknown, remainingMs: () => number) => Promise<BatchResponse>;

export interface Batch {
  readonly messages: readonly Message[];
  readonly receivedMs: number;
}

interface Container {
  readonly instance: Instance;
  readonly handle: Handler;
  busy: boolean;
}

/** Starts polling. The returned function is to be called when a message becomes visible. */
export function startEventSource(world: World, source: EventSource): (afterMs: number) => void {
  const { timeline } = world;
  const { queue } = source;
  const containers: Container[] = [];
  let started = 0;
  let batches = 0;
  const due = new Set<number>();

  function wake(afterMs: number): void {
    const atMs = timeline.now() + Math.max(0, afterMs);
    if (due.has(atMs)) return;
    due.add(atMs);
    timeline.after(afterMs, () => {
      due.delete(atMs);
      poll();
    });
  }

  function poll(): void {
    while (containers.filter(({ busy }) => busy).length < source.maxInstances) {
      const messages = queue.receive(source.batchSize);
      if (messages.length === 0) break;
      invoke(messages);
    }
    const nextMs = queue.nextVisibleMs();
    if (nextMs !== undefined) wake(nextMs - timeline.now());
  }

  function container(): Container {
    const idle = containers.find(({ busy, instance }) => !busy && instance.alive);
    if (idle !== undefined) return idle;
    started += 1;
    const instance: Instance = {
      name: `${source.name}-${started}`,
      alive: true,
      kill(why) {
        if (!instance.alive) return;
        world.trace(`${instance.name} dies: ${why}`);
        instance.alive = false;
        fresh.busy = false;
        containers.splice(containers.indexOf(fresh), 1);
        wake(0);
      },
    };
    const fresh: Container = { instance, handle: source.start(instance), busy: false };
    containers.push(fresh);
    return fresh;
  }

  function invoke(messages: readonly Message[]): void {
    batches += 1;
    const of = container();
    const { instance } = of;
    const batch: Batch = { messages, receivedMs: timeline.now() };
    const endMs = timeline.now() + source.timeoutMs;
    of.busy = true;
    world.trace(`${instance.name} begins batch ${batches} of ${messages.length} from ${queue.name}`);
    const deadline = timeline.after(source.timeoutMs, () => instance.kill('out of time'));
    if (!queue.settings.fifo && world.faultAt(`${source.name}#${batches}`, 'receive') !== undefined) {
      for (const { receiptHandle = '' } of messages) queue.setVisibility(receiptHandle, 0);
      wake(0);
    }
    const finish = (response: BatchResponse | undefined): void => {
      if (!instance.alive) return;
      deadline();
      of.busy = false;
      if (response !== undefined) acknowledge(batch, response);
      wake(0);
    };
    of.handle(lambdaEvent(messages), () => endMs - timeline.now()).then(finish, (error: unknown) => {
      world.trace(`${instance.name} throws ${String(error)}`);
      finish(undefined);
    });
  }

  function acknowledge(batch: Batch, { batchItemFailures }: BatchResponse): void {
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    source.answered(batch, failed);
    world.trace(`${queue.name} ${failed.size} of ${batch.messages.length} come again`);
    for (const message of batch.messages) {
      if (failed.has(message.id)) continue;
      if (world.faultAt(`ack ${message.receiptHandle}`, 'acknowledge') !== undefined) continue;
      try {
        source.queues.delete(queue, message);
      } catch (error) {
        if (!(error instanceof SqsError)) throw error;
      }
    }
  }

  return (afterMs) => wake(afterMs + source.windowMs);
}

function lambdaEvent(messages: readonly Message[]): unknown {
  return {
    Records: messages.map((message) => ({
      messageId: message.id,
      receiptHandle: message.receiptHandle,
      eventSource: 'aws:sqs',
      body: message.body,
      attributes: {
        ApproximateReceiveCount: String(message.receiveCount),
        SentTimestamp: String(message.sentMs),
        ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
      },
    })),
  };
}
