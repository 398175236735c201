import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { sqsQueue } from '../../lib/drivers/sqs.ts';
import { json, type Scripted, scriptedServer } from '../fakes/http.ts';

/** A queue whose every request is answered by `answer`; requests come as SQS's JSON. */
async function scriptedQueue(answer: (action: string, body: Record<string, unknown>) => Scripted) {
  const requests: { action: string; body: Record<string, unknown> }[] = [];
  const server = await scriptedServer((_, request) => {
    const action = request.headers['x-amz-target']?.replace('AmazonSQS.', '') ?? '';
    const body = JSON.parse(request.body.toString()) as Record<string, unknown>;
    requests.push({ action, body });
    return answer(action, body);
  });
  onTestFinished(server.close);
  const queue = sqsQueue({
    access_key_id: 'AKIAEXAMPLE',
    secret_access_key: 'very-secret-key',
    region: 'us-east-1',
  });
  return { queue, queueUrl: `${server.url}/000000000000/orders.fifo`, requests };
}

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
}

const entriesOf = (body: Record<string, unknown>) => body['Entries'] as Entry[];

function taken(
  body: Record<string, unknown>,
  failed: (entry: Entry) => object | undefined = () => undefined,
) {
  const Failed = entriesOf(body).flatMap((entry) => {
    const failure = failed(entry);
    return failure === undefined ? [] : [{ Id: entry.Id, ...failure }];
  });
  const Successful = entriesOf(body).map(({ Id, MessageBody }) => ({
    Id,
    MessageId: Id,
    MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
  }));
  return json(200, { Successful: Failed.length > 0 ? [] : Successful, Failed });
}

function refusal(status: number, type: string) {
  return json(status, { __type: `com.amazonaws.sqs#${type}`, message: 'told' });
}

const messages = (...bodies: string[]) => bodies.map((body) => ({ body }));

test('send answers what the queue did not take and why, over all batches', async () => {
  const { queue, queueUrl } = await scriptedQueue((_, body) =>
    taken(body, ({ MessageBody }) => {
      if (MessageBody === '3') return { SenderFault: false, Code: 'InternalError', Message: 'later' };
      if (MessageBody === '11')
        return { SenderFault: true, Code: 'InvalidMessageContents', Message: 'never' };
      return undefined;
    }),
  );
  const bodies = Array.from({ length: 12 }, (_, index) => `${index}`);
  expect(await queue.send(queueUrl, messages(...bodies))).toStrictEqual([
    { index: 3, reason: 'InternalError: later' },
    { index: 11, reason: 'InvalidMessageContents: never' },
  ]);
});

test('send makes batches of at most ten messages and 256 KiB, in order, a larger one alone', async () => {
  const { queue, queueUrl, requests } = await scriptedQueue((_, body) => taken(body));
  const kib = (size: number) => 'ü'.repeat(size * 512);
  await queue.send(queueUrl, messages(kib(100), kib(156), kib(1), kib(300), ...Array(11).fill('x')));
  expect(requests.map(({ body }) => entriesOf(body).length)).toStrictEqual([2, 1, 1, 10, 1]);
});

test('send carries group and deduplication ID where there are such', async () => {
  const { queue, queueUrl, requests } = await scriptedQueue((_, body) => taken(body));
  await queue.send(queueUrl, [{ body: 'a', groupId: 'g', deduplicationId: 'd' }, { body: 'b' }]);
  expect(requests[0]?.body['Entries']).toStrictEqual([
    { Id: '0', MessageBody: 'a', MessageGroupId: 'g', MessageDeduplicationId: 'd' },
    { Id: '1', MessageBody: 'b' },
  ]);
});

test.each([
  [400, 'QueueDoesNotExist', 'queue.unavailable'],
  [403, 'AccessDeniedException', 'auth.failed'],
  [403, 'InvalidClientTokenId', 'auth.failed'],
])('every call answered by %i %s is %s and names the queue', async (status, type, code) => {
  const { queue, queueUrl } = await scriptedQueue(() => refusal(status, type));
  const expected = { code, message: expect.stringContaining(`"${queueUrl}": ${status} ${type}`) };
  await expect(queue.send(queueUrl, messages('a'))).rejects.toMatchObject(expected);
  await expect(queue.receive(queueUrl, { maxMessages: 10, waitSeconds: 0 })).rejects.toMatchObject(expected);
  await expect(queue.delete(queueUrl, ['r'])).rejects.toMatchObject(expected);
  await expect(queue.setVisibility(queueUrl, 'r', 0)).rejects.toMatchObject(expected);
});

test('a delete that the queue refuses for one receipt is queue.unavailable', async () => {
  const Failed = [{ Id: '0', SenderFault: true, Code: 'ReceiptHandleIsInvalid', Message: 'told' }];
  const { queue, queueUrl } = await scriptedQueue(() => json(200, { Successful: [], Failed }));
  await expect(queue.delete(queueUrl, ['r'])).rejects.toMatchObject({
    code: 'queue.unavailable',
    message: expect.stringContaining('ReceiptHandleIsInvalid'),
  });
});

test('setVisibility rounds up to seconds and stays below the twelve hours of SQS', async () => {
  const { queue, queueUrl, requests } = await scriptedQueue(() => json(200, {}));
  await queue.setVisibility(queueUrl, 'r', 1.2);
  await queue.setVisibility(queueUrl, 'r', 1e6);
  expect(requests.map(({ body }) => body['VisibilityTimeout'])).toStrictEqual([2, 43_200]);
});

test('a queue that is named by no URL is config.invalid', async () => {
  await expect(sqsQueue({}).send('orders', messages('a'))).rejects.toMatchObject({ code: 'config.invalid' });
});
