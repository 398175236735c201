import { describe, expect, test } from 'vitest';
import { keepWarm } from '../../../lib/jobs/register/keep-warm.ts';
import {
  type CachedTable,
  hasShared,
  isUsable,
  listOfHead,
  MOST_DOUBT,
  readAheadBytes,
  remember,
  SOME_DOUBT,
} from '../../../lib/jobs/register/table-cache.ts';
import { ledgerMemory } from '../../../lib/ledger/ledger-memory.ts';
import type { Snapshot } from '../../../lib/spec/snapshot.ts';
import { snapshot, tableWithHistory } from '../../fakes/table-state.ts';

const state = (head: Snapshot) => tableWithHistory([head]);
const cachedList = (path: string, head: Snapshot): CachedTable => ({
  state: state(head),
  list: { path, schema: '{}', codec: 'deflate', blocks: [] },
  memory: ledgerMemory(),
  loadedAtMs: 0,
  doubt: 0,
  footerBytes: 0,
});

describe('listOfHead', () => {
  const head = snapshot(7n, { manifestList: 's3://lake/snap-7-1-a.avro' });

  test('is the cached list of the head', () => {
    const cached = cachedList('s3://lake/snap-7-1-a.avro', head);
    expect(listOfHead(cached, state(head), 'main')).toBe(cached.list);
  });

  /**
   * Rule: every attempt has a list of its own (I1). Two attempts of one snapshot whose answers were both lost: the first one
   * landed late, and a second one's list, with the same snapshot ID in its name, is not the table's.
   */
  test('is none when another attempt of the same snapshot landed', () => {
    const cached = cachedList('s3://lake/snap-7-2-b.avro', head);
    expect(listOfHead(cached, state(head), 'main')).toBeUndefined();
  });

  test('is none without a head or a cached list', () => {
    expect(listOfHead(cachedList('s3://lake/a.avro', head), tableWithHistory([]), 'main')).toBeUndefined();
    expect(listOfHead(undefined, state(head), 'main')).toBeUndefined();
  });
});

describe('keepWarm', () => {
  const [one, two] = [snapshot(1n), snapshot(2n)];
  const cached = (doubt: number): CachedTable => ({ ...cachedList('x', one), doubt });
  const after = (doubt: number, warm: boolean, begun: Snapshot, attempts: number) =>
    keepWarm({
      cached: cached(doubt),
      amongShared: false,
      begun: { warm, state: state(begun) },
      branch: 'main',
      segments: [],
      end: { outcome: 'nothing', state: state(begun), attempts },
      memory: ledgerMemory(),
      nowMs: 0,
    })?.doubt ?? 0;

  test('a table that was stale is loaded before the next four commits, and is trusted after one that needs no load', () => {
    let doubt = after(0, true, one, 2);
    for (let loads = 0; loads < 4; loads += 1) {
      expect(isUsable(cached(doubt), 0)).toBe(false);
      doubt = after(doubt, false, one, 1);
    }
    expect(isUsable(cached(doubt), 0)).toBe(true);
    expect(after(doubt, true, one, 1)).toBe(0);
  });

  test('where one of these shows a foreign commit, until nine in a row show none', () => {
    const doubted = after(after(0, true, one, 2), false, two, 1);
    let doubt = doubted;
    for (let loads = 0; loads < 9; loads += 1) {
      expect(isUsable(cached(doubt), 0)).toBe(false);
      expect(after(doubt, false, two, 1)).toBe(doubted);
      doubt = after(doubt, false, one, 1);
    }
    expect(isUsable(cached(doubt), 0)).toBe(true);
    expect(after(doubt, true, one, 2)).toBe(doubted);
  });
});

describe('a table that a container meets for the first time', () => {
  const first = (amongShared: boolean) =>
    keepWarm({
      cached: undefined,
      amongShared,
      begun: { warm: false, state: state(snapshot(1n)) },
      branch: 'main',
      segments: [],
      end: { outcome: 'nothing', state: state(snapshot(1n)), attempts: 1 },
      memory: ledgerMemory(),
      nowMs: 0,
    });
  const holds = (doubt: number) =>
    hasShared(new Map([['other', { ...cachedList('x', snapshot(1n)), doubt }]]));

  test('is trusted, unless another cached table was found to be shared more than once', () => {
    expect(isUsable(first(false), 0)).toBe(true);
    expect(isUsable(first(true), 0)).toBe(false);
    expect([0, SOME_DOUBT, SOME_DOUBT + 1, MOST_DOUBT].map(holds)).toEqual([false, false, true, true]);
  });
});

describe('the cache', () => {
  test('reads ahead one megabyte at most, however long a footer was', () => {
    const withFooter = (footerBytes: number) =>
      readAheadBytes({ ...cachedList('x', snapshot(1n)), footerBytes });
    expect(withFooter(100_000)).toBe(125_000);
    expect(withFooter(40 * 1024 * 1024)).toBe(1024 * 1024);
  });

  test('keeps the most recently used tables', () => {
    const cache = new Map<string, CachedTable>();
    const table = cachedList('x', snapshot(1n));
    for (let i = 0; i < 40; i += 1) {
      remember(cache, 'always', table);
      remember(cache, `table ${i}`, table);
    }
    expect(cache.size).toBe(32);
    expect(cache.has('always')).toBe(true);
    expect(cache.has('table 39')).toBe(true);
    expect(cache.has('table 0')).toBe(false);
  });
});
