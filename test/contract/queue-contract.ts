import { expect } from 'vitest';
import type { OutgoingMessage, Queue, ReceivedMessage } from '../../lib/ports.ts';
import { type ContractCase, contract, type Exceptions, type Made } from './contract.ts';

export interface QueueSubject {
  readonly queue: Queue;
  /** Creates a queue of a name never used before; with `maxReceiveCount` a dead-letter queue of its kind too. */
  createQueue(wanted: WantedQueue): Promise<{ readonly url: string; readonly deadLetterUrl: string }>;
  /** Lets that much time pass: by waiting, or on a virtual clock. */
  pass(ms: number): Promise<void>;
}

export interface WantedQueue {
  readonly fifo: boolean;
  readonly visibilitySeconds: number;
  readonly maxReceiveCount?: number;
}

const fifo: WantedQueue = { fifo: true, visibilitySeconds: 30 };
const standard: WantedQueue = { fifo: false, visibilitySeconds: 30 };

function inGroup(groupId: string, count: number): OutgoingMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    body: `${groupId}${index}`,
    groupId,
    deduplicationId: `${groupId}-${index}`,
  }));
}

async function receive({ queue }: QueueSubject, url: string): Promise<readonly ReceivedMessage[]> {
  return await queue.receive(url, { maxMessages: 10, waitSeconds: 1 });
}

async function receiveBodies(subject: QueueSubject, url: string): Promise<string[]> {
  return (await receive(subject, url)).map(({ body }) => body);
}

/** Everything in a standard queue, in any order: a receive may answer less than there is. */
async function drain(subject: QueueSubject, url: string): Promise<ReceivedMessage[]> {
  const all: ReceivedMessage[] = [];
  for (let empty = 0; empty < 2; ) {
    const some = await receive(subject, url);
    empty = some.length === 0 ? empty + 1 : 0;
    all.push(...some);
  }
  return all;
}

async function only(subject: QueueSubject, url: string): Promise<ReceivedMessage> {
  const [message, ...others] = await receive(subject, url);
  if (message === undefined || others.length > 0) throw new Error('Expected one message');
  return message;
}

export const queueCases: readonly ContractCase<QueueSubject>[] = [
  {
    title: 'send takes any number of messages, and receive answers each with its attributes',
    async run(subject) {
      const { url } = await subject.createQueue(standard);
      const bodies = Array.from({ length: 25 }, (_, index) => `message ${index} é 🧊 <&>`);
      expect(
        await subject.queue.send(
          url,
          bodies.map((body) => ({ body })),
        ),
      ).toStrictEqual([]);
      const received = await drain(subject, url);
      expect(received.map(({ body }) => body).sort()).toStrictEqual([...bodies].sort());
      expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(25);
      for (const { attributes } of received) {
        expect(attributes).toMatchObject({ ApproximateReceiveCount: '1' });
        expect(Number(attributes['SentTimestamp'])).toBeGreaterThan(0);
      }
    },
  },
  {
    title: 'send divides what is too large for one request',
    async run(subject) {
      const { url } = await subject.createQueue(standard);
      const messages = Array.from({ length: 10 }, (_, index) => ({ body: `${index}${'x'.repeat(120_000)}` }));
      expect(await subject.queue.send(url, messages)).toStrictEqual([]);
      expect(await drain(subject, url)).toHaveLength(10);
    },
  },
  {
    title: 'receive of an empty queue answers nothing',
    async run(subject) {
      const { url } = await subject.createQueue(standard);
      expect(await receive(subject, url)).toStrictEqual([]);
    },
  },
  {
    title: 'a FIFO receive answers several messages of one group in order, and names the group',
    async run(subject) {
      const { url } = await subject.createQueue(fifo);
      expect(await subject.queue.send(url, inGroup('A', 3))).toStrictEqual([]);
      const received = await receive(subject, url);
      expect(received.map(({ body }) => body)).toStrictEqual(['A0', 'A1', 'A2']);
      expect(received[0]?.attributes).toMatchObject({ MessageGroupId: 'A', MessageDeduplicationId: 'A-0' });
    },
  },
  {
    title: 'a group is locked while a message of it is in flight, others are not',
    async run(subject) {
      const { url } = await subject.createQueue(fifo);
      await subject.queue.send(url, [...inGroup('A', 12), ...inGroup('B', 3)]);
      const first = await receive(subject, url);
      expect(first.map(({ body }) => body)).toStrictEqual(
        Array.from({ length: 10 }, (_, index) => `A${index}`),
      );
      expect(await receiveBodies(subject, url)).toStrictEqual(['B0', 'B1', 'B2']);
      expect(await receiveBodies(subject, url)).toStrictEqual([]);
      await subject.queue.delete(
        url,
        first.map(({ receiptHandle }) => receiptHandle),
      );
      expect(await receiveBodies(subject, url)).toStrictEqual(['A10', 'A11']);
    },
  },
  {
    title: 'a deduplication ID seen within five minutes is taken and not delivered again',
    async run(subject) {
      const { url } = await subject.createQueue(fifo);
      const message = { body: 'once', groupId: 'A', deduplicationId: 'same' };
      expect(await subject.queue.send(url, [message])).toStrictEqual([]);
      const { receiptHandle } = await only(subject, url);
      await subject.queue.delete(url, [receiptHandle]);
      expect(await subject.queue.send(url, [message])).toStrictEqual([]);
      expect(await receive(subject, url)).toStrictEqual([]);
      await subject.queue.send(url, [{ ...message, deduplicationId: 'other' }]);
      expect(await receiveBodies(subject, url)).toStrictEqual(['once']);
    },
  },
  {
    title: 'a message is received again, and counted, when its visibility ends',
    async run(subject) {
      for (const wanted of [standard, fifo]) {
        const { url } = await subject.createQueue({ ...wanted, visibilitySeconds: 5 });
        await subject.queue.send(url, wanted.fifo ? inGroup('A', 1) : [{ body: 'A0' }]);
        await only(subject, url);
        expect(await receive(subject, url)).toStrictEqual([]);
        await subject.pass(5_000);
        expect((await only(subject, url)).attributes).toMatchObject({ ApproximateReceiveCount: '2' });
      }
    },
  },
  {
    title: 'setVisibility brings a message forward or puts it off',
    async run(subject) {
      const { url } = await subject.createQueue({ ...fifo, visibilitySeconds: 5 });
      await subject.queue.send(url, inGroup('A', 1));
      await subject.queue.setVisibility(url, (await only(subject, url)).receiptHandle, 0);
      const again = await only(subject, url);
      await subject.queue.setVisibility(url, again.receiptHandle, 60);
      await subject.pass(5_500);
      expect(await receive(subject, url)).toStrictEqual([]);
    },
  },
  {
    title: 'delete takes more than ten receipts, and what is deleted never comes back',
    async run(subject) {
      const { url } = await subject.createQueue({ ...standard, visibilitySeconds: 4 });
      const messages = Array.from({ length: 13 }, (_, index) => ({ body: `${index}` }));
      await subject.queue.send(url, messages);
      const received: ReceivedMessage[] = [];
      while (received.length < messages.length) received.push(...(await receive(subject, url)));
      await subject.queue.delete(
        url,
        received.map(({ receiptHandle }) => receiptHandle),
      );
      await subject.pass(4_500);
      expect(await receive(subject, url)).toStrictEqual([]);
    },
  },
  {
    title: 'a message received too often goes to the dead-letter queue',
    async run(subject) {
      for (const wanted of [standard, fifo]) {
        const { url, deadLetterUrl } = await subject.createQueue({ ...wanted, maxReceiveCount: 2 });
        await subject.queue.send(url, wanted.fifo ? inGroup('A', 1) : [{ body: 'A0' }]);
        for (let receives = 0; receives < 2; receives += 1) {
          await subject.queue.setVisibility(url, (await only(subject, url)).receiptHandle, 0);
        }
        expect(await receive(subject, url)).toStrictEqual([]);
        expect((await only(subject, deadLetterUrl)).body).toBe('A0');
      }
    },
  },
  {
    title: 'every call on a queue that does not exist is queue.unavailable',
    async run(subject) {
      const { url } = await subject.createQueue(standard);
      const absent = `${url}-absent`;
      const unavailable = { code: 'queue.unavailable', message: expect.stringContaining(absent) };
      await expect(subject.queue.send(absent, [{ body: 'x' }])).rejects.toMatchObject(unavailable);
      await expect(receive(subject, absent)).rejects.toMatchObject(unavailable);
    },
  },
];

/** Holds a queue to the port (`lib/ports.ts`); most cases wait, so they run side by side. */
export function queueContract(
  name: string,
  make: () => Promise<Made<QueueSubject>>,
  except?: Exceptions,
): void {
  contract(name, queueCases, make, { except, concurrent: true });
}
