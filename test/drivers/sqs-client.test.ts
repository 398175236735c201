import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterEach, expect, test, vi } from 'vitest';
import { sqsClient } from '../../lib/drivers/sqs-client.ts';

afterEach(() => vi.unstubAllEnvs());

/** The host that the client would ask. Nothing is sent. */
async function hostAsked(queueUrl: string): Promise<string | undefined> {
  const client = sqsClient(queueUrl, { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'local-secret' });
  let asked: string | undefined;
  client.middlewareStack.add(
    () => async (args) => {
      asked = (args.request as { readonly hostname: string }).hostname;
      return { output: { $metadata: {} }, response: {} };
    },
    { step: 'build', priority: 'low' },
  );
  await client.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl }));
  return asked;
}

const ofRegion = (region: string, suffix = 'amazonaws.com') =>
  `https://sqs.${region}.${suffix}/123456789012/orders.fifo`;

test.each([
  ['a region', {}, ofRegion('eu-west-1'), 'sqs.eu-west-1.amazonaws.com'],
  ['China', {}, ofRegion('cn-north-1', 'amazonaws.com.cn'), 'sqs.cn-north-1.amazonaws.com.cn'],
  [
    'a region, FIPS wanted',
    { AWS_USE_FIPS_ENDPOINT: 'true' },
    ofRegion('us-east-1'),
    'sqs-fips.us-east-1.amazonaws.com',
  ],
  [
    'a region, dual-stack wanted',
    { AWS_USE_DUALSTACK_ENDPOINT: 'true' },
    ofRegion('eu-west-1'),
    'sqs.eu-west-1.api.aws',
  ],
  [
    'an interface endpoint, FIPS wanted',
    { AWS_USE_FIPS_ENDPOINT: 'true' },
    'https://vpce-0a1b.sqs.eu-west-1.vpce.amazonaws.com/123456789012/orders.fifo',
    'vpce-0a1b.sqs.eu-west-1.vpce.amazonaws.com',
  ],
  ['another server', {}, 'http://127.0.0.1:9324/000000000000/orders.fifo', '127.0.0.1'],
])('asks for a queue of %s at its host', async (_, environment, queueUrl, host) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  expect(await hostAsked(queueUrl)).toBe(host);
});

test('refuses what is no URL, naming it', () => {
  expect(() => sqsClient('orders.fifo')).toThrow(
    expect.objectContaining({
      code: 'config.invalid',
      message: expect.stringContaining('Cannot use the queue "orders.fifo"'),
    }),
  );
});
