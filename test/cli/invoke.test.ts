import { describe, expect, test } from 'vitest';
import { eventFile, testEvent } from './event-files.ts';
import { runCli } from './run.ts';

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'some-token', AWS_SECRET_ACCESS_KEY: 'some-secret' };

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

  test('exits 1 when a message failed, as where catalog and store are down', async () => {
    const store = { endpoint: 'http://127.0.0.1:9', allow_http: true, region: 'us-east-1' };
    const catalog_uri = 'http://127.0.0.1:9';
    const config = { url: 's3://lake', quarantine_url: 's3://lake/q', namespace: 'a', catalog_uri, store };
    const environment = { ...CREDENTIALS, REGISTRAR_CONFIG: JSON.stringify(config) };
    const { status, stdout } = await runCli(['invoke', 'register', 'events/s3-put.json'], environment);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /"code":"(catalog|store)\.unavailable"[\s\S]*\nanswer {4}\{"batchItemFailures":\[\{"item/,
    );
  });

  test('runs the handler for an event that names no object', async () => {
    const { status, stdout } = await runCli(['invoke', 'register', eventFile(testEvent), '--json'], {});
    expect({ status, result: JSON.parse(stdout) }).toMatchObject({
      status: 0,
      result: { answer: { batchItemFailures: [] }, uploaded: [], tables: [] },
    });
  });

  test.each(['events/gcs.json', 'events/pubsub.json'])('says that %s needs a configuration', async (file) => {
    const { status, stdout, stderr } = await runCli(['invoke', 'register', file], {});
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      /^config\.invalid: Cannot generate "gs:\/\/lake\/.*": .*set REGISTRAR_CONFIG.*\n$/,
    );
  });
});
