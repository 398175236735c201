import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { amazonEndpoint, encodeKey, endpointAt } from '../../../lib/drivers/s3/address.ts';
import { s3Sdk } from '../../../lib/drivers/s3/sdk.ts';

const buckets = [
  'lake',
  'my-lake-2026',
  'with.dots.in',
  'a1b',
  'orders--use1-az4--x-s3',
  'points-abc123-s3alias',
  'thing--ol-s3',
  'xn--lake',
  'Upper',
  'under_score',
  'arn:aws:s3:eu-west-1:123456789012:accesspoint:lake',
];
const regions = [
  'us-east-1',
  'eu-central-1',
  'ap-southeast-7',
  'cn-north-1',
  'us-gov-west-1',
  'us-isof-east-1',
  'aws-global',
];

describe('amazonEndpoint is where the SDK sends requests, or nothing', () => {
  const { endpointProvider } = new S3Client({ region: 'us-east-1' }).config;

  test.each(buckets.flatMap((bucket) => regions.map((region) => [bucket, region] as const)))(
    '%s in %s',
    (bucket, region) => {
      for (const pathStyle of [false, true]) {
        const ours = amazonEndpoint(bucket, region, pathStyle);
        if (ours === undefined) continue;
        const { url } = endpointProvider({
          Bucket: bucket,
          Region: region,
          ForcePathStyle: pathStyle,
          UseFIPS: false,
          UseDualStack: false,
        });
        expect(`${ours.origin}${ours.basePath}`).toBe(url.href.replace(/\/*$/, '/'));
      }
    },
  );

  test('plain buckets of common regions need no SDK', () => {
    expect(amazonEndpoint('lake', 'eu-central-1', false)).toStrictEqual({
      origin: 'https://lake.s3.eu-central-1.amazonaws.com',
      basePath: '/',
    });
    expect(amazonEndpoint('with.dots.in', 'cn-north-1', false)).toStrictEqual({
      origin: 'https://s3.cn-north-1.amazonaws.com.cn',
      basePath: '/with.dots.in/',
    });
  });
});

test.each([
  ['http://127.0.0.1:9000', true, 'http://127.0.0.1:9000', '/lake/'],
  ['http://127.0.0.1:9000', false, 'http://127.0.0.1:9000', '/lake/'],
  ['https://s3.example.com', false, 'https://lake.s3.example.com', '/'],
  ['https://gateway.example.com/s3/', true, 'https://gateway.example.com', '/s3/lake/'],
  ['http://[::1]:9000', false, 'http://[::1]:9000', '/lake/'],
  // A pattern for slashes at the end would take quadratic time.
  [`https://h/${'/'.repeat(200_000)}x`, true, 'https://h', `/${'/'.repeat(200_000)}x/lake/`],
])('endpointAt %s, path style %s', (endpoint, pathStyle, origin, basePath) => {
  expect(endpointAt(endpoint, 'lake', pathStyle)).toStrictEqual({ origin, basePath });
});

test('what takes more than a name is left to the SDK, and what it cannot sign is refused', async () => {
  const sdk = s3Sdk({ region: 'eu-west-1' });
  const arn = 'arn:aws:s3:eu-west-1:123456789012:accesspoint:lake';
  expect(await sdk.endpointOf(arn, 'eu-west-1')).toStrictEqual({
    origin: 'https://lake-123456789012.s3-accesspoint.eu-west-1.amazonaws.com',
    basePath: '/',
  });
  await expect(sdk.endpointOf('lake--euw1-az1--x-s3', 'eu-west-1')).rejects.toMatchObject({
    code: 'config.invalid',
  });
});

test('encodeKey leaves unreserved characters and slashes', () => {
  expect(encodeKey("a b/-_.~/!'()*/ü%2F")).toBe('a%20b/-_.~/%21%27%28%29%2A/%C3%BC%252F');
});
