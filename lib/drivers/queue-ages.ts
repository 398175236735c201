import { RegistrarError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { type AwsQueue, awsQueue } from '../spec/queue-url.ts';
import { awsEndpoint } from './aws-endpoint.ts';
import { sendToAws } from './aws-request.ts';
import { faultText } from './http.ts';

export interface QueueAgesSettings {
  /** @default CloudWatch's endpoint of the region */
  readonly endpoint?: string | undefined;
  /** @default 10_000; a function in a VPC without an endpoint for CloudWatch cannot reach it */
  readonly timeoutMs?: number;
}

/** SQS measures once per minute, and CloudWatch shows the value some minutes later. */
const LOOK_BACK_MS = 15 * 60_000;
const PERIOD_SECONDS = 60;
/** GetMetricData accepts 500 queries per request. */
const MOST_QUEUES = 500;

/**
 * The age of the oldest message in each queue on AWS, in ms. SQS itself only has counts, so CloudWatch is asked (`cloudwatch:GetMetricData`),
 * with one request per region in its JSON protocol. Queues elsewhere, and those without a measurement, are left out.
 *
 * @throws `queue.unavailable`, `auth.failed`
 */
export async function oldestMessageAges(
  queueUrls: readonly string[],
  { endpoint, timeoutMs = 10_000 }: QueueAgesSettings,
  clock: Clock,
): Promise<ReadonlyMap<string, number>> {
  const ages = new Map<string, number>();
  const onAws = queueUrls.flatMap((url) => {
    const queue = awsQueue(url);
    return queue === undefined ? [] : [{ url, ...queue }];
  });
  for (const [region, queues] of Map.groupBy(onAws, (queue) => queue.region)) {
    const asked = queues.slice(0, MOST_QUEUES);
    const origin = new URL(endpoint ?? awsEndpoint('monitoring', region)).origin;
    const answer = await getMetricData(asked, { region, origin, timeoutMs }, clock);
    for (const { Id, Values = [] } of answer.MetricDataResults ?? []) {
      const queue = asked[Number(Id.slice(1))];
      if (queue !== undefined && Values[0] !== undefined) ages.set(queue.url, Values[0] * 1000);
    }
  }
  return ages;
}

interface MetricData {
  readonly MetricDataResults?: readonly { readonly Id: string; readonly Values?: readonly number[] }[];
}

async function getMetricData(
  queues: readonly AwsQueue[],
  to: { readonly region: string; readonly origin: string; readonly timeoutMs: number },
  clock: Clock,
): Promise<MetricData> {
  const { region, origin, timeoutMs } = to;
  const nowMs = clock.now();
  const request = {
    method: 'POST',
    origin,
    path: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'GraniteServiceVersion20100801.GetMetricData',
    },
    body: JSON.stringify({
      StartTime: Math.floor((nowMs - LOOK_BACK_MS) / 1000),
      EndTime: Math.ceil(nowMs / 1000),
      ScanBy: 'TimestampDescending',
      MetricDataQueries: queues.map(({ name }, at) => ({
        Id: `q${at}`,
        MetricStat: {
          Metric: {
            Namespace: 'AWS/SQS',
            MetricName: 'ApproximateAgeOfOldestMessage',
            Dimensions: [{ Name: 'QueueName', Value: name }],
          },
          Period: PERIOD_SECONDS,
          Stat: 'Maximum',
        },
      })),
    }),
  } as const;
  const attempted = `Cannot ask CloudWatch for the age of ${queues.length} queues in region "${region}"`;
  const sent = await sendToAws(request, { region, service: 'monitoring', timeoutMs }, clock);
  if (sent.kind !== 'answer') {
    throw new RegistrarError('queue.unavailable', `${attempted}: ${faultText(sent.cause)}`);
  }
  if (sent.status !== 200) {
    const isDenied = sent.status === 403 || /AccessDenied|NotAuthorized/.test(sent.text);
    throw new RegistrarError(
      isDenied ? 'auth.failed' : 'queue.unavailable',
      `${attempted}: ${sent.status} ${sent.quoted()}${isDenied ? '; allow the role cloudwatch:GetMetricData' : ''}`,
    );
  }
  try {
    return JSON.parse(sent.text) as MetricData;
  } catch (cause) {
    throw new RegistrarError('queue.unavailable', `${attempted}: the answer is not JSON`, { cause });
  }
}
