import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../../local/stack.ts';

const Bucket = 'lake';
let stack: Stack;
let s3: S3Client;

beforeAll(async () => {
  stack = await startStack();
  stack.createBucket(Bucket);
  const { s3Endpoint: endpoint, region, credentials } = stack;
  s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 });
});

afterAll(() => stack.close());

const put = (Key: string, Body: string | Uint8Array) => s3.send(new PutObjectCommand({ Bucket, Key, Body }));

/** Status, headers and text of a plain request, since SDKs quote ETags and hide headers. */
async function request(method: string, key: string, headers: Record<string, string>, body?: string) {
  const response = await fetch(`${stack.s3Endpoint}/${Bucket}/${key}`, {
    method,
    headers,
    ...(body && { body }),
  });
  return {
    status: response.status,
    range: response.headers.get('content-range'),
    text: await response.text(),
  };
}

describe('S3 reads', () => {
  const content = '0123456789';
  beforeAll(() => put('ten', content));

  test.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99999', 206, content, 'bytes 0-9/10'],
    ['bytes=5-2', 200, content, null],
    ['rows=1-2', 200, content, null],
  ])('Range "%s" answers %i "%s"', async (range, status, text, contentRange) => {
    expect(await request('GET', 'ten', { range })).toEqual({ status, text, range: contentRange });
  });

  test.each(['bytes=-0', 'bytes=10-', 'bytes=10-12'])('Range "%s" is not satisfiable', async (range) => {
    const answer = await request('GET', 'ten', { range });
    expect(answer).toMatchObject({ status: 416, text: expect.stringContaining('<Code>InvalidRange</Code>') });
  });

  test('a suffix of an empty object is not satisfiable', async () => {
    await put('empty', new Uint8Array());
    expect(await request('GET', 'empty', { range: 'bytes=-8' })).toMatchObject({ status: 416 });
  });

  test('HEAD answers the length of the range', async () => {
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'ten', Range: 'bytes=-4' }));
    expect(head.ContentLength).toBe(4);
  });

  test('If-Match holds with the ETag quoted and, as events carry it, bare', async () => {
    const { ETag = '' } = await put('matched', 'x');
    for (const etag of [ETag, ETag.replaceAll('"', ''), '*']) {
      expect(await request('GET', 'matched', { 'if-match': etag })).toMatchObject({ status: 200, text: 'x' });
    }
    expect(await request('GET', 'matched', { 'if-match': '"other"' })).toMatchObject({ status: 412 });
    expect(await request('GET', 'matched', { 'if-none-match': ETag })).toMatchObject({ status: 304 });
  });

  test('a missing key is NoSuchKey, a missing bucket NoSuchBucket', async () => {
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'absent' }))).rejects.toMatchObject({
      name: 'NoSuchKey',
    });
    await expect(s3.send(new GetObjectCommand({ Bucket: 'absent', Key: 'x' }))).rejects.toMatchObject({
      name: 'NoSuchBucket',
    });
  });
});

describe('S3 writes', () => {
  test('If-None-Match: * lets one of twenty racers write', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        async (_, i) => (await request('PUT', 'once', { 'if-none-match': '*' }, `${i}`)).status,
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(19);
  });

  test('If-Match writes over that very object only', async () => {
    const { ETag = '' } = await put('swap', 'a');
    expect(await request('PUT', 'swap', { 'if-match': '"other"' }, 'b')).toMatchObject({ status: 412 });
    expect(await request('PUT', 'swap', { 'if-match': ETag }, 'b')).toMatchObject({ status: 200 });
    expect(await request('PUT', 'absent', { 'if-match': ETag }, 'b')).toMatchObject({ status: 404 });
    expect(await request('GET', 'swap', {})).toMatchObject({ text: 'b' });
  });

  test('an object of 16 MiB comes back as it went', async () => {
    const bytes = Buffer.alloc(16 * 1024 * 1024, 'iceberg');
    await put('large', bytes);
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'large' }));
    expect(bytes.equals((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(true);
  });

  test('a streamed body is stored without its aws-chunked framing', async () => {
    const stream = Readable.from(['streamed ', 'body'], { objectMode: false });
    await s3.send(new PutObjectCommand({ Bucket, Key: 'streamed', Body: stream, ContentLength: 13 }));
    const read = await s3.send(new GetObjectCommand({ Bucket, Key: 'streamed' }));
    expect(await read.Body?.transformToString()).toBe('streamed body');
    expect(read.ContentEncoding).toBeUndefined();
  });

  test('parts become one object whose ETag counts them', async () => {
    const Key = 'parts';
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const bodies = [Buffer.alloc(5 * 1024 * 1024, 1), Buffer.from('end')];
    const Parts = await Promise.all(
      bodies.map(async (Body, i) => {
        const PartNumber = i + 1;
        const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
        return { PartNumber, ETag };
      }),
    );
    const complete = new CompleteMultipartUploadCommand({
      Bucket,
      Key,
      UploadId,
      MultipartUpload: { Parts },
    });
    expect((await s3.send(complete)).ETag).toMatch(/^"[\da-f]{32}-2"$/);
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength).toBe(5 * 1024 * 1024 + 3);
    await expect(s3.send(complete)).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });

  test('a part too small is refused, an aborted upload forgotten', async () => {
    const Key = 'refused';
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (const PartNumber of [1, 2]) {
      const { ETag } = await s3.send(
        new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: 'small' }),
      );
      Parts.push({ PartNumber, ETag });
    }
    const complete = new CompleteMultipartUploadCommand({
      Bucket,
      Key,
      UploadId,
      MultipartUpload: { Parts },
    });
    await expect(s3.send(complete)).rejects.toMatchObject({ name: 'EntityTooSmall' });
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    await expect(s3.send(complete)).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });

  test('a copy has its source’s bytes, and a copy onto itself is refused', async () => {
    await put('from/ü +', 'copied');
    const CopySource = `${Bucket}/${encodeURIComponent('from/ü +')}`;
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource }));
    expect(await request('GET', 'to', {})).toMatchObject({ text: 'copied' });
    const onto = new CopyObjectCommand({ Bucket, Key: 'from/ü +', CopySource });
    await expect(s3.send(onto)).rejects.toMatchObject({ name: 'InvalidRequest' });
  });

  test('deletes one and many, absent ones included', async () => {
    for (const key of ['d/1', 'd/2', 'd/3']) await put(key, 'x');
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'd/1' }));
    const Objects = [{ Key: 'd/2' }, { Key: 'd/absent' }];
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(await keys({ Prefix: 'd/' })).toEqual(['d/3']);
  });
});

describe('S3 listings', () => {
  const names = ['l/A', 'l/a', 'l/a-b', 'l/a/1', 'l/a/2', 'l/a/3', 'l/b/1', 'l/\uFB01', 'l/\u{1F9CA}'];
  beforeAll(async () => {
    for (const name of [...names].reverse()) await put(name, 'x');
  });

  test('are in the order of UTF-8 bytes, whatever the page size', async () => {
    expect(await keys({ Prefix: 'l/' })).toEqual(names);
    for (const MaxKeys of [1, 2, 4]) expect(await keys({ Prefix: 'l/', MaxKeys })).toEqual(names);
  });

  test('roll keys up to the delimiter, over pages too', async () => {
    const expected = ['l/A', 'l/a', 'l/a-b', 'l/a/', 'l/b/', 'l/\uFB01', 'l/\u{1F9CA}'];
    for (const MaxKeys of [1, 3, 1000]) {
      expect(await keys({ Prefix: 'l/', Delimiter: '/', MaxKeys })).toEqual(expected);
    }
  });

  test('start after a key', async () => {
    expect(await keys({ Prefix: 'l/', StartAfter: 'l/a/2' })).toEqual(names.slice(5));
  });
});

/** Keys and common prefixes of all pages, in listing order page by page. */
async function keys(input: { Prefix: string; Delimiter?: string; MaxKeys?: number; StartAfter?: string }) {
  const found: string[] = [];
  for (let ContinuationToken: string | undefined; ; ) {
    const page = await s3.send(
      new ListObjectsV2Command({ Bucket, ...input, ...(ContinuationToken && { ContinuationToken }) }),
    );
    const ofPage = [
      ...(page.Contents ?? []).map(({ Key }) => Key),
      ...(page.CommonPrefixes ?? []).map((p) => p.Prefix),
    ];
    found.push(...ofPage.map(String).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    if (!page.IsTruncated) return found;
    ContinuationToken = page.NextContinuationToken;
  }
}
