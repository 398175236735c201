/**
 * A backfill of synthetic segments on a virtual clock: `simulate.ts SEGMENTS < latencies.json`. It runs in a separate process, so that its
 * memory can be measured. All code of the project is real. The simulated store answers with real files, after the measured latencies.
 */
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import pLimit from 'p-limit';
import { readManifestEntries } from '../../lib/append/manifest.ts';
import { backfill } from '../../lib/jobs/backfill/backfill.ts';
import { pathIndex } from '../../lib/ledger/path-index.ts';
import type { ReadResult, Store } from '../../lib/ports.ts';
import { fakeCatalog } from '../../test/fakes/catalog.ts';
import { entry } from '../../test/fakes/entry.ts';
import { seededRandom } from '../../test/fakes/random.ts';
import { fakeStore } from '../../test/fakes/store.ts';
import { virtualTime } from '../../test/fakes/time.ts';
import { templates } from './lake.ts';
import type { Latencies } from './latencies.ts';

const SEGMENTS = Number(process.argv[2]);
const CONCURRENCY = 64;
const recorded = JSON.parse(await text(process.stdin)) as Latencies;
const time = virtualTime();
const random = seededRandom(1);
const files = templates().map((bytes) => ({
  bytes,
  version: createHash('md5').update(bytes).digest('hex'),
}));
const UPLOADED_MS = time.clock.now() - 86_400_000;

const waited = (name: keyof Latencies) =>
  time.timers.sleep(Math.ceil(recorded[name][Math.floor(random.next() * recorded[name].length)] ?? 0));

const uriOf = (at: number) =>
  `s3://lake/thadam/v1/bench/orders/hour=${String(Math.floor(at / 10_000)).padStart(4, '0')}/part-${String(at).padStart(8, '0')}.parquet`;
const fileOf = (uri: string) => files[Number(uri.slice(-9, -8)) % files.length];

const registered = pathIndex(SEGMENTS);
let doubled = 0;

/** Counts the table's files and discards them, so that only the backfill itself is measured. */
const store: Store = {
  async read(uri, { range } = {}): Promise<ReadResult> {
    await waited('read');
    const file = uri.endsWith('.parquet') ? fileOf(uri) : undefined;
    if (file === undefined) return { kind: 'missing' };
    const { bytes, version } = file;
    const cut = range !== undefined && 'suffix' in range ? bytes.subarray(-range.suffix) : bytes;
    return {
      kind: 'object',
      bytes: cut.slice(),
      sizeBytes: bytes.length,
      version,
      lastModifiedMs: UPLOADED_MS,
    };
  },
  async write(uri, bytes) {
    await waited('write');
    if (/-m\d+\.avro$/.test(uri)) {
      for (const { filePath } of readManifestEntries(bytes, uri))
        if (!registered.add(filePath, 1)) doubled += 1;
    } else if (uri.endsWith('.json')) catalogFiles.upload(uri, bytes);
    return { kind: 'written', version: 'v' };
  },
  async *list(prefix) {
    if (!uriOf(0).startsWith(prefix)) return;
    for (let at = 0; at < SEGMENTS; at += 1) {
      if (at % 1_000 === 0) await waited('read');
      const uri = uriOf(at);
      const { bytes, version } = fileOf(uri) ?? { bytes: new Uint8Array(), version: '' };
      yield { uri, sizeBytes: bytes.length, version, lastModifiedMs: UPLOADED_MS };
    }
  },
};

/** Keeps only the first metadata file, since no other is read again. */
const catalogFiles = fakeStore(time.clock);
const keep = catalogFiles.upload;
catalogFiles.upload = (uri, content) => (catalogFiles.objects.size === 0 ? keep(uri, content) : '');
const tables = fakeCatalog(catalogFiles, time.clock, random);
const catalog: typeof tables = {
  ...tables,
  async commit(table, commit) {
    await waited('commit');
    tables.calls.length = 0;
    return tables.commit(table, commit);
  },
};

const services = { store, catalog, quarantine: { put: async () => '', async *list() {} } };
const quiet = { info() {}, warn() {}, error() {} };
const startedMs = time.clock.now();
const { done, tables: made } = await time.run(
  backfill(
    () => store.list('s3://lake/'),
    {
      entries: [entry({ create_table: true, table_location: 's3://tables/{dataset}' })],
      portsOf: () => services,
      servicesOf: () => services,
      clock: time.clock,
      timers: time.timers,
      random,
      log: quiet,
      cache: new Map(),
      footerLimit: pLimit(CONCURRENCY),
      queue: { send: async () => [] },
    },
    {},
  ),
);
for (const { error } of made) if (error !== undefined) throw error;
console.log(
  JSON.stringify({
    committed: done['committed'] ?? 0,
    snapshots: made[0]?.snapshots ?? 0,
    inManifests: registered.size,
    doubled,
    virtualSeconds: (time.clock.now() - startedMs) / 1_000,
    cpuSeconds: process.cpuUsage().user / 1e6,
    peakMib: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
