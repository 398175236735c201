import { describe, expect, test } from 'vitest';
import { runCli } from './run.ts';

describe('iceberg-registrar invoke', () => {
  test('--json prints one JSON object, and the log beside it', async () => {
    const { status, stdout, stderr } = await runCli(
      ['invoke', 'register', 'events/s3-put.json', '--json'],
      {},
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ answer: { batchItemFailures: [] } });
    expect(stderr).toContain('"event":"committed"');
  });
});
