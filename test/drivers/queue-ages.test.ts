import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../lib/drivers/platform.ts';
import { oldestMessageAges } from '../../lib/drivers/queue-ages.ts';
import { signatureProblem } from '../fakes/aws-signature.ts';
import { json, type Scripted, type ScriptedServer, scriptedServer } from '../fakes/http.ts';

const URL = 'https://sqs.eu-central-1.amazonaws.com/123456789012';
const KEY = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'own-secret' };

let server: ScriptedServer;
let answer: Scripted;
beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', KEY.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', KEY.secretAccessKey);
  server = await scriptedServer(() => answer);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const ask = (urls: readonly string[]) => oldestMessageAges(urls, { endpoint: server.url }, systemClock);

describe('oldestMessageAges', () => {
  test('asks CloudWatch once for all queues of a region, signed, and takes the newest value', async () => {
    answer = json(200, {
      MetricDataResults: [
        { Id: 'q1', Values: [90, 30] },
        { Id: 'q0', Values: [] },
      ],
    });
    const ages = await ask([`${URL}/arrivals`, `${URL}/registrations.fifo`]);
    expect([...ages]).toEqual([[`${URL}/registrations.fifo`, 90_000]]);
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    if (request === undefined) throw new Error('nothing was asked');
    expect(
      signatureProblem(request, { ...KEY, region: 'eu-central-1', service: 'monitoring' }),
    ).toBeUndefined();
    expect(request.headers['x-amz-target']).toBe('GraniteServiceVersion20100801.GetMetricData');
    const body = JSON.parse(request.body.toString());
    expect(body).toMatchObject({
      ScanBy: 'TimestampDescending',
      MetricDataQueries: [
        {
          Id: 'q0',
          MetricStat: {
            Metric: {
              Namespace: 'AWS/SQS',
              MetricName: 'ApproximateAgeOfOldestMessage',
              Dimensions: [{ Name: 'QueueName', Value: 'arrivals' }],
            },
          },
        },
        { Id: 'q1' },
      ],
    });
    expect(body.EndTime - body.StartTime).toBeGreaterThanOrEqual(900);
  });

  test('asks nothing of queues that are not on AWS', async () => {
    const urls = ['http://sqs.us-east-1.localhost.localstack.cloud:4566/000000000000/arrivals'];
    expect((await ask(urls)).size).toBe(0);
    expect(server.requests).toEqual([]);
  });

  test.each([
    [json(400, { __type: 'AccessDeniedException' }), 'auth.failed', 'cloudwatch:GetMetricData'],
    [json(500, {}), 'queue.unavailable', '500'],
    ['reset', 'queue.unavailable', 'CloudWatch'],
  ] as const)('says of the answer %j %s', async (refusal, code, message) => {
    answer = refusal;
    await expect(ask([`${URL}/arrivals`])).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});
