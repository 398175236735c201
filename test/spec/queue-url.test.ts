import { expect, test } from 'vitest';
import { awsQueue, queueRegion } from '../../lib/spec/queue-url.ts';

test.each([
  ['https://sqs.eu-central-1.amazonaws.com/123456789012/orders.fifo', 'eu-central-1'],
  ['https://sqs.cn-north-1.amazonaws.com.cn/123456789012/orders.fifo', 'cn-north-1'],
  ['https://sqs-fips.us-gov-west-1.amazonaws.com/123456789012/orders.fifo', 'us-gov-west-1'],
  ['https://sqs.eu-west-1.api.aws/123456789012/orders.fifo', 'eu-west-1'],
  ['https://vpce-0a1b-2c3d.sqs.eu-west-1.vpce.amazonaws.com/123456789012/orders.fifo', 'eu-west-1'],
  [
    'https://vpce-0a1b-2c3d-eu-west-1a.sqs.eu-west-1.vpce.amazonaws.com/123456789012/orders.fifo',
    'eu-west-1',
  ],
  ['https://eu-west-1.queue.amazonaws.com/123456789012/orders.fifo', 'eu-west-1'],
  ['https://queue.amazonaws.com/123456789012/orders.fifo', 'us-east-1'],
  ['http://127.0.0.1:9324/000000000000/sqs.eu-west-1.amazonaws.com', undefined],
  ['orders.fifo', undefined],
])('queueRegion of "%s" is %s', (queueUrl, region) => {
  expect(queueRegion(queueUrl)).toBe(region);
});

test('awsQueue tells account and name apart', () => {
  const found = { region: 'eu-west-1', account: '123456789012', name: 'orders.fifo' };
  expect(awsQueue('https://sqs.eu-west-1.amazonaws.com/123456789012/orders.fifo')).toEqual(found);
  expect(awsQueue('https://vpce-0a1b.sqs.eu-west-1.vpce.amazonaws.com/123456789012/orders.fifo')).toEqual(
    found,
  );
  expect(awsQueue('https://sqs.eu-west-1.amazonaws.com/orders.fifo')).toBeUndefined();
  expect(awsQueue('http://127.0.0.1:9324/000000000000/orders.fifo')).toBeUndefined();
});
