import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEngine } from '../../local/demo/engine.ts';
import { attachCatalog, lakeOf, tableSql } from '../../local/demo/lake.ts';
import { differences, readBack } from '../../local/demo/read-back.ts';
import { type FunctionProcess, startFunction } from '../../local/lambda/function-process.ts';
import { orders } from '../../local/shipper/orders.ts';
import { makeSegment } from '../../local/shipper/segment.ts';
import { type Stack, startStack } from '../../local/stack.ts';

/** Runs the pipeline end to end with the deployed bundles instead of the sources, each function in its own process. */
const root = path.resolve(import.meta.dirname, '../..');

let stack: Stack;
let functions: Readonly<Record<'route' | 'register' | 'health', FunctionProcess>>;
let registrations: string;
const output: string[] = [];

beforeAll(async () => {
  execFileSync(process.execPath, ['esbuild.config.mjs'], { cwd: root, stdio: 'pipe' });
  stack = await startStack();
  stack.createBucket('lake');
  registrations = stack.createQueue('registrations', { fifo: true }).url;
  const env = {
    METRICS_NAMESPACE: 'iceberg-registrar/test',
    AWS_REGION: stack.region,
    AWS_ACCESS_KEY_ID: stack.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: stack.credentials.secretAccessKey,
    REGISTRAR_CONFIG: JSON.stringify({
      url: 's3://lake/in',
      catalog_uri: stack.catalogUri,
      namespace: 'lake',
      create_table: true,
      quarantine_url: 's3://lake/quarantine',
      queues: { registrations },
      store: { endpoint: stack.s3Endpoint, region: stack.region, allow_http: true },
    }),
  };
  const start = (name: string) =>
    startFunction(path.join(root, `dist/${name}/index.mjs`), env, { onOutput: (text) => output.push(text) });
  const [route, register, health] = await Promise.all([start('route'), start('register'), start('health')]);
  functions = { route, register, health };
});

afterAll(async () => {
  await Promise.all(Object.values(functions ?? {}).map((one) => one.close()));
  await stack?.close();
});

describe('the built bundles', () => {
  test('register a segment end to end, and another engine reads its values', async () => {
    const made = makeSegment(orders, 0, 0);
    const object = stack.objects.put('lake', `in/${made.key}`, Buffer.from(made.bytes));
    const notification = {
      Records: [
        {
          eventVersion: '2.1',
          eventSource: 'aws:s3',
          eventName: 'ObjectCreated:Put',
          s3: {
            bucket: { name: 'lake' },
            object: { key: object.key, size: made.bytes.length, eTag: object.etag },
          },
        },
      ],
    };
    const routed = await functions.route.invoke(sqsBatch([JSON.stringify(notification)]));
    expect(routed, output.join('')).toEqual({ batchItemFailures: [] });

    const [message] = stack.queues.byUrl(registrations).receive(10);
    expect(message).toBeDefined();
    const registered = await functions.register.invoke(sqsBatch([message?.body ?? '']));
    expect(registered, output.join('')).toEqual({ batchItemFailures: [] });

    const engine = await openEngine();
    try {
      await attachCatalog(engine, lakeOf(stack, 'lake'));
      const table = tableSql({ namespace: ['lake'], name: 'orders' });
      const schema = orders.versions[0];
      expect(differences('orders', schema, made.log, await readBack(engine, table, schema))).toEqual([]);
    } finally {
      engine.close();
    }
  });

  test('say how the tables are, in lines that are metrics', async () => {
    await functions.health.invoke({});
    const lines = output
      .join('')
      .split('\n')
      .filter((line) => line.includes('"table-health"'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        table: 'lake.orders',
        available: 1,
        healthy: 1,
        _aws: expect.objectContaining({
          CloudWatchMetrics: [expect.objectContaining({ Namespace: 'iceberg-registrar/test' })],
        }),
      }),
    ]);
  });

  test('are joined by the command line, which runs outside of the checkout', () => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'cli-'));
    cpSync(path.join(root, 'dist/cli'), elsewhere, { recursive: true });
    const run = (...args: readonly string[]) =>
      execFileSync(process.execPath, [path.join(elsewhere, 'iceberg-registrar.mjs'), ...args], {
        cwd: elsewhere,
        encoding: 'utf8',
      });
    expect(run('--help')).toContain('quarantine');
    expect(run('plan', path.join(root, 'events/s3-put.json'))).toContain('table     local.orders, made at');
  });

  test('refuse to start with a wrong configuration, naming every problem', async () => {
    const broken = await startFunction(path.join(root, 'dist/register/index.mjs'), {
      REGISTRAR_CONFIG: JSON.stringify({ url: 'lake', catalogue_uri: 'http://x', format_version: 4 }),
    });
    try {
      const error = await broken.invoke(sqsBatch(['{}'])).catch((fault: Error) => fault);
      expect(error).toBeInstanceOf(Error);
      for (const mentioned of ['catalogue_uri', 'catalog_uri', 'format_version', '"lake"', 'namespace']) {
        expect((error as Error).message).toContain(mentioned);
      }
    } finally {
      await broken.close();
    }
  });
});

function sqsBatch(bodies: readonly string[]): unknown {
  return {
    Records: bodies.map((body, index) => ({
      messageId: `m${index}`,
      receiptHandle: `r${index}`,
      eventSource: 'aws:sqs',
      body,
      attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'g' },
    })),
  };
}
