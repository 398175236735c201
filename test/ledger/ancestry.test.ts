import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ancestryIndex } from '../../lib/ledger/ancestry.ts';
import type { Candidate } from '../../lib/ledger/candidate.ts';
import { consultLedger, type ManifestReader } from '../../lib/ledger/ledger.ts';
import { type LedgerMemory, ledgerMemory } from '../../lib/ledger/ledger-memory.ts';
import { provableSince } from '../../lib/ledger/provable-history.ts';
import { registrationSummary } from '../../lib/ledger/registration-summary.ts';
import type { ManifestEntry } from '../../lib/spec/manifest.ts';
import type { Snapshot } from '../../lib/spec/snapshot.ts';
import { extendSnapshots, type Snapshots } from '../../lib/spec/snapshot-log.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import { snapshot, tableState, tableWithHistory } from '../fakes/table-state.ts';

const MINUTE = 60_000;
const uris = Array.from({ length: 6 }, (_, at) => `s3://lake/in/orders/${at}.parquet`);
const uriOf = fc.constantFrom(...uris);
const etagOf = fc.constantFrom('e1', 'e2');

/** What one writer adds: ours by name, by hashes, by number alone; a foreign append; a change without new files. */
const writer = fc.record({
  kind: fc.constantFrom('ours', 'ours', 'ours', 'hashes', 'count', 'foreign', 'nothing' as const),
  added: fc.uniqueArray(fc.record({ uri: uriOf, etag: etagOf }), {
    selector: ({ uri }) => uri,
    minLength: 1,
    maxLength: 3,
  }),
  minutesLater: fc.integer({ min: -40, max: 60 }),
  /** What the table's history does before: goes on, is loaded anew, expires, is rolled back. */
  before: fc.constantFrom('on', 'on', 'on', 'on', 'loaded', 'expired', 'rolled back' as const),
});

const candidateOf: fc.Arbitrary<Candidate> = fc.record({
  uri: uriOf,
  etag: etagOf,
  sizeBytes: fc.constantFrom(100, 200),
  uploadedMs: fc.integer({ min: -30, max: 200 }).map((minutes) => minutes * MINUTE),
  copied: fc.boolean(),
});

function summaryOf(kind: string, added: readonly { uri: string; etag: string }[]): Record<string, string> {
  const files = { operation: 'append', 'added-data-files': String(added.length) };
  if (kind === 'ours') return { ...files, ...registrationSummary(added) };
  if (kind === 'count') return { ...files, 'iceberg-registrar.segment-count': String(added.length) };
  if (kind === 'nothing') return { operation: 'replace', 'added-data-files': '0' };
  if (kind === 'foreign') return files;
  // Long names make the summary say hashes.
  const many = Array.from({ length: 30 }, (_, at) => ({
    uri: `s3://lake/in/orders/${'x'.repeat(60)}${at}`,
    etag: 'e',
  }));
  return { ...files, ...registrationSummary([...added, ...many]) };
}

function entryOf({ uri }: { uri: string }): ManifestEntry {
  return {
    manifestPath: 's3://lake/orders/metadata/m0.avro',
    status: 'added',
    snapshotId: undefined,
    filePath: uri,
    recordCount: 10n,
    fileSizeInBytes: 100n,
  };
}

test('a warm index of the ancestry gives the same verdicts as a walk through all of it, whatever happens to the history', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(writer, fc.array(candidateOf, { minLength: 1, maxLength: 4 })), {
        minLength: 1,
        maxLength: 10,
      }),
      async (steps) => {
        const added = new Map<bigint, readonly ManifestEntry[]>();
        const reader: ManifestReader = {
          added: async ({ snapshotId }) => added.get(snapshotId) ?? [],
          async *live() {},
          metrics: async () => undefined,
        };
        const warm = ledgerMemory();
        let snapshots: Snapshots = new Map();
        let head: Snapshot | undefined;
        let ms = 0;
        for (const [at, [{ kind, added: files, minutesLater, before }, candidates]] of steps.entries()) {
          if (before === 'loaded') snapshots = new Map(snapshots);
          if (before === 'expired') snapshots = new Map([...snapshots].slice(1));
          if (before === 'rolled back')
            head =
              head?.parentSnapshotId === undefined ? head : (snapshots.get(head.parentSnapshotId) ?? head);
          ms += minutesLater * MINUTE;
          const next = snapshot(BigInt(at + 1), {
            timestampMs: BigInt(ms),
            ...(head !== undefined && { parentSnapshotId: head.snapshotId }),
            summary: summaryOf(kind, files),
          });
          if (kind !== 'nothing') added.set(next.snapshotId, files.map(entryOf));
          snapshots = extendSnapshots(snapshots, [next]) ?? snapshots;
          head = next;
          const state: TableState = tableState({
            snapshots,
            refs: { main: { type: 'branch', snapshotId: next.snapshotId } },
          });
          const { ancestry: _, ...walking }: LedgerMemory = ledgerMemory();
          expect(await consultLedger(state, 'main', candidates, reader, warm)).toStrictEqual(
            await consultLedger(state, 'main', candidates, reader, walking),
          );
          expect(provableSince(state, 'main', warm)).toBe(provableSince(state, 'main'));
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('a commit that follows the previous one looks only at its own snapshot, not at 10,000', async () => {
  const ours = (id: bigint): Snapshot =>
    snapshot(id, {
      timestampMs: id,
      ...(id > 1n && { parentSnapshotId: id - 1n }),
      summary: registrationSummary([{ uri: `s3://lake/in/orders/${id}`, etag: 'e' }]),
    });
  let snapshots =
    extendSnapshots(
      new Map(),
      Array.from({ length: 10_000 }, (_, at) => ours(BigInt(at + 1))),
    ) ?? new Map();
  let looks = 0;
  const memory = ledgerMemory();
  const reader: ManifestReader = { added: async () => [], async *live() {}, metrics: async () => undefined };
  const consult = async (headId: bigint) => {
    const counting: Snapshots = Object.assign(Object.create(snapshots), {
      get: (id: bigint) => {
        looks += 1;
        return snapshots.get(id);
      },
    });
    const state = tableState({ snapshots: counting, refs: { main: { type: 'branch', snapshotId: headId } } });
    const candidate = {
      uri: 's3://lake/in/orders/new',
      etag: 'e',
      sizeBytes: 1,
      uploadedMs: 0,
      copied: false,
    };
    return (await consultLedger(state, 'main', [candidate], reader, memory)).get(candidate.uri);
  };
  expect(await consult(10_000n)).toStrictEqual({ kind: 'absent' });
  expect(looks).toBeGreaterThanOrEqual(10_000);
  looks = 0;
  snapshots = extendSnapshots(snapshots, [ours(10_001n)]) ?? snapshots;
  expect(await consult(10_001n)).toStrictEqual({ kind: 'absent' });
  expect(looks).toBeLessThan(5);
});

test('of snapshots that name their segments, only the one that lists the path and the oldest are relevant', () => {
  const ours = (id: bigint): Snapshot =>
    snapshot(id, { timestampMs: id, summary: registrationSummary([{ uri: `s3://lake/${id}`, etag: 'e' }]) });
  const state = tableWithHistory(Array.from({ length: 20 }, (_, at) => ours(BigInt(at + 1))));
  const head = state.snapshots.get(20n) ?? ours(20n);
  const relevant = ancestryIndex(100)(state, head)?.relevantTo(['s3://lake/7', 's3://lake/new']);
  expect(relevant?.map(({ snapshotId }) => snapshotId)).toEqual([7n, 1n]);
});
