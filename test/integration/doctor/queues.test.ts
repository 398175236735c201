import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../../lib/drivers/platform.ts';
import { ok } from '../../../lib/jobs/doctor/finding.ts';
import { tryQueue } from '../../../lib/jobs/doctor/try-queue.ts';
import { sqsSubject } from '../../contract/sqs-subject.ts';
import { describeWith } from '../services/describe-with.ts';
import { storeSettings } from '../services/settings.ts';

describeWith('doctor on the queues of LocalStack', ['localstack'], ({ localstack }) => {
  test.each([
    [false, 'a queue; a test message was sent to it; receiving is not tried'],
    [
      true,
      'a queue; a test message was sent to it; changing the visibility of a message is not denied; receiving is not tried',
    ],
  ])('tryQueue with fifo %s sends one message and disturbs no other', async (fifo, found) => {
    const { queue, createQueue } = sqsSubject(storeSettings(localstack), `doctor-${randomUUID()}`);
    const { url } = await createQueue({ fifo, visibilitySeconds: 30 });
    const earlier = { body: 'earlier', ...(fifo && { groupId: 'table', deduplicationId: randomUUID() }) };
    await queue.send(url, [earlier]);

    const ports = { queue, clock: systemClock, random: systemRandom };
    expect(await tryQueue(ok('a queue'), url, fifo, ports)).toStrictEqual(ok(found));

    const received = [];
    while (received.length < 2) {
      received.push(...(await queue.receive(url, { maxMessages: 10, waitSeconds: 1 })));
    }
    expect(received.map(({ attributes }) => attributes['ApproximateReceiveCount'])).toEqual(['1', '1']);
    const bodies = received.map(({ body }) => body);
    expect(bodies).toContain('earlier');
    expect(bodies).toContainEqual(expect.stringContaining('"Event":"s3:TestEvent"'));
  });
});
