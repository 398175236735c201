import { createHash } from 'node:crypto';
import { SqsError } from './sqs-error.ts';

export interface QueueSettings {
  readonly fifo: boolean;
  readonly contentBasedDeduplication: boolean;
  readonly visibilitySeconds: number;
  readonly delaySeconds: number;
  /** How long a receive waits that does not say. */
  readonly waitSeconds: number;
  readonly redrive: { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number } | undefined;
}

export interface OutgoingMessage {
  readonly body: string;
  readonly groupId?: string | undefined;
  readonly deduplicationId?: string | undefined;
  readonly delaySeconds?: number | undefined;
  /** `MessageAttributes` as received. */
  readonly attributes?: unknown;
}

export interface Message extends OutgoingMessage {
  readonly id: string;
  /** 20 digits, ascending in a FIFO queue. */
  readonly sequenceNumber: string;
  readonly sentMs: number;
  readonly firstReceivedMs: number | undefined;
  readonly receiveCount: number;
  /** The handle of the latest receive. */
  readonly receiptHandle: string | undefined;
  /** Until this time the message is delayed (never received) or in flight. */
  readonly hiddenUntilMs: number;
  /** The queue from which it was moved to this dead-letter queue. */
  readonly sourceArn: string | undefined;
}

/**
 * One queue: standard, or FIFO with groups that are locked while one of their messages is in flight, and deduplication for five
 * minutes. Time comes from `now`; nothing blocks here. Throws `SqsError`.
 */
export interface Queue {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  settings: QueueSettings;
  send(message: OutgoingMessage): Message;
  /** Up to `max` messages, oldest first (group by group in a FIFO queue), now in flight; those received too often go to the dead-letter queue instead. */
  receive(max: number, visibilitySeconds?: number): readonly Message[];
  delete(receiptHandle: string): void;
  setVisibility(receiptHandle: string, seconds: number): void;
  /** Adds a message that another queue moved here: to its dead-letter queue, or back from one. */
  adopt(message: Message): void;
  /** Removes and returns the visible messages, for a move task. */
  drain(): readonly Message[];
  purge(): void;
  counts(): { readonly visible: number; readonly inFlight: number; readonly delayed: number };
  /** When the next hidden message becomes visible; undefined when none is hidden. */
  nextVisibleMs(): number | undefined;
  /** Resolves when something was sent or made visible, at the latest when `signal` aborts. */
  changed(signal: AbortSignal): Promise<void>;
}

const deduplicationMs = 5 * 60_000;

export function createQueue(
  identity: { readonly name: string; readonly arn: string; readonly url: string },
  settings: QueueSettings,
  options: {
    readonly now: () => number;
    readonly uuid: () => string;
    readonly deadLetter: (message: Message, targetArn: string) => void;
  },
): Queue {
  const { now, uuid } = options;
  let messages: Message[] = [];
  let sequence = 18_000_000_000_000_000_000n;
  const recent = new Map<string, { readonly untilMs: number; readonly message: Message }>();
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resolve of [...waiting]) resolve();
  };
  const isInFlight = (message: Message) => message.receiveCount > 0 && message.hiddenUntilMs > now();
  const replace = (message: Message, change: Partial<Message>): Message => {
    const changed = { ...message, ...change };
    messages[messages.indexOf(message)] = changed;
    return changed;
  };

  const queue: Queue = {
    ...identity,
    settings,
    send(outgoing) {
      const deduplicationId = checkFifo(queue.settings, outgoing);
      const seen = deduplicationId === undefined ? undefined : recent.get(deduplicationId);
      if (seen && seen.untilMs > now()) return seen.message;
      const message: Message = {
        ...outgoing,
        deduplicationId,
        id: uuid(),
        sequenceNumber: String(sequence++),
        sentMs: now(),
        firstReceivedMs: undefined,
        receiveCount: 0,
        receiptHandle: undefined,
        hiddenUntilMs: now() + (outgoing.delaySeconds ?? queue.settings.delaySeconds) * 1000,
        sourceArn: undefined,
      };
      if (deduplicationId !== undefined)
        recent.set(deduplicationId, { untilMs: now() + deduplicationMs, message });
      messages.push(message);
      wake();
      return message;
    },
    receive(max, visibilitySeconds = queue.settings.visibilitySeconds) {
      const { fifo, redrive } = queue.settings;
      const locked = new Set(fifo ? messages.filter(isInFlight).map(({ groupId }) => groupId) : []);
      const received: Message[] = [];
      for (const message of fifo ? groupByGroup(messages) : [...messages]) {
        if (received.length === max) break;
        if (locked.has(message.groupId) || message.hiddenUntilMs > now()) continue;
        if (redrive && message.receiveCount >= redrive.maxReceiveCount) {
          messages.splice(messages.indexOf(message), 1);
          options.deadLetter({ ...message, sourceArn: queue.arn }, redrive.deadLetterTargetArn);
        } else {
          received.push(
            replace(message, {
              receiveCount: message.receiveCount + 1,
              firstReceivedMs: message.firstReceivedMs ?? now(),
              receiptHandle: `${message.id}#${uuid()}`,
              hiddenUntilMs: now() + visibilitySeconds * 1000,
            }),
          );
        }
      }
      return received;
    },
    delete(receiptHandle) {
      const message = find(messages, receiptHandle);
      if (message?.receiptHandle !== receiptHandle) return;
      if (queue.settings.fifo && !isInFlight(message)) {
        throw new SqsError('InvalidParameterValue', 'The receipt handle has expired');
      }
      messages.splice(messages.indexOf(message), 1);
      wake();
    },
    setVisibility(receiptHandle, seconds) {
      if (!Number.isInteger(seconds) || seconds < 0 || seconds > 43_200) {
        throw new SqsError(
          'InvalidParameterValue',
          `VisibilityTimeout must be 0 to 43200 seconds, not ${seconds}`,
        );
      }
      const message = find(messages, receiptHandle);
      if (message?.receiptHandle !== receiptHandle || !isInFlight(message)) {
        throw new SqsError('MessageNotInflight', 'The message referred to is not in flight');
      }
      replace(message, { hiddenUntilMs: now() + seconds * 1000 });
      wake();
    },
    adopt(message) {
      messages.push({
        ...message,
        sequenceNumber: String(sequence++),
        sentMs: now(),
        hiddenUntilMs: 0,
        receiptHandle: undefined,
      });
      wake();
    },
    drain() {
      const visible = messages.filter((message) => message.hiddenUntilMs <= now());
      messages = messages.filter((message) => message.hiddenUntilMs > now());
      return visible;
    },
    purge() {
      messages = [];
    },
    counts() {
      const inFlight = messages.filter(isInFlight).length;
      const hidden = messages.filter((message) => message.hiddenUntilMs > now()).length;
      return { visible: messages.length - hidden, inFlight, delayed: hidden - inFlight };
    },
    nextVisibleMs() {
      const hidden = messages.filter((message) => message.hiddenUntilMs > now());
      return hidden.reduce<number | undefined>(
        (first, { hiddenUntilMs }) => Math.min(first ?? hiddenUntilMs, hiddenUntilMs),
        undefined,
      );
    },
    changed: (signal) =>
      new Promise((resolve) => {
        const done = () => {
          waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        waiting.add(done);
        signal.addEventListener('abort', done);
        if (signal.aborted) done();
      }),
  };
  return queue;
}

/** SQS returns as many messages of one group as it can before the next. Groups are in the order of their oldest message, messages in theirs. */
function groupByGroup(messages: readonly Message[]): readonly Message[] {
  return [...Map.groupBy(messages, ({ groupId }) => groupId).values()].flat();
}

/** The deduplication ID of a message; undefined in standard queues. @throws SqsError */
function checkFifo(settings: QueueSettings, message: OutgoingMessage): string | undefined {
  const { groupId, deduplicationId, delaySeconds } = message;
  for (const [name, id] of Object.entries({
    MessageGroupId: groupId,
    MessageDeduplicationId: deduplicationId,
  })) {
    if (id !== undefined && !/^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/.test(id)) {
      throw new SqsError(
        'InvalidParameterValue',
        `${name} takes 1 to 128 alphanumeric and punctuation characters, not "${id}"`,
      );
    }
  }
  if (!settings.fifo) {
    if (deduplicationId === undefined) return undefined;
    throw new SqsError('InvalidParameterValue', 'MessageDeduplicationId is not valid for a standard queue');
  }
  if (groupId === undefined) {
    throw new SqsError('MissingParameter', 'The request must contain the parameter MessageGroupId');
  }
  if (delaySeconds !== undefined) {
    throw new SqsError('InvalidParameterValue', 'DelaySeconds of a message is not valid for a FIFO queue');
  }
  if (deduplicationId !== undefined) return deduplicationId;
  if (settings.contentBasedDeduplication) return createHash('sha256').update(message.body).digest('hex');
  throw new SqsError(
    'InvalidParameterValue',
    'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
  );
}

/** The message of a receipt handle, unless it was deleted. @throws SqsError for a malformed handle */
function find(messages: readonly Message[], receiptHandle: string): Message | undefined {
  const mark = receiptHandle.indexOf('#');
  if (mark === -1)
    throw new SqsError('ReceiptHandleIsInvalid', `The receipt handle is not valid: "${receiptHandle}"`);
  return messages.find((message) => message.id === receiptHandle.slice(0, mark));
}
