import { describe, expect, test } from 'vitest';
import { type FooterResult, readFooter } from '../../lib/segment/read-footer.ts';
import { type FakeStore, fakeStore } from '../fakes/store.ts';

const uri = 's3://lake/a.parquet';
const maxFooterBytes = 1000;

/** A file of `dataBytes` bytes of data with a footer of `footerBytes` bytes. */
function parquet(dataBytes: number, footerBytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footerBytes);
  return Buffer.concat([
    Buffer.from('PAR1'),
    Buffer.alloc(dataBytes, 1),
    Buffer.alloc(footerBytes, 2),
    length,
    Buffer.from('PAR1'),
  ]);
}

function storeWith(bytes: Uint8Array): FakeStore {
  const store = fakeStore({ now: () => 7 });
  store.upload(uri, bytes);
  return store;
}

const read = (store: FakeStore, readAheadBytes = 64): Promise<FooterResult> =>
  readFooter(store, uri, { readAheadBytes, maxFooterBytes });

describe('readFooter', () => {
  test('reads a footer within the read-ahead by one request', async () => {
    const store = storeWith(parquet(500, 56));
    const result = await read(store);
    expect(result).toMatchObject({
      kind: 'footer',
      uri,
      sizeBytes: 568,
      lastModifiedMs: 7,
      etag: store.objects.get(uri)?.version,
    });
    expect(result.kind === 'footer' && Buffer.from(result.bytes)).toEqual(Buffer.alloc(56, 2));
    expect(store.calls.length).toBe(1);
  });

  test('reads a larger one by two, the whole footer and nothing else in the second', async () => {
    const store = storeWith(parquet(500, 57));
    const result = await read(store);
    expect(result.kind === 'footer' && Buffer.from(result.bytes)).toEqual(Buffer.alloc(57, 2));
    expect(store.calls.length).toBe(2);
  });

  test('answers "changed" when the object is replaced between the two', async () => {
    const store = storeWith(parquet(500, 300));
    store.onCall = () => {
      if (store.calls.length === 2) store.upload(uri, parquet(600, 300));
    };
    expect(await read(store)).toEqual({ kind: 'changed' });
  });

  test('a store that answers less of the footer than asked for is a fault, not a broken segment', async () => {
    const store = storeWith(parquet(500, 300));
    const short = {
      read: async (...request: Parameters<FakeStore['read']>) => {
        const answer = await store.read(...request);
        const isSecond = store.calls.length === 2;
        return answer.kind === 'object' && isSecond ? { ...answer, bytes: answer.bytes.subarray(1) } : answer;
      },
    };
    await expect(readFooter(short, uri, { readAheadBytes: 64, maxFooterBytes })).rejects.toMatchObject({
      code: 'store.unavailable',
    });
  });

  test('passes on that there is no object, and that reading is denied', async () => {
    expect(await read(fakeStore({ now: () => 0 }))).toEqual({ kind: 'missing' });
    const store = storeWith(parquet(10, 10));
    store.denied.add(uri);
    expect(await read(store)).toMatchObject({ kind: 'denied' });
  });

  test.each<[string, Uint8Array, RegExp]>([
    ['an empty object', Buffer.alloc(0), /0 bytes/],
    ['eleven bytes', Buffer.from('PAR1123PAR1'), /11 bytes/],
    ['text', Buffer.from('id,name\n1,a\n2,b\n3,c\n'), /"PAR1"/],
    ['an encrypted footer', Buffer.from('PAR1aaaaaaaabbbbPARE'), /encrypted/],
    ['another head', Buffer.concat([Buffer.from('PARX'), parquet(10, 10).subarray(4)]), /begins with "PARX"/],
    ['bytes behind the magic', Buffer.concat([parquet(10, 10), Buffer.from('\n')]), /ends in "AR1\\n"/],
    ['a footer of no bytes', parquet(10, 0), /gives 0 bytes/],
    [
      'a footer that covers the head',
      Buffer.concat([Buffer.from('PAR1aaaa'), Buffer.from([5, 0, 0, 0]), Buffer.from('PAR1')]),
      /gives 5 bytes.*has 4/,
    ],
    [
      'a footer longer than the file',
      Buffer.concat([
        parquet(10, 10).subarray(0, -8),
        Buffer.from([255, 255, 255, 255]),
        Buffer.from('PAR1'),
      ]),
      /gives 4294967295 bytes/,
    ],
  ])('refuses %s by one request (A27)', async (_, bytes, message) => {
    const store = storeWith(bytes);
    await expect(read(store)).rejects.toMatchObject({
      code: 'segment.unreadable',
      // What a quarantine record names: the bytes that were refused.
      context: { uri: expect.any(String), etag: expect.any(String), sizeBytes: expect.any(Number) },
      message: expect.stringMatching(message),
    });
    expect(store.calls.length).toBe(1);
  });

  test('refuses a footer beyond max_footer_bytes without reading it (A28)', async () => {
    const store = storeWith(parquet(500, maxFooterBytes + 1));
    await expect(read(store)).rejects.toMatchObject({
      code: 'segment.unreadable',
      message: expect.stringContaining('max_footer_bytes is 1000'),
    });
    expect(store.calls.length).toBe(1);
  });
});
