import { createHash } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { StoreSettings } from '../../lib/config/entry.ts';
import { s3Store } from '../../lib/drivers/s3.ts';
import type { RegistrarError } from '../../lib/errors.ts';
import type { HttpRequest, HttpResponse } from '../../local/http-service.ts';
import { signatureProblem } from '../fakes/aws-signature.ts';
import { type Scripted, scriptedServer } from '../fakes/http.ts';

const uri = 's3://lake/orders/a.parquet';

async function scriptedStore(
  answer: (line: string, request: HttpRequest) => Scripted,
  settings: StoreSettings = {},
) {
  const server = await scriptedServer(answer);
  onTestFinished(server.close);
  const store = s3Store({
    endpoint: server.url,
    access_key_id: 'AKIAEXAMPLE',
    secret_access_key: 'very-secret-key',
    session_token: 'very-secret-token',
    ...settings,
  });
  return { store, server };
}

function refusal(status: number, code: string): HttpResponse {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>told</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

function object(body: string, headers: Readonly<Record<string, string>> = {}, status = 200): HttpResponse {
  const etag = `"${createHash('md5').update(body).digest('hex')}"`;
  return { status, headers: { etag, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT', ...headers }, body };
}

test.each([
  [404, 'NoSuchKey', { kind: 'missing' }],
  [403, 'AccessDenied', { kind: 'denied', message: '403 AccessDenied: told' }],
  [403, 'InvalidObjectState', { kind: 'denied', message: '403 InvalidObjectState: told' }],
  [412, 'PreconditionFailed', { kind: 'changed' }],
])('read answered by %i %s is %j', async (status, code, result) => {
  const { store } = await scriptedStore(() => refusal(status, code));
  expect(await store.read(uri)).toStrictEqual(result);
});

const SSE_C =
  'The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.';

test.each([
  ['the key of whoever uploaded it', 'InvalidRequest', SSE_C],
  ['a KMS key that is disabled', 'KMS.DisabledException', 'key/1 is disabled.'],
  ['a KMS key that is to be deleted', 'KMS.KMSInvalidStateException', 'key/1 is pending deletion.'],
  ['a KMS key that is gone', 'KMS.NotFoundException', 'Invalid keyId'],
])(
  'an object encrypted with %s is denied by itself: no shipper stops its dataset with one',
  async (_, code, words) => {
    const body = `<Error><Code>${code}</Code><Message>${words}</Message></Error>`;
    const { store, server } = await scriptedStore(() => ({ status: 400, body }));
    expect(await store.read(uri)).toStrictEqual({ kind: 'denied', message: `400 ${code}: ${words}` });
    expect(server.lines).toHaveLength(1);
  },
);

test('another invalid request, and a KMS that throttles, say nothing of the object (I3)', async () => {
  for (const code of ['InvalidRequest', 'KMS.ThrottlingException']) {
    const { store, server } = await scriptedStore(() => refusal(400, code));
    await expect(store.read(uri)).rejects.toMatchObject({ code: 'store.unavailable' });
    expect(server.lines).toHaveLength(code === 'InvalidRequest' ? 1 : 4);
  }
});

test.each([
  [404, 'NoSuchBucket', 'store.unavailable'],
  [404, 'Whatever', 'store.unavailable'],
  [400, 'AuthorizationHeaderMalformed', 'store.unavailable'],
  [403, 'SignatureDoesNotMatch', 'auth.failed'],
  [403, 'InvalidAccessKeyId', 'auth.failed'],
  [400, 'ExpiredToken', 'auth.failed'],
])('read answered by %i %s says nothing of the object: %s (I3)', async (status, code, expected) => {
  const { store } = await scriptedStore(() => refusal(status, code));
  await expect(store.read(uri)).rejects.toMatchObject({
    code: expected,
    message: expect.stringContaining(`Cannot read "${uri}": ${status} ${code}: told`),
    context: { status },
  });
});

test.each([403, 404])(
  'read answered by %i and a web page says nothing of the object (I3)',
  async (status) => {
    for (const body of ['<html><h1>No</h1></html>', '']) {
      const { store } = await scriptedStore(() => ({ status, body }));
      const error = await store.read(uri).catch((thrown: RegistrarError) => thrown);
      expect(error).toMatchObject({
        code: status === 403 ? 'auth.failed' : 'store.unavailable',
        message: `Cannot read "${uri}": ${status}, and not in the words of AWS`,
      });
    }
  },
);

test('read is tried again when the store throttles or fails, then store.unavailable', async () => {
  let failures = 2;
  const { store, server } = await scriptedStore(() =>
    failures-- > 0 ? refusal(503, 'SlowDown') : object('abc'),
  );
  expect(await store.read(uri)).toMatchObject({ kind: 'object', sizeBytes: 3 });
  failures = Number.POSITIVE_INFINITY;
  const before = server.lines.length;
  await expect(store.read(uri)).rejects.toMatchObject({
    code: 'store.unavailable',
    context: { status: 503 },
  });
  expect(server.lines.length - before).toBe(4);
});

test('read of a store that nobody serves is store.unavailable', async () => {
  const { store, server } = await scriptedStore(() => object('abc'));
  await server.close();
  await expect(store.read(uri)).rejects.toMatchObject({
    code: 'store.unavailable',
    context: { status: undefined },
  });
});

test('read whose body breaks off is store.unavailable, never half of it', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      socket.end('HTTP/1.1 200 OK\r\nETag: "v"\r\nContent-Length: 9\r\n\r\nhalf');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const settings = {
    endpoint: `http://127.0.0.1:${port}`,
    access_key_id: 'k',
    secret_access_key: 'own-secret',
  };
  await expect(s3Store(settings).read(uri)).rejects.toMatchObject({ code: 'store.unavailable' });
});

test('read sends one request: the range, and the version in quotes', async () => {
  const { store, server } = await scriptedStore(() =>
    object('6789', { 'content-range': 'bytes 6-9/10' }, 206),
  );
  const options = { range: { suffix: 4 }, ifVersion: 'abc-2' };
  expect(await store.read(uri, options)).toMatchObject({
    sizeBytes: 10,
    lastModifiedMs: Date.UTC(2026, 0, 1),
  });
  expect(server.requests.map(({ headers }) => [headers['range'], headers['if-match']])).toStrictEqual([
    ['bytes=-4', '"abc-2"'],
  ]);
});

test('read cuts the range out of what a store answers that knows no ranges', async () => {
  const { store } = await scriptedStore(() => object('0123456789'));
  const read = async (range: { suffix: number } | { start: number; end: number }) => {
    const result = await store.read(uri, { range });
    return result.kind === 'object' && `${Buffer.from(result.bytes)} of ${result.sizeBytes}`;
  };
  expect(await read({ suffix: 3 })).toBe('789 of 10');
  expect(await read({ suffix: 30 })).toBe('0123456789 of 10');
  expect(await read({ start: 2, end: 4 })).toBe('23 of 10');
});

test('read asks for the whole of an object whose store refuses a longer suffix', async () => {
  const { store, server } = await scriptedStore((_, { headers }) =>
    headers['range'] === undefined ? object('abc') : refusal(416, 'InvalidRange'),
  );
  const options = { range: { suffix: 65_536 }, ifVersion: 'x' };
  expect(await store.read(uri, options)).toMatchObject({ sizeBytes: 3 });
  expect(server.requests.map(({ headers }) => headers['if-match'])).toStrictEqual(['"x"', '"x"']);
});

test.each([
  ['another range', '012345', 'bytes 0-5/10'],
  ['fewer bytes than it says', '678', 'bytes 6-9/10'],
  ['no size', '6789', 'bytes 6-9/*'],
])('read answered by %s is store.unavailable, never wrong bytes', async (_, body, range) => {
  const { store } = await scriptedStore(() => object(body, { 'content-range': range }, 206));
  await expect(store.read(uri, { range: { suffix: 4 } })).rejects.toMatchObject({
    code: 'store.unavailable',
    message: expect.stringContaining(range),
  });
});

test('read takes the bytes as they lie there, whatever Content-Encoding says', async () => {
  for (const encoding of ['aws-chunked', 'gzip']) {
    const { store } = await scriptedStore(() => object('PAR1', { 'content-encoding': encoding }));
    expect(await store.read(uri)).toMatchObject({ bytes: Uint8Array.from(Buffer.from('PAR1')) });
  }
});

test('read without an ETag or a Last-Modified is store.unavailable: nothing names these bytes', async () => {
  const { store } = await scriptedStore(() => ({ status: 200, body: 'abc' }));
  await expect(store.read(uri)).rejects.toMatchObject({
    code: 'store.unavailable',
    message: expect.stringContaining('ETag'),
  });
});

test('write with ifAbsent to a store that does not know the condition writes', async () => {
  const { store, server } = await scriptedStore((_, { headers }) =>
    headers['if-none-match'] === undefined
      ? { status: 200, headers: { etag: '"v"' } }
      : refusal(501, 'NotImplemented'),
  );
  expect(await store.write(uri, Buffer.from('abc'), { ifAbsent: true })).toStrictEqual({
    kind: 'written',
    version: 'v',
  });
  expect(server.lines.at(-1)).toMatch(/^PUT/);
});

test.each([
  ['the same bytes: they are its own', 'abc', 'written'],
  ['other bytes: they are another’s', 'xyz', 'exists'],
])('write with ifAbsent whose first answer is lost finds %s', async (_, held, kind) => {
  let puts = 0;
  const { store } = await scriptedStore((line) => {
    if (line.startsWith('GET')) return object(held);
    puts += 1;
    return puts === 1 ? 'reset' : refusal(412, 'PreconditionFailed');
  });
  expect(await store.write(uri, Buffer.from('abc'), { ifAbsent: true })).toMatchObject({ kind });
  expect(puts).toBe(2);
});

test('write without permission is auth.failed', async () => {
  const { store } = await scriptedStore(() => refusal(403, 'AccessDenied'));
  await expect(store.write(uri, Buffer.from('abc'))).rejects.toMatchObject({
    code: 'auth.failed',
    message: expect.stringMatching(/403 AccessDenied: told; allow the function's role s3:PutObject$/),
  });
  await expect(Array.fromAsync(store.list('s3://lake/'))).rejects.toMatchObject({
    code: 'auth.failed',
    message: expect.stringMatching(/; allow the function's role s3:ListBucket$/),
  });
});

test('write and read carry what the settings ask for', async () => {
  const { store, server } = await scriptedStore(() => object('abc'), {
    kms_key_id: 'key-1',
    requester_pays: true,
  });
  await store.write(uri, Buffer.from('abc'));
  await store.read(uri);
  const [put, get] = server.requests;
  expect(put?.headers).toMatchObject({
    'x-amz-server-side-encryption': 'aws:kms',
    'x-amz-server-side-encryption-aws-kms-key-id': 'key-1',
    'x-amz-request-payer': 'requester',
    'x-amz-security-token': 'very-secret-token',
  });
  // Older gateways refuse what they do not know: checksums, and chunks with trailers.
  const unknown = /^(content-encoding|x-amz-(checksum|sdk-checksum|trailer|decoded))/;
  expect(Object.keys({ ...put?.headers, ...get?.headers }).filter((name) => unknown.test(name))).toEqual([]);
  expect(get?.headers).toMatchObject({ 'x-amz-request-payer': 'requester' });
});

test('a list that fails on a later page is store.unavailable', async () => {
  let pages = 0;
  const { store } = await scriptedStore(() => {
    pages += 1;
    if (pages > 1) return refusal(400, 'InvalidArgument');
    return {
      status: 200,
      headers: { 'content-type': 'application/xml' },
      body: `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>
        <Contents><Key>a</Key><Size>1</Size><ETag>"v"</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>
        </ListBucketResult>`,
    };
  });
  const listing = store.list('s3://lake/')[Symbol.asyncIterator]();
  expect((await listing.next()).value).toStrictEqual({
    uri: 's3://lake/a',
    sizeBytes: 1,
    version: 'v',
    lastModifiedMs: Date.UTC(2026, 0, 1),
  });
  await expect(listing.next()).rejects.toMatchObject({ code: 'store.unavailable' });
});

test('no error holds a secret (I10)', async () => {
  const { store } = await scriptedStore((_, { headers }) => ({
    status: 403,
    headers: { 'content-type': 'application/xml' },
    body: `<Error><Code>SignatureDoesNotMatch</Code><Message>told</Message><StringToSign>${headers['x-amz-security-token']}</StringToSign></Error>`,
  }));
  const error = await store.read(uri).catch((thrown: RegistrarError) => thrown);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/very-secret/);
  expect(error).not.toHaveProperty('cause');
});

test('a bucket in another region is asked there, from then on', async () => {
  const { store, server } = await scriptedStore((_, { headers }) =>
    /\/eu-west-1\/s3\//.test(headers['authorization'] ?? '')
      ? object('abc')
      : { ...refusal(301, 'PermanentRedirect'), headers: { 'x-amz-bucket-region': 'eu-west-1' } },
  );
  expect(await store.read(uri)).toMatchObject({ sizeBytes: 3 });
  expect(await store.read(uri)).toMatchObject({ sizeBytes: 3 });
  expect(server.lines).toHaveLength(3);
});

test('a bucket whose region only the text of the refusal names is asked there', async () => {
  const { store, server } = await scriptedStore((_, { headers }) =>
    /\/eu-west-1\/s3\//.test(headers['authorization'] ?? '')
      ? object('abc')
      : {
          status: 400,
          body: '<Error><Code>AuthorizationHeaderMalformed</Code><Message>told</Message><Region>eu-west-1</Region></Error>',
        },
  );
  expect(await store.read(uri)).toMatchObject({ sizeBytes: 3 });
  expect(server.lines).toHaveLength(2);
});

test.each([
  ['that says so of every request', () => 'eu-west-1'],
  [
    'that wants to be asked for its own region',
    (asked: string) => (asked === 'eu-west-1' ? 'us-west-2' : 'eu-west-1'),
  ],
])(
  'a bucket behind the endpoint of another region, %s, is config.invalid and names the right one',
  async (_, told) => {
    const { store, server } = await scriptedStore((_line, { headers }) => {
      const [, asked = ''] = /\/([a-z0-9-]+)\/s3\//.exec(headers['authorization'] ?? '') ?? [];
      return { ...refusal(301, 'PermanentRedirect'), headers: { 'x-amz-bucket-region': told(asked) } };
    });
    await expect(store.read(uri)).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(/the bucket is in "eu-west-1": set store.region to it/),
    });
    expect(server.lines).toHaveLength(2);
    await expect(Array.fromAsync(store.list('s3://lake/'))).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(/the bucket is in "(eu-west-1|us-west-2)"/),
    });
  },
);

test('a refusal in the right region is no matter of the region', async () => {
  const { store } = await scriptedStore((_, { headers }) =>
    /\/eu-west-1\/s3\//.test(headers['authorization'] ?? '')
      ? { ...refusal(400, 'ExpiredToken') }
      : { ...refusal(301, 'PermanentRedirect'), headers: { 'x-amz-bucket-region': 'eu-west-1' } },
  );
  await expect(store.read(uri)).rejects.toMatchObject({ code: 'auth.failed' });
});

test('a clock that the store refuses is corrected by the store’s', async () => {
  const aheadMs = 3 * 3_600_000;
  const date = () => new Date(Date.now() + aheadMs).toUTCString();
  const { store, server } = await scriptedStore((_, { headers }) => {
    const signed = headers['x-amz-date']?.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5') ?? '';
    return Math.abs(Date.parse(signed) - Date.parse(date())) < 60_000
      ? object('abc')
      : { ...refusal(403, 'RequestTimeTooSkewed'), headers: { date: date() } };
  });
  expect(await store.read(uri)).toMatchObject({ sizeBytes: 3 });
  expect(await store.read(uri)).toMatchObject({ sizeBytes: 3 });
  expect(server.lines).toHaveLength(3);
});

test('a clock that is off is corrected for requests that were under way, too', async () => {
  const aheadMs = -20 * 60_000;
  const date = () => new Date(Date.now() + aheadMs).toUTCString();
  const { store } = await scriptedStore((_, { headers }) => {
    const signed = headers['x-amz-date']?.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5') ?? '';
    return Math.abs(Date.parse(signed) - Date.parse(date())) < 60_000
      ? object('abc')
      : { ...refusal(403, 'RequestTimeTooSkewed'), headers: { date: date() } };
  });
  const reads = await Promise.all(Array.from({ length: 16 }, () => store.read(uri)));
  expect(reads.map(({ kind }) => kind)).toEqual(Array.from({ length: 16 }, () => 'object'));
});

test('what is signed is what is sent, for any key, header and body', async () => {
  const key = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'very-secret-key', region: 'us-east-1' };
  const problems: (string | undefined)[] = [];
  const { store } = await scriptedStore((_, request) => {
    problems.push(signatureProblem(request, { ...key, service: 's3', pathAsSent: true }));
    return object('abc');
  });
  for (const name of ['a b+c.parquet', 'dt=2026/ü名.parquet', "!'()*~&$@=;:,?#%", '/../..//a', '%2F%252f']) {
    await store.read(`s3://lake/${name}`, { range: { suffix: 3 }, ifVersion: 'v' });
    await store.write(`s3://lake/${name}`, Buffer.from('abc'), { ifAbsent: true });
  }
  expect(new Set(problems)).toStrictEqual(new Set([undefined]));
});

test('the environment’s credentials and region are used where the settings have none: a function’s role', async () => {
  const server = await scriptedServer(() => object('abc'));
  onTestFinished(server.close);
  const env = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'ASIAROLE',
    AWS_SECRET_ACCESS_KEY: 'role-secret',
    AWS_SESSION_TOKEN: 'role-token',
  };
  await s3Store({ endpoint: server.url, region: 'eu-central-1' }, { env }).read(uri);
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: expect.stringMatching(/Credential=ASIAROLE\/\d{8}\/eu-central-1\/s3\//),
    'x-amz-security-token': 'role-token',
  });
});

test.each(['lake/a', 'http://lake/a', 's3:///a'])('"%s" is no S3 URI', async (bad) => {
  await expect(s3Store({ region: 'us-east-1' }).read(bad)).rejects.toMatchObject({ code: 'config.invalid' });
});

test('a bucket that takes requests of another kind is a wrong setting, not an outage that would be retried for ever', async () => {
  const store = s3Store({
    region: 'eu-central-1',
    access_key_id: 'AKIAEXAMPLE',
    secret_access_key: 'own-secret',
  });
  await expect(store.read('s3://lake--euc1-az1--x-s3/a.parquet')).rejects.toMatchObject({
    code: 'config.invalid',
    message: expect.stringContaining('use a general purpose bucket'),
  });
});
