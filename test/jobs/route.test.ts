import { describe, expect, it } from 'vitest';
import type { Entry } from '../../lib/config/entry.ts';
import { quarantineIn } from '../../lib/drivers/quarantine.ts';
import { RegistrarError } from '../../lib/errors.ts';
import { decodeEvent } from '../../lib/event/decode-event.ts';
import { route } from '../../lib/jobs/route.ts';
import { entry } from '../fakes/entry.ts';
import { memoryLog } from '../fakes/log.ts';
import { fakeQueue } from '../fakes/queue.ts';
import { seededRandom } from '../fakes/random.ts';
import { fakeStore } from '../fakes/store.ts';
import { virtualTime } from '../fakes/time.ts';

describe('route: what is acknowledged', () => {
  it('sends one message a table and acknowledges everything', async () => {
    const world = setUp();
    const response = await world.route(batch(s3('p/orders/1'), s3('p/events/1', 'p/orders/2')));
    expect(response).toEqual({ batchItemFailures: [] });
    expect(world.received()).toEqual([['p/orders/1', 'p/orders/2'], ['p/events/1']]);
  });

  it('I9: counts what it ignores and what leads nowhere, with a sample', async () => {
    const world = setUp();
    const response = await world.route(
      batch('{"Event":"s3:TestEvent"}', s3('p/orders/data/1', 'p/orders/metadata/1', 'of-no-dataset')),
    );
    expect(response.batchItemFailures).toEqual([]);
    expect(world.received()).toEqual([]);
    expect(world.log.records).toEqual([
      expect.objectContaining({
        event: 'key.unroutable',
        count: 1,
        sample: ['s3://lake/thadam/v1/of-no-dataset'],
      }),
      expect.objectContaining({
        event: 'routed',
        ignored: { 'test-event': 1, 'table-data': 1, 'table-metadata': 1 },
        unroutable: 1,
      }),
    ]);
  });

  it('quarantines what makes no sense with its raw body, and sends the rest of the batch', async () => {
    const world = setUp();
    const response = await world.route(batch('hello', s3('p/orders/1')));
    expect(response.batchItemFailures).toEqual([]);
    expect(world.received()).toEqual([['p/orders/1']]);
    expect(await world.quarantined()).toEqual([
      expect.objectContaining({ kind: 'failure', code: 'event.malformed', body: 'hello' }),
    ]);
  });

  it('I3: hands a message back when its quarantine object could not be written', async () => {
    const world = setUp();
    world.store.onCall = () => {
      throw new RegistrarError('store.unavailable', 'Cannot write');
    };
    const response = await world.route(batch('hello', s3('p/orders/1')));
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: 'm-0' }]);
  });

  it('hands back a chunk message of a newer version', async () => {
    const world = setUp();
    const response = await world.route(batch('{"v":2}', s3('p/orders/1')));
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: 'm-0' }]);
    expect(await world.quarantined()).toEqual([]);
  });

  it('E18: fails as a whole when a record has no messageId, and sends nothing', async () => {
    const world = setUp();
    const event = {
      Records: [{ messageId: 'm', body: s3('p/orders/1'), eventSource: 'aws:sqs' }, { body: '' }],
    };
    await expect(world.route(event)).rejects.toMatchObject({ code: 'event.malformed' });
    expect(world.received()).toEqual([]);
  });
});

describe('route: sending', () => {
  it('E26: sends again only what the queue did not take', async () => {
    const world = setUp();
    const sends: number[] = [];
    let refusals = 2;
    world.queue.onCall = (operation) => void (operation === 'send' && sends.push(0));
    world.queue.refuses = (body) => body.includes('orders') && refusals-- > 0;
    const response = await world.route(batch(s3('p/orders/1'), s3('p/events/1')));
    expect(response.batchItemFailures).toEqual([]);
    expect(sends).toHaveLength(3);
    expect(world.received()).toEqual([['p/events/1'], ['p/orders/1']]);
  });

  it('I3: hands back exactly the messages of which a part was never taken', async () => {
    const world = setUp();
    world.queue.refuses = (body) => body.includes('orders');
    const response = await world.route(
      batch(s3('p/events/1'), s3('p/events/2', 'p/orders/1'), s3('p/orders/2'), 'hello'),
    );
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: 'm-1' }, { itemIdentifier: 'm-2' }]);
    expect(world.received()).toEqual([['p/events/1', 'p/events/2']]);
    expect(world.log.records).toContainEqual(
      expect.objectContaining({ level: 'error', code: 'queue.unavailable', messages: 2 }),
    );
  });

  it('hands back everything that was to be sent when the queue is down', async () => {
    const world = setUp();
    world.queue.onCall = () => {
      throw new RegistrarError('queue.unavailable', 'Cannot send');
    };
    const response = await world.route(batch(s3('p/orders/1'), s3('p/orders/data/1')));
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: 'm-0' }]);
  });

  it('fails as a whole without a queue to send to', async () => {
    const world = setUp(entry({ queues: {} }));
    await expect(world.route(batch(s3('p/orders/1')))).rejects.toMatchObject({ code: 'config.invalid' });
  });

  it('throws what kept an event without a queue from being routed, since nothing can be handed back', async () => {
    const world = setUp();
    world.queue.refuses = () => true;
    await expect(world.route(JSON.parse(s3('p/orders/1')))).rejects.toMatchObject({
      code: 'queue.unavailable',
    });
  });

  it('puts a batch of 10,000 records of one table into 50 messages', async () => {
    const world = setUp();
    const response = await world.route(
      batch(...Array.from({ length: 10_000 }, (_, n) => s3(`p/orders/${n}`))),
    );
    expect(response.batchItemFailures).toEqual([]);
    expect(world.log.records.at(-1)).toMatchObject({ messages: 10_000, segments: 10_000, chunks: 50 });
  });
});

function setUp(of: Entry = entry()) {
  const time = virtualTime();
  const random = seededRandom();
  const store = fakeStore(time.clock);
  const quarantine = quarantineIn(store, 's3://lake/_quarantine', random);
  const queue = fakeQueue(time.clock, random);
  const { url } = queue.queues.create('registrations.fifo', { FifoQueue: 'true' });
  const entries = [of.queues.registrations === undefined ? of : { ...of, queues: { registrations: url } }];
  const log = memoryLog();
  const { clock, timers } = time;
  return {
    store,
    queue,
    log,
    route: (event: unknown) => time.run(route(event, { entries, queue, quarantine, log, clock, timers })),
    /** The keys of each message in the registrations queue, below the layout's fixed part. */
    received: () =>
      queue.queues
        .byUrl(url)
        .receive(10)
        .map(({ body }) =>
          decodeEvent({ Records: [{ messageId: 'm', eventSource: 'aws:sqs', body }] }).messages.flatMap(
            ({ references }) => references.map(({ key }) => key.replace('thadam/v1/', '')),
          ),
        ),
    quarantined: () => Array.fromAsync(quarantine.list(), ({ record }) => record),
  };
}

function batch(...bodies: readonly string[]): unknown {
  return {
    Records: bodies.map((body, n) => ({
      messageId: `m-${n}`,
      receiptHandle: `r-${n}`,
      body,
      attributes: { ApproximateReceiveCount: '1' },
      eventSource: 'aws:sqs',
    })),
  };
}

function s3(...keys: readonly string[]): string {
  return JSON.stringify({
    Records: keys.map((key) => ({
      eventVersion: '2.1',
      eventSource: 'aws:s3',
      eventName: 'ObjectCreated:Put',
      s3: { bucket: { name: 'lake' }, object: { key: `thadam/v1/${key}`, size: 1, eTag: 'e' } },
    })),
  });
}
