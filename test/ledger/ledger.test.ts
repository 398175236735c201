import { describe, expect, test } from 'vitest';
import type { Candidate } from '../../lib/ledger/candidate.ts';
import { consultLedger, type ManifestReader } from '../../lib/ledger/ledger.ts';
import { ledgerMemory } from '../../lib/ledger/ledger-memory.ts';
import { UPLOAD_ALLOWANCE_MS } from '../../lib/ledger/open-candidates.ts';
import { isHistoryShort, provableSince } from '../../lib/ledger/provable-history.ts';
import { registrationSummary } from '../../lib/ledger/registration-summary.ts';
import type { ManifestEntry } from '../../lib/spec/manifest.ts';
import type { Snapshot } from '../../lib/spec/snapshot.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import { snapshot, tableState, tableWithHistory } from '../fakes/table-state.ts';

const HOUR = 3_600_000;
const UPLOADED = 1_000 * HOUR;
const uri = 's3://lake/in/orders/a.parquet';

const candidate = (overrides: Partial<Candidate> = {}): Candidate => ({
  uri,
  etag: 'e1',
  sizeBytes: 100,
  uploadedMs: UPLOADED,
  copied: false,
  ...overrides,
});
const ours = (id: bigint, timestampMs: number, path = uri, etag = 'e1'): Snapshot =>
  snapshot(id, {
    timestampMs: BigInt(timestampMs),
    summary: { operation: 'append', 'added-data-files': '1', ...registrationSummary([{ uri: path, etag }]) },
  });
const foreign = (
  id: bigint,
  timestampMs: number,
  summary: Record<string, string> = { 'added-data-files': '1' },
): Snapshot =>
  snapshot(id, { timestampMs: BigInt(timestampMs), summary: { operation: 'append', ...summary } });
const entry = (filePath: string, overrides: Partial<ManifestEntry> = {}): ManifestEntry => ({
  manifestPath: 's3://lake/orders/metadata/m0.avro',
  status: 'added',
  snapshotId: undefined,
  filePath,
  recordCount: 10n,
  fileSizeInBytes: 100n,
  ...overrides,
});

/** Manifests in a Map. Every read is counted, because the ledger exists to save reads. */
function manifests(
  added: Record<string, readonly ManifestEntry[]> = {},
  live: readonly ManifestEntry[] = [],
) {
  const reads: string[] = [];
  const reader: ManifestReader = {
    async added(of) {
      reads.push(`added ${of.snapshotId}`);
      return added[String(of.snapshotId)] ?? [];
    },
    async *live(head) {
      reads.push(`live ${head.snapshotId}`);
      yield* live;
    },
    metrics: async () => undefined,
  };
  return { reader, reads };
}

async function verdict(state: TableState, of = candidate(), known = manifests(), memory = ledgerMemory()) {
  const verdicts = await consultLedger(state, 'main', [of], known.reader, memory);
  return { ...verdicts.get(of.uri), reads: known.reads };
}

describe('consultLedger: presence (I2)', () => {
  test('finds a segment in the head, without a read', async () => {
    const state = tableWithHistory([
      ours(1n, UPLOADED, 's3://lake/in/orders/z.parquet'),
      ours(2n, UPLOADED + 1),
    ]);
    expect(await verdict(state)).toEqual({ kind: 'registered', snapshotId: 2n, reads: [] });
  });

  test('finds a segment in every retained ancestor, however old against its upload', async () => {
    const state = tableWithHistory([ours(1n, 0), ours(2n, UPLOADED + 1, 's3://lake/in/orders/z.parquet')]);
    expect(await verdict(state)).toMatchObject({ kind: 'registered', snapshotId: 1n });
  });

  test('takes s3a and s3 for one path', async () => {
    const state = tableWithHistory([ours(1n, UPLOADED)]);
    expect(await verdict(state, candidate({ uri: uri.replace('s3:', 's3a:') }))).toMatchObject({
      kind: 'registered',
    });
  });

  test("confirms a hit among hashes in that snapshot's manifests", async () => {
    const many = Array.from({ length: 100 }, (_, i) => ({
      uri: `s3://lake/in/orders/${i}.parquet`,
      etag: `e${i}`,
    }));
    const summary = registrationSummary([...many, { uri, etag: 'e1' }]);
    const state = tableWithHistory([snapshot(1n, { timestampMs: BigInt(UPLOADED), summary })]);
    expect(await verdict(state, candidate(), manifests({ 1: [entry(uri)] }))).toEqual({
      kind: 'registered',
      snapshotId: 1n,
      reads: ['added 1'],
    });
    expect(await verdict(state, candidate(), manifests({ 1: [] }))).toEqual({
      kind: 'absent',
      reads: ['added 1'],
    });
    expect(await verdict(state, candidate({ uri: 's3://lake/in/orders/not-there.parquet' }))).toEqual({
      kind: 'absent',
      reads: [],
    });
  });

  test('reads the manifests of a registration too large for its summary, however old', async () => {
    const state = tableWithHistory([
      snapshot(1n, { timestampMs: 0n, summary: { 'iceberg-registrar.segment-count': '5000' } }),
      ours(2n, UPLOADED + 1, 's3://lake/in/orders/z.parquet'),
    ]);
    expect(await verdict(state, candidate(), manifests({ 1: [entry(uri)] }))).toMatchObject({
      kind: 'registered',
      snapshotId: 1n,
    });
  });

  test('reads the manifests of a registration that lists no segments only for paths between its first and last path', async () => {
    const listed = { 'iceberg-registrar.segment-count': '5000' };
    const within = (first: string, last: string) =>
      tableWithHistory([
        snapshot(1n, {
          timestampMs: 0n,
          summary: { ...listed, 'iceberg-registrar.segment-range': JSON.stringify([first, last]) },
        }),
      ]);
    const known = () => manifests({ 1: [entry(uri)] });
    const [before, after] = [uri.slice(0, -1), `${uri}0`];
    for (const state of [within(uri, uri), within(before, uri), within(uri, after), within(before, after)]) {
      expect(await verdict(state, candidate(), known())).toMatchObject({
        kind: 'registered',
        reads: ['added 1'],
      });
    }
    for (const state of [within(after, `${uri}1`), within('s3://lake/in/', before)]) {
      expect(await verdict(state, candidate(), known())).toEqual({ kind: 'absent', reads: [] });
    }
  });

  test('says replaced when the path is registered under another ETag, with the entry to compare', async () => {
    const state = tableWithHistory([ours(1n, UPLOADED, uri, 'older')]);
    expect(await verdict(state, candidate(), manifests({ 1: [entry(uri)] }))).toMatchObject({
      kind: 'replaced',
      snapshotId: 1n,
      entry: { filePath: uri },
    });
  });
});

describe('consultLedger: absence is proven, never assumed (I2)', () => {
  const other = 's3://lake/in/orders/z.parquet';

  test('a branch without a head has nothing', async () => {
    expect(await verdict(tableState())).toEqual({ kind: 'absent', reads: [] });
  });

  test('history down to the first snapshot', async () => {
    expect(await verdict(tableWithHistory([ours(1n, UPLOADED + 1, other)]))).toEqual({
      kind: 'absent',
      reads: [],
    });
  });

  test('history down to an ancestor older than the upload and the allowance', async () => {
    const old = { ...ours(7n, UPLOADED - UPLOAD_ALLOWANCE_MS - 1, other), parentSnapshotId: 6n };
    expect(await verdict(tableWithHistory([old, ours(8n, UPLOADED + 1, other)]))).toMatchObject({
      kind: 'absent',
    });
  });

  test('an ancestor within the allowance of clocks proves nothing', async () => {
    const near = { ...ours(7n, UPLOADED - UPLOAD_ALLOWANCE_MS + 1, other), parentSnapshotId: 6n };
    expect(await verdict(tableWithHistory([near]))).toMatchObject({ kind: 'unprovable', reads: ['live 7'] });
  });

  test('a foreign append since the upload is read', async () => {
    const state = tableWithHistory([ours(1n, 0, other), foreign(2n, UPLOADED + 1)]);
    expect(await verdict(state, candidate(), manifests({ 2: [entry(uri)] }))).toEqual({
      kind: 'registered',
      snapshotId: 2n,
      reads: ['added 2'],
    });
    expect(await verdict(state)).toEqual({ kind: 'absent', reads: ['added 2'] });
  });

  test('a foreign snapshot that adds no file is not read; a snapshot that does not say whether it adds files is read', async () => {
    const quiet = tableWithHistory([
      ours(1n, 0, other),
      foreign(2n, UPLOADED + 1, { 'added-data-files': '0' }),
    ]);
    expect(await verdict(quiet)).toEqual({ kind: 'absent', reads: [] });
    const unknown = tableWithHistory([ours(1n, 0, other), foreign(2n, UPLOADED + 1, {})]);
    expect(await verdict(unknown)).toEqual({ kind: 'absent', reads: ['added 2'] });
  });

  test('foreign appends before the upload are not read', async () => {
    const state = tableWithHistory([
      foreign(1n, 0),
      foreign(2n, UPLOADED - HOUR),
      ours(3n, UPLOADED + 1, other),
    ]);
    expect(await verdict(state)).toEqual({ kind: 'absent', reads: [] });
  });

  test('a root with a later sequence number and without our ledger is not the beginning', async () => {
    expect(
      await verdict(tableWithHistory([foreign(5n, UPLOADED + 1, { 'added-data-files': '0' })])),
    ).toMatchObject({
      kind: 'unprovable',
    });
  });

  test('expired history: found among the live files, or unprovable', async () => {
    const state = tableWithHistory([{ ...ours(7n, UPLOADED + 1, other), parentSnapshotId: 6n }]);
    expect(await verdict(state, candidate(), manifests({}, [entry(uri, { snapshotId: 3n })]))).toMatchObject({
      kind: 'registered',
      snapshotId: 3n,
    });
    expect(
      await verdict(state, candidate(), manifests({}, [entry(uri, { fileSizeInBytes: 99n })])),
    ).toMatchObject({
      kind: 'replaced',
    });
    expect(await verdict(state)).toMatchObject({ kind: 'unprovable' });
  });

  test('expired history: every candidate is looked for among the live files, until the last one is found', async () => {
    const state = tableWithHistory([{ ...ours(7n, UPLOADED + 1, other), parentSnapshotId: 6n }]);
    const second = candidate({ uri: 's3://lake/in/orders/second.parquet' });
    let pulled = 0;
    const reader: ManifestReader = {
      ...manifests().reader,
      async *live() {
        for (const path of [uri, 's3://lake/in/orders/x', second.uri, 's3://lake/in/orders/y']) {
          pulled += 1;
          yield entry(path);
        }
      },
    };
    const verdicts = await consultLedger(state, 'main', [candidate(), second], reader);
    expect(
      verdicts
        .values()
        .map(({ kind }) => kind)
        .toArray(),
    ).toEqual(['registered', 'registered']);
    expect(pulled).toBe(3);
  });

  test('a head shown alone and without its parent (Nessie) is not the beginning: the table has more files than it added', async () => {
    const head = ours(7n, UPLOADED + 1, other);
    const alone = (total: string) =>
      tableWithHistory([{ ...head, summary: { ...head.summary, 'total-data-files': total } }]);
    expect(await verdict(alone('2'), candidate(), manifests({}, [entry(uri)]))).toMatchObject({
      kind: 'registered',
    });
    expect(await verdict(alone('2'))).toMatchObject({ kind: 'unprovable' });
    expect(provableSince(alone('2'), 'main')).toBe(UPLOADED + 1 + UPLOAD_ALLOWANCE_MS);
    expect(await verdict(alone('1'))).toEqual({ kind: 'absent', reads: [] });
  });

  test('a copy also searches the live files', async () => {
    const state = tableWithHistory([ours(1n, UPLOADED + 1, other)]);
    expect(await verdict(state, candidate({ copied: true }), manifests({}, [entry(uri)]))).toMatchObject({
      kind: 'registered',
    });
    expect(await verdict(state, candidate({ copied: true }))).toMatchObject({
      kind: 'absent',
      reads: ['live 1'],
    });
  });

  test("a snapshot outside the branch's ancestry (rolled back) says nothing", async () => {
    const state = tableWithHistory([ours(1n, UPLOADED, other)]);
    const withRolledBack = {
      ...state,
      snapshots: new Map([...state.snapshots, [9n, { ...ours(9n, UPLOADED), parentSnapshotId: 1n }]]),
    };
    expect(await verdict(withRolledBack)).toMatchObject({ kind: 'absent' });
  });
});

describe('consultLedger: absence that was proven before (a redrive)', () => {
  const other = 's3://lake/in/orders/z.parquet';
  /** Its history begins after the upload: nothing proves absence but an earlier proof. */
  const expired = tableWithHistory([
    { ...ours(7n, UPLOADED + HOUR, other), parentSnapshotId: 6n },
    ours(8n, UPLOADED + 2 * HOUR, other),
  ]);
  const absentAt = (snapshotId: bigint | null, tableUuid = expired.uuid) =>
    candidate({ absentAt: { tableUuid, snapshotId } });

  test('needs history only since that head, which is an ancestor or the parent of the oldest ancestor', async () => {
    expect(await verdict(expired)).toMatchObject({ kind: 'unprovable' });
    expect(await verdict(expired, absentAt(7n))).toEqual({ kind: 'absent', reads: [] });
    expect(await verdict(expired, absentAt(6n))).toEqual({ kind: 'absent', reads: [] });
  });

  test.each([
    ['a head that is not met', absentAt(5n)],
    ['a head that there was none', absentAt(null)],
    ['another table of that name', absentAt(7n, 'f1b34a5e-0000-4000-8000-000000000002')],
  ])('proves nothing at %s', async (_title, of) => {
    expect(await verdict(expired, of)).toMatchObject({ kind: 'unprovable' });
  });

  test('still looks for presence everywhere, and reads foreign appends since', async () => {
    const state = tableWithHistory([
      { ...ours(7n, UPLOADED + HOUR, other), parentSnapshotId: 6n },
      foreign(8n, UPLOADED + 2 * HOUR),
    ]);
    const read = manifests({ 8: [entry(uri)] });
    expect(await verdict(state, absentAt(7n), read)).toMatchObject({ kind: 'registered', snapshotId: 8n });
    const before = tableWithHistory([
      { ...ours(6n, UPLOADED + HOUR), parentSnapshotId: 5n },
      ours(7n, UPLOADED + 2 * HOUR, other),
    ]);
    expect(await verdict(before, absentAt(7n))).toMatchObject({ kind: 'registered', snapshotId: 6n });
  });
});

describe('consultLedger: a long history', () => {
  const many = (id: number) =>
    Array.from({ length: 40 }, (_, at) => ({ uri: `s3://lake/in/orders/${id}-${at}.parquet`, etag: 'e1' }));
  const listed = (id: number): Snapshot =>
    snapshot(BigInt(id), { timestampMs: BigInt(id), summary: registrationSummary(many(id)) });

  test.each([
    ['segments', (id: number) => ours(BigInt(id), id, `s3://lake/in/orders/${id}.parquet`)],
    ['hashes', listed],
    ['nothing', (id: number) => foreign(BigInt(id), id, { 'added-data-files': '0' })],
  ])('of snapshots that list %s is not asked anew for each candidate', async (_, snapshotOf) => {
    const state = tableWithHistory(Array.from({ length: 200 }, (_, at) => snapshotOf(at + 1)));
    for (const uploadedMs of [UPLOADED, 0]) {
      let looks = 0;
      const candidates = Array.from(
        { length: 50 },
        (_, at) =>
          new Proxy(candidate({ uri: `s3://lake/in/orders/new-${at}.parquet`, uploadedMs }), {
            get: (target, key) => {
              looks += 1;
              return Reflect.get(target, key);
            },
          }),
      );
      const verdicts = await consultLedger(state, 'main', candidates, manifests().reader);
      expect(new Set(verdicts.values().map(({ kind }) => kind))).toEqual(new Set(['absent']));
      expect(looks).toBeLessThan(candidates.length * 20);
    }
  });
});

describe('ledgerMemory: a warm container reads each snapshot once', () => {
  const other = 's3://lake/in/orders/z.parquet';
  const state = tableWithHistory([ours(1n, 0, other), foreign(2n, UPLOADED + 1)]);

  test('a foreign append is read once, whatever is asked', async () => {
    const [memory, known] = [ledgerMemory(), manifests({ 2: [entry(uri)] })];
    expect(await verdict(state, candidate(), known, memory)).toMatchObject({ kind: 'registered' });
    const another = candidate({ uri: 's3://lake/in/orders/b.parquet' });
    expect(await verdict(state, another, known, memory)).toEqual({ kind: 'absent', reads: ['added 2'] });
  });

  test('beyond its limit it forgets everything, and gives the same verdicts', async () => {
    const [memory, known] = [ledgerMemory(1), manifests({ 2: [entry(uri)] })];
    for (let times = 0; times < 2; times += 1) {
      expect(await verdict(state, candidate(), known, memory)).toMatchObject({ kind: 'registered' });
    }
  });

  test('beyond its limit it keeps what comes after', async () => {
    const [memory, reads] = [ledgerMemory(5), [] as bigint[]];
    const read = async (id: bigint) => {
      await memory.added(snapshot(id), async () => {
        reads.push(id);
        return [entry(`s3://lake/in/orders/${id}-1`), entry(`s3://lake/in/orders/${id}-2`)];
      });
    };
    for (const id of [1n, 2n, 3n, 4n, 3n, 4n]) await read(id);
    expect(reads).toEqual([1n, 2n, 3n, 4n]);
  });

  test('two reads of one snapshot at once both have its entries', async () => {
    const memory = ledgerMemory();
    const read = async () => [entry(uri)];
    const [one, two] = await Promise.all([
      memory.added(snapshot(1n), read),
      memory.added(snapshot(1n), read),
    ]);
    expect([one.size, two.size]).toEqual([1, 1]);
  });

  test('a table that was loaded anew, with the same snapshots, is not read anew', async () => {
    const [memory, known] = [ledgerMemory(), manifests({ 2: [entry(uri)] })];
    await verdict(state, candidate(), known, memory);
    const loaded = tableWithHistory([...state.snapshots.values()]);
    expect(await verdict(loaded, candidate(), known, memory)).toMatchObject({ reads: ['added 2'] });
  });

  test('forgets a snapshot that the table no longer has', async () => {
    const memory = ledgerMemory();
    const oldest = ours(1n, 0, other);
    await verdict(state, candidate(), manifests({ 2: [entry(uri)] }), memory);
    const kept = memory.listing(oldest);
    await verdict(tableWithHistory([oldest, ours(4n, UPLOADED)]), candidate(), manifests(), memory);
    expect(memory.listing(oldest)).toBe(kept);
    await verdict(tableWithHistory([ours(3n, UPLOADED)]), candidate(), manifests(), memory);
    expect(memory.listing(oldest)).not.toBe(kept);
  });

  test('a table that was dropped and created again has nothing of the old table', async () => {
    const memory = ledgerMemory();
    const known = manifests({ 2: [entry(uri)] });
    await verdict(state, candidate(), known, memory);
    const again = tableWithHistory([ours(1n, 0, other), ours(3n, UPLOADED + 1, other)]);
    expect(await verdict(again, candidate(), known, memory)).toMatchObject({ kind: 'absent' });
  });
});

describe('provableSince', () => {
  const other = 's3://lake/in/orders/z.parquet';

  test('is the beginning where history is whole', () => {
    expect(provableSince(tableState(), 'main')).toBe('beginning');
    expect(provableSince(tableWithHistory([ours(1n, UPLOADED)]), 'main')).toBe('beginning');
  });

  test('agrees with the ledger to the millisecond where history has expired', async () => {
    const oldest = { ...ours(7n, UPLOADED, other), parentSnapshotId: 6n };
    const state = tableWithHistory([oldest, ours(8n, UPLOADED + 60_000, other)]);
    const since = provableSince(state, 'main');
    expect(since).toBe(UPLOADED + UPLOAD_ALLOWANCE_MS);
    expect(provableSince(state, 'main', ledgerMemory())).toBe(since);
    expect(await verdict(state, candidate({ uploadedMs: Number(since) + 1 }))).toMatchObject({
      kind: 'absent',
    });
    expect(await verdict(state, candidate({ uploadedMs: Number(since) }))).toMatchObject({
      kind: 'unprovable',
    });
  });

  test('is short once the longest-waiting message has used up half of it', () => {
    expect(isHistoryShort(0, 50, 100)).toBe(false);
    expect(isHistoryShort(0, 49, 100)).toBe(true);
    expect(isHistoryShort('beginning', 0, 100)).toBe(false);
  });
});
