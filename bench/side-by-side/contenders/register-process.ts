/**
 * The built register function, kept warm in a process that reads jobs from lines: `node register-process.mjs BUNDLE`, with its configuration
 * in the environment as deployed. Each job is an SQS event with the messages that the route function would have sent for its segments.
 */
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { lambdaContext } from '../../../local/lambda-context.ts';
import type { Segment } from '../lakehouse/segments.ts';
import { type Answer, serve } from './protocol.ts';

type Handler = (event: SQSEvent, context: object) => Promise<{ readonly batchItemFailures: unknown[] }>;

const SEGMENTS_A_MESSAGE = 200;
const TIMEOUT_MS = 120_000;

const [, , bundle = ''] = process.argv;
const { handler } = (await import(bundle)) as { readonly handler: Handler };
const commits = watchCommits();

await serve<{ readonly table: string; readonly segments: readonly Segment[] }, SQSEvent>({
  prepare: async ({ table, segments }) => {
    commits.forget();
    return { Records: messages(segments).map((body) => record(body, table)) };
  },
  work: async (event) => {
    const context = lambdaContext({
      functionName: 'register',
      requestId: randomUUID(),
      deadlineMs: Date.now() + TIMEOUT_MS,
      now: Date.now,
    });
    const { batchItemFailures } = await handler(event, context);
    if (batchItemFailures.length > 0)
      throw new Error(`${batchItemFailures.length} messages were handed back`);
    return commits.seen();
  },
});

function messages(segments: readonly Segment[]): readonly string[] {
  const parts = Array.from({ length: Math.ceil(segments.length / SEGMENTS_A_MESSAGE) }, (_, at) =>
    segments.slice(at * SEGMENTS_A_MESSAGE, (at + 1) * SEGMENTS_A_MESSAGE),
  );
  return parts.map((part) => JSON.stringify({ v: 1, segments: part }));
}

function record(body: string, group: string): SQSRecord {
  const now = String(Date.now());
  return {
    messageId: randomUUID(),
    receiptHandle: randomUUID(),
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: now,
      SenderId: 'AROAEXAMPLE:route',
      ApproximateFirstReceiveTimestamp: now,
      MessageGroupId: group,
      MessageDeduplicationId: randomUUID(),
      SequenceNumber: '18849496460467696128',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:registrations.fifo',
    awsRegion: 'us-east-1',
  };
}

interface UndiciMessage {
  readonly request: { readonly method: string; readonly path: string };
  readonly response?: { readonly statusCode: number };
}

/** Times the commit requests from outside, through the channels that undici publishes to. */
function watchCommits() {
  let commitMs = 0;
  let conflicts = 0;
  const begun = new WeakMap<object, number>();
  const isCommit = ({ request }: UndiciMessage): boolean =>
    request.method === 'POST' && /\/tables\/[^/]+$/.test(request.path);
  const on = (channel: string, act: (message: UndiciMessage) => void): void =>
    subscribe(channel, (message) => {
      if (isCommit(message as UndiciMessage)) act(message as UndiciMessage);
    });
  on('undici:client:sendHeaders', ({ request }) => begun.set(request, performance.now()));
  on('undici:request:headers', ({ response }) => {
    if (response?.statusCode === 409) conflicts += 1;
  });
  on('undici:request:trailers', ({ request }) => {
    commitMs += performance.now() - (begun.get(request) ?? Number.NaN);
  });
  return {
    forget(): void {
      [commitMs, conflicts] = [0, 0];
    },
    seen: (): Pick<Answer, 'commitMs' | 'conflicts'> => ({ commitMs, conflicts }),
  };
}
