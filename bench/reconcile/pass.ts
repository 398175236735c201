/** One pass over a table that `table.ts` made, in a process of its own so that its memory is its own: `pass.ts DIRECTORY OBJECTS`. */
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import { loadConfig } from '../../lib/config/load-config.ts';
import { systemClock, systemRandom, systemTimers } from '../../lib/drivers/platform.ts';
import { cut } from '../../lib/drivers/ranged-body.ts';
import { type ReconcilePorts, reconcile } from '../../lib/jobs/reconcile/reconcile.ts';
import type { ByteRange, ListedObject } from '../../lib/ports.ts';
import { untraced } from '../../lib/report/untraced.ts';
import { layoutRouter } from '../../lib/route/layout.ts';
import type { Schema } from '../../lib/spec/schema.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import { uriOf } from './objects.ts';

const [, , directory = '.', count = '0'] = process.argv;
const OBJECTS = Number(count);
const PAGE = 1_000;
const SCHEMA: Schema = {
  type: 'struct',
  'schema-id': 0,
  fields: [{ id: 1, name: 'id', required: true, type: 'int' }],
};
const SEGMENT = writeParquet(SCHEMA, [{ id: 1 }]);
const UPLOADED_MS = Date.now() - 24 * 3_600_000;

async function* listed(): AsyncGenerator<ListedObject> {
  for (let from = 0; from < OBJECTS; from += PAGE) {
    await setImmediate();
    const page = Array.from({ length: Math.min(PAGE, OBJECTS - from) }, (_, i) => from + i);
    for (const at of page) {
      yield { uri: uriOf(at), sizeBytes: at + 1, version: `etag-${at}`, lastModifiedMs: UPLOADED_MS };
    }
  }
}

const metadata = {
  'format-version': 2,
  'table-uuid': '9c12d441-03fe-4693-9a96-a0705ddf69c1',
  location: 's3://lake/tables/orders',
  'last-sequence-number': 1,
  'last-updated-ms': UPLOADED_MS,
  'last-column-id': 1,
  schemas: [SCHEMA],
  'current-schema-id': 0,
  'partition-specs': [{ 'spec-id': 0, fields: [] }],
  'default-spec-id': 0,
  'sort-orders': [{ 'order-id': 0, fields: [] }],
  'default-sort-order-id': 0,
  properties: {},
  'current-snapshot-id': 1,
  snapshots: [
    {
      'snapshot-id': 1,
      'sequence-number': 1,
      'timestamp-ms': UPLOADED_MS - 3_600_000,
      'manifest-list': 'list',
      summary: { operation: 'append', 'added-data-files': '0' },
      'schema-id': 0,
    },
  ],
  refs: { main: { type: 'branch', 'snapshot-id': 1 } },
};

const unused = (): never => {
  throw new Error('not used here');
};

const services = {
  store: {
    read: async (uri: string, { range }: { readonly range?: ByteRange } = {}) => {
      // The segments are listed only: one file stands for the contents of all of them.
      const bytes = uri.startsWith('s3://') ? SEGMENT : await readFile(`${directory}/${uri}`);
      return {
        kind: 'object',
        bytes: cut(bytes, range),
        sizeBytes: bytes.length,
        version: 'v',
        lastModifiedMs: UPLOADED_MS,
      } as const;
    },
    write: unused,
    list: listed,
  },
  catalog: {
    load: async () => ({ metadataLocation: undefined, metadata, config: {} }),
    createNamespace: unused,
    register: unused,
    create: unused,
    commit: unused,
    supports: unused,
  },
  quarantine: { put: unused, async *list() {} },
};

const { entries } = await loadConfig(
  {
    REGISTRAR_CONFIG: JSON.stringify({
      url: 's3://lake/in',
      catalog_uri: 'http://127.0.0.1',
      namespace: 'lake',
      quarantine_url: 's3://lake/quarantine',
      queues: { registrations: 'https://sqs.eu-central-1.amazonaws.com/1/registrations.fifo' },
    }),
  },
  { readFile: unused, readObject: unused, resolveSecret: unused },
);
const ports: ReconcilePorts = {
  entries,
  portsOf: () => services,
  clock: systemClock,
  timers: systemTimers,
  random: systemRandom,
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  trace: untraced,
  cache: new Map(),
  footerLimit: pLimit(1),
  queue: { send: async () => [] },
};
const dataset = layoutRouter(entries)({
  scheme: 's3',
  bucket: 'lake',
  key: uriOf(0).slice('s3://lake/'.length),
});
if (dataset.kind !== 'table') throw new Error('the objects lead to no table');

const startRssMib = process.memoryUsage().rss / 2 ** 20;
const startMs = performance.now();
const report = await reconcile(dataset, ports, { missing: 'enqueue' }, () => 3_600_000);
console.log(
  JSON.stringify({
    listed: report.listed,
    registered: report.registered,
    missing: report.missing.count,
    done: report.done,
    seconds: Math.round((performance.now() - startMs) / 100) / 10,
    startRssMib: Math.round(startRssMib),
    peakRssMib: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
