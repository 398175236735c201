import { expect, test } from 'vitest';
import { bucketClient } from '../../lib/drivers/bucket-client.ts';

test.each([
  [{ endpoint: 'http://127.0.0.1:9000' }, true],
  [{ endpoint: 'https://s3.example.com', path_style: false }, false],
  [{ path_style: true }, true],
  [{}, false],
])('bucketClient addresses the bucket as the store does: %j', (settings, pathStyle) => {
  expect(bucketClient({ region: 'eu-west-1', ...settings }).config.forcePathStyle).toBe(pathStyle);
});
