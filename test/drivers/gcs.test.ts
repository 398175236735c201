import { expect, onTestFinished, test } from 'vitest';
import type { StoreSettings } from '../../lib/config/entry.ts';
import { gcsStore } from '../../lib/drivers/gcs.ts';
import { httpSender } from '../../lib/drivers/http.ts';
import type { HttpRequest, HttpResponse } from '../../local/http-service.ts';
import { json, type Scripted, scriptedServer } from '../fakes/http.ts';
import { seededRandom } from '../fakes/random.ts';

const uri = 'gs://lake/orders/a b.parquet';
const path = '/storage/v1/b/lake/o/orders%2Fa%20b.parquet';

/** The driver before a server that answers as told; a wait is over at once. */
async function scriptedStore(
  answer: (line: string, request: HttpRequest) => Scripted,
  settings: StoreSettings = {},
) {
  const server = await scriptedServer(answer);
  onTestFinished(server.close);
  const waits: number[] = [];
  const store = gcsStore(
    { endpoint: server.url, ...settings },
    {
      send: httpSender(),
      timers: { sleep: async (ms) => void waits.push(ms) },
      random: seededRandom(1),
      accessToken: async () => 'very-secret-token',
    },
  );
  return { store, server, waits };
}

/** Cloud Storage's error object. */
function refusal(status: number, reason: string, message = 'told'): HttpResponse {
  return json(status, {
    error: { code: status, message, errors: [{ message, domain: 'global', reason }] },
  });
}

function object(body: string, headers: Readonly<Record<string, string>> = {}, status = 200): HttpResponse {
  return {
    status,
    headers: {
      'x-goog-generation': '1773480413589123',
      'x-goog-metageneration': '1',
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
      ...headers,
    },
    body,
  };
}

const asked = (request: HttpRequest | undefined) => Object.fromEntries(request?.query ?? []);

const listing = json(200, { kind: 'storage#objects' });

test('read asks for the range of a generation as it is stored, and without a token over http (I10)', async () => {
  const { store, server } = await scriptedStore(() =>
    object('6789', { 'content-range': 'bytes 6-9/10' }, 206),
  );
  expect(await store.read(uri, { range: { suffix: 4 }, ifVersion: '1773480413589123' })).toEqual({
    kind: 'object',
    bytes: new Uint8Array(Buffer.from('6789')),
    sizeBytes: 10,
    version: '1773480413589123',
    lastModifiedMs: Date.UTC(2026, 0, 1),
  });
  const [request] = server.requests;
  expect(request?.path).toBe(path);
  expect(asked(request)).toEqual({ alt: 'media', ifGenerationMatch: '1773480413589123' });
  expect(request?.headers).toMatchObject({ range: 'bytes=-4', 'accept-encoding': 'gzip' });
  expect(request?.headers).not.toHaveProperty('authorization');
});

test('read takes the time of the upload from the resource once the metadata has changed: Last-Modified may be later', async () => {
  const { store, server } = await scriptedStore((line) =>
    line.includes('alt=media')
      ? object('x', { 'x-goog-metageneration': '2' })
      : json(200, { size: '1', generation: '1773480413589123', timeCreated: '2025-12-31T23:59:59.500Z' }),
  );
  expect(await store.read(uri)).toMatchObject({ lastModifiedMs: Date.parse('2025-12-31T23:59:59.500Z') });
  expect(asked(server.requests[1])).toEqual({
    generation: '1773480413589123',
    fields: 'size,generation,timeCreated',
  });
});

test('read answers that the object changed, by the status or by the generation that came', async () => {
  const refused = await scriptedStore(() => refusal(412, 'conditionNotMet'));
  expect(await refused.store.read(uri, { ifVersion: '1' })).toStrictEqual({ kind: 'changed' });
  const ignored = await scriptedStore(() => object('x'));
  expect(await ignored.store.read(uri, { ifVersion: '1' })).toStrictEqual({ kind: 'changed' });
});

test('read tells a missing object from a missing bucket, and both from one that may not be looked into (I3)', async () => {
  const missing = await scriptedStore((line) =>
    line.includes('alt=media') ? refusal(404, 'notFound') : listing,
  );
  expect(await missing.store.read(uri)).toStrictEqual({ kind: 'missing' });

  const noBucket = await scriptedStore(() =>
    refusal(404, 'notFound', 'The specified bucket does not exist.'),
  );
  await expect(noBucket.store.read(uri)).rejects.toMatchObject({
    code: 'store.unavailable',
    message:
      'Cannot look into the bucket "lake": 404 notFound: The specified bucket does not exist.; create the bucket or correct the URL',
  });

  const unlisted = await scriptedStore((line) =>
    refusal(line.includes('alt=media') ? 404 : 403, 'forbidden'),
  );
  await expect(unlisted.store.read(uri)).rejects.toMatchObject({ code: 'auth.failed' });
});

test('read answered by 403 forbidden is denied; any other 403 is of the caller, a proxy’s too (I3)', async () => {
  const denied = await scriptedStore(() => refusal(403, 'forbidden', 'x does not have storage.objects.get'));
  expect(await denied.store.read(uri)).toStrictEqual({
    kind: 'denied',
    message: '403 forbidden: x does not have storage.objects.get',
  });
  for (const answer of [
    refusal(403, 'accountDisabled'),
    refusal(403, 'insufficientPermissions'),
    { status: 403, body: '<html>blocked</html>' },
  ]) {
    const { store } = await scriptedStore(() => answer);
    await expect(store.read(uri)).rejects.toMatchObject({ code: 'auth.failed' });
  }
});

test.each([
  [refusal(503, 'backendError')],
  [refusal(429, 'rateLimitExceeded')],
  [refusal(403, 'userRateLimitExceeded')],
  ['reset' as const],
])('read is tried again, each wait longer: %j', async (trouble) => {
  let calls = 0;
  const { store, waits } = await scriptedStore(() => (++calls < 4 ? trouble : object('x')));
  expect(await store.read(uri)).toMatchObject({ kind: 'object' });
  expect(waits).toHaveLength(3);
  expect(waits.toSorted((a, b) => a - b)).toEqual(waits);

  const { store: never } = await scriptedStore(() => trouble);
  await expect(never.read(uri)).rejects.toMatchObject({
    code: trouble !== 'reset' && trouble.status === 403 ? 'auth.failed' : 'store.unavailable',
    context: { attempts: 4 },
  });
});

test('read of a range that begins at the end answers no bytes; of a suffix that there must be, nothing', async () => {
  const sized = (size: string) =>
    scriptedStore((line) =>
      line.includes('alt=media')
        ? { status: 416, body: '' }
        : json(200, { size, generation: '7', timeCreated: '2026-01-01T00:00:00Z' }),
    );
  const empty = {
    kind: 'object',
    bytes: new Uint8Array(),
    version: '7',
    lastModifiedMs: Date.UTC(2026, 0, 1),
  };
  expect(await (await sized('0')).store.read(uri, { range: { suffix: 8 } })).toEqual({
    ...empty,
    sizeBytes: 0,
  });
  expect(await (await sized('9')).store.read(uri, { range: { start: 9, end: 12 } })).toEqual({
    ...empty,
    sizeBytes: 9,
  });
  await expect((await sized('9')).store.read(uri, { range: { suffix: 8 } })).rejects.toMatchObject({
    code: 'store.unavailable',
  });
});

test('write names the object once and for all with ifAbsent, and the key that it is encrypted with (I1)', async () => {
  const { store, server } = await scriptedStore(() => json(200, { generation: '7' }), {
    kms_key_id: 'projects/p/locations/l/keyRings/r/cryptoKeys/k',
  });
  const written = await store.write(uri, Buffer.from('x'), { ifAbsent: true });
  expect(written).toEqual({ kind: 'written', version: '7' });
  expect(server.requests[0]?.path).toBe('/upload/storage/v1/b/lake/o');
  expect(asked(server.requests[0])).toEqual({
    uploadType: 'media',
    name: 'orders/a b.parquet',
    ifGenerationMatch: '0',
    kmsKeyName: 'projects/p/locations/l/keyRings/r/cryptoKeys/k',
    fields: 'generation',
  });
});

test('write whose answer was lost knows its own object from another’s (I1)', async () => {
  const afterLost = async (held: string) => {
    let uploads = 0;
    const { store } = await scriptedStore((line) => {
      if (!line.startsWith('POST')) return object(held);
      uploads += 1;
      return uploads === 1 ? 'reset' : refusal(412, 'conditionNotMet');
    });
    return store.write(uri, Buffer.from('mine'), { ifAbsent: true });
  };
  expect(await afterLost('mine')).toEqual({ kind: 'written', version: '1773480413589123' });
  expect(await afterLost('theirs')).toEqual({ kind: 'exists' });
  const { store } = await scriptedStore(() => refusal(412, 'conditionNotMet'));
  expect(await store.write(uri, Buffer.from('mine'), { ifAbsent: true })).toEqual({ kind: 'exists' });
});

test('list and write that are refused are auth.failed and say by whom; a token in the words is not repeated (I10)', async () => {
  const token = `ya29.${'A1b2'.repeat(60)}`;
  const { store } = await scriptedStore(() => refusal(403, 'forbidden', `no access with ${token}`));
  const failures = [Array.fromAsync(store.list('gs://lake/')), store.write(uri, Buffer.from('x'))];
  for (const failure of failures) {
    const error = await failure.then(
      () => expect.unreachable(),
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toMatchObject({ code: 'auth.failed', context: { status: 403, fault: 'forbidden' } });
    expect(error.message).not.toContain(token);
  }
});
