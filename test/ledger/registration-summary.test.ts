import { describe, expect, test } from 'vitest';
import {
  hashesMention,
  readListing,
  registrationSummary,
  shortHash,
} from '../../lib/ledger/registration-summary.ts';

const entries = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    uri: `s3://lake/in/orders/part-${String(i).padStart(6, '0')}.parquet`,
    etag: `etag-${i}`,
  }));

describe('registrationSummary', () => {
  test('names the segments, their keys relative to the base', () => {
    const summary = registrationSummary(entries(2));
    expect(summary['iceberg-registrar.base']).toBe('s3://lake/in/orders/');
    expect(summary['iceberg-registrar.segments']).toBe(
      '["part-000000.parquet#etag-0","part-000001.parquet#etag-1"]',
    );
  });

  test.each([1, 2, 20, 30])('reads back what it wrote of %i segments', (count) => {
    const listing = readListing(registrationSummary(entries(count)));
    expect(listing.kind).toBe('segments');
    if (listing.kind !== 'segments') return;
    expect([...listing.etags]).toEqual(entries(count).map(({ uri, etag }) => [uri, etag]));
  });

  test('writes eight bytes per segment above 1 KiB', () => {
    const listing = readListing(registrationSummary(entries(200)));
    expect(listing.kind).toBe('hashes');
    if (listing.kind !== 'hashes') return;
    const mention = (uri: string, etag: string) => hashesMention(listing, shortHash(uri), etag);
    for (const { uri, etag } of entries(200)) expect(mention(uri, etag)).toBe('path-and-etag');
    expect(mention('s3://lake/in/orders/part-000007.parquet', 'other')).toBe('path');
    expect(mention('s3://lake/in/orders/else.parquet', 'etag-7')).toBeUndefined();
  });

  test('writes only the number and the first and last path above 16 KiB', () => {
    const summary = registrationSummary(entries(2_000).toReversed());
    const range = [entries(1)[0]?.uri, entries(2_000).at(-1)?.uri];
    expect(readListing(summary)).toEqual({ kind: 'count', range });
    expect(summary['iceberg-registrar.segment-count']).toBe('2000');
  });

  test('keeps keys that hold a hash sign, quotes or no directory', () => {
    for (const uri of ['s3://b/a#b#c.parquet', 's3://b/"quoted".parquet', 's3://b/é\u0001\\.parquet']) {
      const listing = readListing(registrationSummary([{ uri, etag: 'e' }]));
      expect(listing.kind === 'segments' && [...listing.etags]).toEqual([[uri, 'e']]);
    }
  });
});

describe('readListing', () => {
  test('takes s3a and s3 for one path', () => {
    const listing = readListing(registrationSummary([{ uri: 's3a://b/k.parquet', etag: 'e' }]));
    expect(listing.kind === 'segments' && listing.etags.get('s3://b/k.parquet')).toBe('e');
  });

  test('takes a damaged list for one whose manifests must be read, and recognises snapshots of other writers', () => {
    expect(readListing({ 'iceberg-registrar.segments': '[1]' })).toEqual({ kind: 'count' });
    expect(readListing({ 'iceberg-registrar.segments': '["no-etag"]' })).toEqual({ kind: 'count' });
    for (const range of ['["a"]', '["a","b","c"]', '[1,2]', 'a'])
      expect(
        readListing({ 'iceberg-registrar.segment-count': '2', 'iceberg-registrar.segment-range': range }),
      ).toEqual({ kind: 'count' });
    expect(readListing({ 'iceberg-registrar.segment-hashes': 'AAAA' })).toEqual({ kind: 'count' });
    expect(readListing({ operation: 'append' })).toEqual({ kind: 'none' });
  });
});
