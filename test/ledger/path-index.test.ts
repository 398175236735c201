import { describe, expect, test } from 'vitest';
import { pathIndex } from '../../lib/ledger/path-index.ts';

const uri = (at: number) => `s3://lake/in/orders/part-${at}.parquet`;

describe('pathIndex', () => {
  test.each([0, 100_000])('keeps every path and size, with room made for %i', (expected) => {
    const index = pathIndex(expected);
    for (let at = 0; at < 100_000; at += 2) expect(index.add(uri(at), at)).toBe(true);
    expect(index.size).toBe(50_000);
    const wrong = Array.from({ length: 100_000 }, (_, at) => at).filter(
      (at) => index.see(uri(at), at) !== (at % 2 === 0 ? 'same size' : undefined),
    );
    expect(wrong).toEqual([]);
    expect(index.see(uri(2), 3)).toBe('other size');
    expect(index.see(uri(2), 2 + 2 ** 31)).toBe('other size');
  });

  test('recognises a path that it has, in another spelling too', () => {
    const index = pathIndex();
    expect(index.add('s3a://lake/k', 1)).toBe(true);
    expect(index.add('s3://lake/k', 1)).toBe(false);
    expect(index.size).toBe(1);
  });

  test('remembers what was seen, while it grows too', () => {
    const index = pathIndex();
    index.add(uri(0), 1);
    index.add(uri(1), 1);
    index.see(uri(1), 1);
    for (let at = 2; at < 5_000; at += 1) index.add(uri(at), 1);
    expect(index.wasSeen(uri(0))).toBe(false);
    expect(index.wasSeen(uri(1))).toBe(true);
  });
});
