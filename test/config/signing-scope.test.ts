import { expect, test } from 'vitest';
import { signingScope } from '../../lib/config/signing-scope.ts';

const bucket = 'arn:aws:s3tables:eu-west-1:123456789012:bucket/lake';

test.each([
  [
    'as configured',
    { region: 'r', service: 's' },
    'https://glue.us-east-1.amazonaws.com/iceberg',
    bucket,
    's',
    'r',
  ],
  ['from the host', {}, 'https://glue.us-east-1.amazonaws.com/iceberg', '123456789012', 'glue', 'us-east-1'],
  [
    'from the host of S3 Tables',
    {},
    'https://s3tables.eu-west-1.amazonaws.com/iceberg',
    bucket,
    's3tables',
    'eu-west-1',
  ],
  [
    'from the host of an API',
    {},
    'https://a1.execute-api.eu-west-1.amazonaws.com/p',
    '',
    'execute-api',
    'eu-west-1',
  ],
  [
    'from an interface endpoint',
    {},
    'https://vpce-0a1b-2c3d.glue.eu-west-1.vpce.amazonaws.com/iceberg',
    '1',
    'glue',
    'eu-west-1',
  ],
  ['from a FIPS endpoint', {}, 'https://glue-fips.us-east-1.amazonaws.com/iceberg', '1', 'glue', 'us-east-1'],
  [
    'from a dual-stack endpoint',
    {},
    'https://s3tables.eu-west-1.api.aws/iceberg',
    '',
    's3tables',
    'eu-west-1',
  ],
  ['in China', {}, 'https://glue.cn-north-1.amazonaws.com.cn/iceberg', '1', 'glue', 'cn-north-1'],
  [
    "from the warehouse's ARN behind another host",
    {},
    'https://tables.internal',
    bucket,
    's3tables',
    'eu-west-1',
  ],
  ['with glue where only the region is known', { region: 'r' }, 'https://tables.internal', '', 'glue', 'r'],
])('signingScope %s', (_, configured, uri, warehouse, service, region) => {
  expect(signingScope(configured, uri, warehouse)).toStrictEqual({ region, service });
});

test('signingScope is unknown where nothing names the region', () => {
  expect(signingScope({}, 'https://tables.internal', 'lake')).toBeUndefined();
});
