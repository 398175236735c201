import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../lib/event/decode-event.ts';
import type { SegmentReference } from '../../lib/event/segment-reference.ts';
import { chunksByTable, type RoutedSegment } from '../../lib/route/chunk.ts';
import { type Dataset, layoutRouter } from '../../lib/route/layout.ts';
import { entry } from '../fakes/entry.ts';

describe('chunksByTable', () => {
  it('makes one message a table, in the order of arrival, with IDs that SQS takes', () => {
    const chunks = chunksByTable(
      ['orders/1', 'events/1', 'orders/2'].map((key) => routed(`thadam/v1/p/${key}`)),
    );
    expect(chunks.map(({ items }) => items.map(({ reference }) => reference.key.slice(12)))).toEqual([
      ['orders/1', 'orders/2'],
      ['events/1'],
    ]);
    for (const { message } of chunks) {
      expect(message.deduplicationId).toBe(createHash('sha256').update(message.body).digest('hex'));
      expect(message.groupId).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('E20: groups by table: the same for every entry of one catalog, another for another catalog', () => {
    const key = 'thadam/v1/p/d/x';
    const groups = [
      routed(key),
      routed(key, entry({ url: 's3://lake/thadam', layout: '{url}/v1/{pipeline}/{dataset}/…' })),
      routed(key, entry({ catalog_uri: 'https://other.example' })),
      routed(key, entry({ namespace: ['analytics.d'], table: 'x' })),
      routed(key, entry({ namespace: ['analytics', 'd'], table: 'x' })),
    ].map((item) => chunksByTable([item])[0]?.message.groupId);
    expect(groups[0]).toBe(groups[1]);
    expect(new Set(groups).size).toBe(4);
  });

  it('splits at 200 references and at 256 KiB', () => {
    const many = Array.from({ length: 450 }, (_, n) => routed(`thadam/v1/p/d/${n}`));
    expect(chunksByTable(many).map(({ items }) => items.length)).toEqual([200, 200, 50]);

    const long = Array.from({ length: 200 }, (_, n) => routed(`thadam/v1/p/d/${'\u0001'.repeat(1000)}${n}`));
    const chunks = chunksByTable(long);
    expect(chunks.length).toBeGreaterThan(4);
    expect(chunks.flatMap(({ items }) => items)).toEqual(long);
    for (const { message } of chunks) expect(Buffer.byteLength(message.body)).toBeLessThanOrEqual(256 * 1024);
  });

  it('a nonce makes another body of the same references', () => {
    const items = [routed('thadam/v1/p/d/x')];
    const [plain] = chunksByTable(items);
    const [again] = chunksByTable(items, { nonce: 'n' });
    expect(again?.message.deduplicationId).not.toBe(plain?.message.deduplicationId);
    expect(referencesOf(again?.message.body)).toEqual(referencesOf(plain?.message.body));
  });

  it('round-trips through decodeEvent, in characters that SQS takes', () => {
    const key = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 200 })
      .map((text) => `thadam/v1/p/d/${text}.parquet`);
    const hint = fc.option(fc.stringMatching(/^[0-9a-f]{1,40}$/), { nil: undefined });
    const reference = fc
      .record({
        key,
        size: fc.maxSafeNat(),
        etag: hint,
        versionId: hint,
        sequencer: hint,
        copied: fc.boolean(),
      })
      .map(
        ({ key, size, etag, versionId, sequencer, copied }): SegmentReference => ({
          scheme: 's3',
          bucket: 'lake',
          key,
          sizeBytes: size,
          ...(etag !== undefined && { etag }),
          ...(versionId !== undefined && { versionId }),
          ...(sequencer !== undefined && { sequencer }),
          ...(copied && { copied }),
        }),
      );
    fc.assert(
      fc.property(fc.array(reference, { minLength: 1, maxLength: 10 }), (references) => {
        const routing = routingOf('thadam/v1/p/d/x');
        const [chunk] = chunksByTable(references.map((reference) => ({ reference, routing })));
        expect(referencesOf(chunk?.message.body)).toEqual(references);
        expect(chunk?.message.body).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
      }),
    );
  });

  it('keeps the store: gs', () => {
    const gs = entry({ url: 'gs://lake' });
    const item = {
      reference: { scheme: 'gs', bucket: 'lake', key: 'thadam/v1/p/d/x' },
      routing: routingOf('', gs),
    } as const;
    expect(referencesOf(chunksByTable([item])[0]?.message.body)).toEqual([item.reference]);
  });
});

function routed(key: string, of = entry()): RoutedSegment {
  return { reference: { scheme: 's3', bucket: 'lake', key }, routing: routingOf(key, of) };
}

function routingOf(key: string, of = entry()): Dataset {
  const scheme = of.url.startsWith('gs:') ? 'gs' : 's3';
  const routing = layoutRouter([of])({ scheme, bucket: 'lake', key: key || 'thadam/v1/p/d/x' });
  if (routing.kind !== 'table') throw new Error(`"${key}" leads to no table`);
  return routing;
}

function referencesOf(body = ''): readonly SegmentReference[] | undefined {
  return decodeEvent({ Records: [{ messageId: 'm', eventSource: 'aws:sqs', body }] }).messages[0]?.references;
}
