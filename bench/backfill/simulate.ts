/**
 * A backfill of synthetic segments on a virtual clock: `simulate.ts SEGMENTS CATALOG_URI FOLDER < latencies.json`. It runs in a process of
 * its own, so that its memory can be measured. All code of the project is real, the catalog answers over HTTP. The simulated store
 * answers with real files, after the measured latencies, and keeps manifests and metadata in the folder.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import pLimit from 'p-limit';
import { backfill } from '../../lib/jobs/backfill/backfill.ts';
import type { Catalog, ReadResult, Store } from '../../lib/ports.ts';
import { wire } from '../../lib/wire.ts';
import { seededRandom } from '../../test/fakes/random.ts';
import { virtualTime } from '../../test/fakes/time.ts';
import { templates } from './lake.ts';
import type { Latencies } from './latencies.ts';

const [count, catalogUri = '', folder = ''] = process.argv.slice(2);
const SEGMENTS = Number(count);
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
    if (/-m\d+\.avro$|\.json$/.test(uri)) writeFileSync(path.join(folder, path.basename(uri)), bytes);
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

const { portsOf, entries, ...wiring } = await wire(
  {
    REGISTRAR_CONFIG: JSON.stringify({
      url: 's3://lake',
      namespace: 'lake',
      catalog_uri: catalogUri,
      create_table: true,
      table_location: 's3://tables/{dataset}',
    }),
  },
  process.stderr,
);
const [entry] = entries;
if (entry === undefined) throw new Error('No entry');
const real = portsOf(entry).catalog;
const catalog: Catalog = {
  ...real,
  async commit(...call) {
    await waited('commit');
    return real.commit(...call);
  },
};

const services = { store, catalog, quarantine: { put: async () => '', async *list() {} } };
const quiet = { info() {}, warn() {}, error() {} };
const startedMs = time.clock.now();
const { done, tables: made } = await time.run(
  backfill(
    () => store.list('s3://lake/'),
    {
      ...wiring,
      entries,
      portsOf: () => services,
      clock: time.clock,
      timers: time.timers,
      random,
      log: quiet,
      footerLimit: pLimit(CONCURRENCY),
    },
    {},
  ),
);
for (const { error } of made) if (error !== undefined) throw error;
console.log(
  JSON.stringify({
    committed: done['committed'] ?? 0,
    snapshots: made[0]?.snapshots ?? 0,
    virtualSeconds: (time.clock.now() - startedMs) / 1_000,
    cpuSeconds: process.cpuUsage().user / 1e6,
    peakMib: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
