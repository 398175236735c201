import { describe, expect, test } from 'vitest';
import { type CachedTable, listOfHead } from '../../lib/jobs/table-cache.ts';
import { ledgerMemory } from '../../lib/ledger/ledger-memory.ts';
import type { Snapshot } from '../../lib/spec/snapshot.ts';
import { snapshot, tableWithHistory } from '../fakes/table-state.ts';

const state = (head: Snapshot) => tableWithHistory([head]);
const cachedList = (path: string, head: Snapshot): CachedTable => ({
  state: state(head),
  list: { path, schema: '{}', codec: 'deflate', blocks: [] },
  memory: ledgerMemory(),
  loadedAtMs: 0,
  staleTimes: 0,
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
