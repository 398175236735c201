import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Session } from 'chdb';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../local/http-service.ts';
import { type Stack, type StackOptions, startStack } from '../../local/stack.ts';

let stack: Stack | undefined;

afterEach(async () => {
  await stack?.close();
  stack = undefined;
});

async function start(options: StackOptions = {}): Promise<Stack> {
  stack = await startStack(options);
  return stack;
}

const schema = { type: 'struct', fields: [{ id: 7, name: 'id', required: true, type: 'long' }] };

async function post(url: string, body: object): Promise<Response> {
  return await fetch(url, { method: 'POST', body: JSON.stringify(body) });
}

async function createTable({ catalogUri }: Stack): Promise<Record<string, unknown>> {
  await post(`${catalogUri}/v1/namespaces`, { namespace: ['ns'] });
  const response = await post(`${catalogUri}/v1/namespaces/ns/tables`, { name: 't', schema });
  return (await response.json()) as Record<string, unknown>;
}

describe('startStack', () => {
  test('keeps the catalog’s metadata files in its S3, and tells tables how to reach them', async () => {
    const running = await start();
    const { s3Endpoint: endpoint, region, credentials } = running;
    const table = await createTable(running);
    expect(table['config']).toMatchObject({ 's3.endpoint': endpoint, 's3.path-style-access': 'true' });
    const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(String(table['metadata-location'])) ?? [];
    const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect(JSON.parse((await Body?.transformToString()) ?? '')).toEqual(table['metadata']);
  });

  test('lets a bucket notify several queues, each by its own filter', async () => {
    const { createBucket, createQueue, notify, objects, queues } = await start();
    createBucket('lake');
    const [a, b] = [createQueue('a'), createQueue('b')];
    notify('lake', a.url, { prefix: 'a/' });
    notify('lake', b.url, { prefix: 'b/' });
    for (const { url } of [a, b]) queues.byUrl(url).purge();
    objects.put('lake', 'a/1', Buffer.from('x'));
    objects.put('lake', 'b/1', Buffer.from('x'));
    const keys = [a, b].map(({ url }) =>
      queues
        .byUrl(url)
        .receive(10)
        .map(({ body }) => JSON.parse(body).Records[0].s3.object.key),
    );
    expect(keys).toEqual([['a/1'], ['b/1']]);
  });

  test('shows every request, and answers a fault before its effect or after it', async () => {
    const seen: Pick<HttpRequest, 'method' | 'path'>[] = [];
    const unavailable = { status: 503, body: '' };
    const {
      s3Endpoint: endpoint,
      region,
      credentials,
      objects,
      createBucket,
    } = await start({
      onS3Request: ({ method, path }) => {
        seen.push({ method, path });
        if (path.endsWith('/before')) return { when: 'before', answer: unavailable };
        if (path.endsWith('/after')) return { when: 'after', answer: unavailable };
        return path.endsWith('/reset') ? { when: 'after', answer: 'reset' } : undefined;
      },
    });
    createBucket('lake');
    const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 });
    const put = (Key: string) => s3.send(new PutObjectCommand({ Bucket: 'lake', Key, Body: 'x' }));
    await expect(put('before')).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
    await expect(put('after')).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
    await expect(put('reset')).rejects.toMatchObject({ code: 'ECONNRESET' });
    await put('fine');
    expect(['before', 'after', 'reset', 'fine'].map((key) => objects.get('lake', key) !== undefined)).toEqual(
      [false, true, true, true],
    );
    expect(seen).toHaveLength(4);
    expect(seen[0]).toEqual({ method: 'PUT', path: '/lake/before' });
  });

  test('says which queues are empty only when nothing is in flight either', async () => {
    const { createQueue, queues, untilEmpty } = await start();
    const { url } = createQueue('q');
    const queue = queues.byUrl(url);
    queue.send({ body: 'x' });
    const [message] = queue.receive(1);
    let empty = false;
    const waiting = untilEmpty(url).then(() => {
      empty = true;
    });
    await new Promise(setImmediate);
    expect(empty).toBe(false);
    queue.delete(message?.receiptHandle ?? '');
    await waiting;
  });

  test('is a catalog that ClickHouse finds its tables in', async () => {
    const running = await start();
    await createTable(running);
    const session = new Session();
    const ask = async (sql: string) => (await session.queryAsync(sql, { format: 'TSV' })).text().trim();
    try {
      await ask('SET allow_experimental_database_iceberg = 1');
      await ask(
        `CREATE DATABASE lake ENGINE = DataLakeCatalog('${running.catalogUri}/v1', 'k', 's')
         SETTINGS catalog_type = 'rest', warehouse = 'warehouse', vended_credentials = false,
         storage_endpoint = '${running.s3Endpoint}/warehouse'`,
      );
      expect(await ask('SHOW TABLES FROM lake')).toBe('ns.t');
      expect(await ask('DESCRIBE TABLE lake.`ns.t`')).toBe('id\tInt64');
    } finally {
      session.cleanup();
    }
  });
});
