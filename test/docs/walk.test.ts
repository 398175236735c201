import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Schema } from '../../lib/spec/schema.ts';
import { optional, schema } from '../../local/shipper/schema-notation.ts';
import { isWalked } from './elsewhere.ts';
import { commands, inlineCommands, sample } from './fences.ts';
import { startWalk, type Walk } from './walk.ts';

const orders = { schema: schema(optional(1, 'id', 'long')), rows: [{ id: 1n }, { id: 2n }] };
const ofEntry = {
  namespace: 'analytics',
  catalog_uri: 'https://catalog.example.com/iceberg',
  create_table: true,
};
const NOTHING_DONE = 'Nothing was done.';
/** Log lines, at most. */
const NOTHING_WRONG = /^({"time":"[^"]*","level":"info",.*}\n)*$/;

interface Page {
  /** What a reader of the page has already. */
  start(): Promise<Walk>;
  /** What each command prints, and with what it exits where that is not 0. */
  readonly prints: Readonly<Record<string, string | { readonly status: number; readonly says: string }>>;
}

const ORDER = 's3://my-bucket/lake/thadam/v1/edge/orders/1.parquet';
const INVENTORY = 'lake/daily/2026-01-31T01-00Z';

/** Every `npx iceberg-registrar` of a page's blocks, in the page's order; a command that is not here fails the test. */
const walks: Readonly<Record<string, Page>> = {
  'docs/getting-started.md': {
    async start() {
      const walk = await startWalk(['my-bucket']);
      walk.upload(ORDER, orders);
      return walk;
    },
    prints: {
      'npx iceberg-registrar explain events/s3-put.json': '1 object, 0 ignored, 0 rejected',
      'npx iceberg-registrar inspect test/files/pyarrow.parquet': 'registrable  test/files/pyarrow.parquet',
      'npx iceberg-registrar plan events/s3-put.json': NOTHING_DONE,
      'npx iceberg-registrar invoke route events/s3-put.json': 'message   {"v":1,"segments":[',
      'npx iceberg-registrar invoke register events/chunk-message.json': '"event":"committed"',
      'npx iceberg-registrar init --url s3://my-bucket/lake --catalog-uri https://catalog.example.com/iceberg --namespace analytics --create-table --region eu-central-1 --dir my-deployment':
        'Wrote my-deployment/registrar.yaml and my-deployment/deployment.yaml',
      'npx iceberg-registrar settings': 'catalog_uri',
      'REGISTRAR_CONFIG=my-deployment/registrar.yaml npx iceberg-registrar doctor': 'registrations',
      [`REGISTRAR_CONFIG=my-deployment/registrar.yaml npx iceberg-registrar plan ${ORDER}`]: NOTHING_DONE,
      'REGISTRAR_CONFIG=my-deployment/registrar.yaml npx iceberg-registrar backfill s3://my-bucket/lake':
        'analytics.orders  1 segment,',
      'REGISTRAR_CONFIG=my-deployment/registrar.yaml npx iceberg-registrar status':
        'analytics.orders  available  fresh  healthy',
      'npx iceberg-registrar completion bash >> ~/.bashrc': '',
    },
  },
  'docs/deploying-aws.md': {
    start: () => startWalk(['my-bucket']),
    prints: {
      'npx iceberg-registrar init --url s3://my-bucket/lake --catalog-uri https://catalog.example.com/iceberg --namespace analytics --create-table --token-secret prod/catalog --region eu-central-1':
        'Wrote registrar.yaml and deployment.yaml',
      'export REGISTRAR_CONFIG=registrar.yaml REGISTRAR_QUEUES__ARRIVALS=https://sqs.eu-central-1.amazonaws.com/123456789012/iceberg-registrar-prod-arrivals':
        '',
      'npx iceberg-registrar init notifications --stage prod': { status: 3, says: '"Value": "lake/"' },
      'npx iceberg-registrar init notifications --stage prod --apply': '"Value": "lake/"',
    },
  },
  'docs/deploying-google-cloud.md': {
    start: () => startWalk([]),
    prints: {
      'npx iceberg-registrar init --url gs://my-bucket/lake --catalog-uri https://catalog.example.com/iceberg --namespace analytics --create-table --token-secret catalog-token --project my-project --region europe-west1':
        'Wrote registrar.yaml and deployment.tfvars',
    },
  },
  'docs/migrating.md': {
    async start() {
      const thadam = { sinks: [{ kind: 'iceberg', url: 's3://my-bucket/lake', ...ofEntry }] };
      const walk = await startWalk(['my-bucket'], thadam, 'thadam.yaml');
      walk.upload(ORDER.replace('1.parquet', '0.parquet'), orders);
      await walk.type('REGISTRAR_CONFIG=thadam.yaml npx iceberg-registrar backfill s3://my-bucket/lake');
      walk.upload(ORDER, orders);
      return walk;
    },
    prints: {
      'REGISTRAR_CONFIG=thadam.yaml npx iceberg-registrar doctor': 'catalog',
      [`REGISTRAR_CONFIG=thadam.yaml npx iceberg-registrar plan ${ORDER}`]: NOTHING_DONE,
      'REGISTRAR_CONFIG=thadam.yaml npx iceberg-registrar reconcile --json': { status: 3, says: ORDER },
      'REGISTRAR_CONFIG=thadam.yaml npx iceberg-registrar reconcile --enqueue': 'analytics.orders',
    },
  },
  'docs/operating.md': {
    start: startRegistered,
    prints: {
      'npx iceberg-registrar status': 'analytics.orders  available  fresh  healthy  2 rows',
      'npx iceberg-registrar status --html status.html': '',
      'npx iceberg-registrar status --json --watch': '"analytics.orders"',
    },
  },
  'docs/quarantine.md': {
    async start() {
      const quarantine_url = 's3://lake/quarantine';
      const written = { url: 's3://lake/in', layout: '{url}/…', table: 'orders', quarantine_url, ...ofEntry };
      const walk = await startWalk(['lake'], written);
      walk.upload('s3://lake/in/…/7.parquet', 'no Parquet');
      await walk.type('npx iceberg-registrar backfill s3://lake/in');
      return walk;
    },
    prints: {
      'npx iceberg-registrar quarantine list': 's3://lake/in/…/7.parquet',
      'npx iceberg-registrar quarantine show s3://lake/in/…/7.parquet': 'segment.unreadable',
      'npx iceberg-registrar quarantine redrive --code segment.denied': '',
      'npx iceberg-registrar quarantine discard s3://lake/in/…/7.parquet': '',
    },
  },
  'docs/backfill.md': {
    async start() {
      const walk = await startWalk(['lake', 'inventories'], { url: 's3://lake', ...ofEntry });
      for (const name of ['a', 'b'])
        walk.upload(`s3://lake/thadam/v1/plant-7/orders/${name}.parquet`, orders);
      walk.upload('s3://lake/thadam/v1/plant-8/orders/c.parquet', orders);
      walk.upload('s3://lake/thadam/v1/plant-9/orders/d.parquet', orders);
      const { objects } = walk.stack;
      const rows = '"lake","thadam/v1/plant-8/orders/c.parquet"\n';
      objects.put('inventories', `${INVENTORY}/rows.csv.gz`, gzipSync(rows));
      const manifest = {
        fileFormat: 'CSV',
        fileSchema: 'Bucket, Key',
        destinationBucket: 'arn:aws:s3:::inventories',
        files: [{ key: `${INVENTORY}/rows.csv.gz` }],
      };
      objects.put('inventories', `${INVENTORY}/manifest.json`, Buffer.from(JSON.stringify(manifest)));
      return walk;
    },
    prints: {
      'npx iceberg-registrar backfill s3://lake/thadam/v1/plant-7/orders --dry-run':
        '2 segments in 1 snapshot;',
      'npx iceberg-registrar backfill s3://lake/thadam/v1/plant-7/orders': 'analytics.orders  2 segments',
      [`npx iceberg-registrar backfill s3://lake --from-inventory s3://inventories/${INVENTORY}/manifest.json`]:
        'analytics.orders  1 segment,',
      'npx iceberg-registrar backfill s3://lake --enqueue': 'sent',
    },
  },
  'docs/exactly-once.md': {
    start: startRegistered,
    prints: {
      [`npx iceberg-registrar repair ${ORDER} --remove`]: 'remove: 1 of 1 entry removed',
      [`npx iceberg-registrar repair ${ORDER} --remove --yes`]: 'done in snapshot',
    },
  },
  'docs/schema-evolution.md': {
    start: () =>
      startSales(
        schema(optional(2, 'id', 'long'), optional(4, 'qty', 'int'), optional(7, 'note', 'string')),
        schema(
          ...[optional(2, 'id', 'long'), optional(4, 'qty', 'long'), optional(7, 'remark', 'string')],
          optional(9, 'unit', 'string'),
        ),
      ),
    prints: {
      'REGISTRAR_CONFIG=registrar.yaml npx iceberg-registrar plan s3://lake/edge/orders/17.parquet': sample(
        'docs/schema-evolution.md',
        'text',
        'commit',
      ),
    },
  },
};

/** What stands within sentences and in no block, whatever the page: each once. */
const withinSentences: Page = {
  async start() {
    const walk = await startWalk(['my-bucket'], { url: 's3://my-bucket/lake', ...ofEntry });
    walk.upload(ORDER.replace('1.parquet', '0.parquet'), orders);
    walk.upload(ORDER.replace('1.parquet', 'broken.parquet'), 'no Parquet');
    await walk.type('npx iceberg-registrar backfill s3://my-bucket/lake');
    walk.upload(ORDER, orders);
    return walk;
  },
  prints: {
    'npx iceberg-registrar doctor': 'catalog',
    'npx iceberg-registrar reconcile': { status: 3, says: ORDER },
    'npx iceberg-registrar reconcile --enqueue': { status: 3, says: '→ sent      │ 1' },
    'npx iceberg-registrar quarantine redrive --all': '1 sent again, 0 kept',
  },
};

/** A table with one registered segment, `ORDER`. */
async function startRegistered(): Promise<Walk> {
  const walk = await startWalk(['my-bucket'], { url: 's3://my-bucket/lake', ...ofEntry });
  walk.upload(ORDER, orders);
  await walk.type('npx iceberg-registrar backfill s3://my-bucket/lake');
  return walk;
}

/** A table `sales.orders` with a segment of the first schema, and one of the second that waits. */
async function startSales(before: Schema, after: Schema): Promise<Walk> {
  const entry = { url: 's3://lake', layout: '{url}/{pipeline}/{dataset}/…', ...ofEntry, namespace: 'sales' };
  const walk = await startWalk(['lake'], entry, 'registrar.yaml');
  walk.upload('s3://lake/edge/orders/16.parquet', { schema: before, rows: [{}] });
  await walk.type('REGISTRAR_CONFIG=registrar.yaml npx iceberg-registrar backfill s3://lake');
  walk.upload('s3://lake/edge/orders/17.parquet', { schema: after, rows: [{}] });
  return walk;
}

/** `…` of a sample is anything. */
function asPrinted(text: string): RegExp {
  const parts = text.trimEnd().split('…');
  return new RegExp(parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[^]*'));
}

const inBlocks = commands.filter(({ command }) => isWalked(command));

test('every page with a command of ours is walked', () => {
  expect([...new Set(inBlocks.map(({ page }) => page))].sort()).toEqual(Object.keys(walks).sort());
});

test('every command of ours within a sentence is typed', () => {
  const known = new Set(inBlocks.map(({ command }) => command));
  const others = inlineCommands.filter(({ command }) => isWalked(command) && !known.has(command));
  expect([...new Set(others.map(({ command }) => command))].sort()).toEqual(
    Object.keys(withinSentences.prints).sort(),
  );
});

test.concurrent.each(Object.entries({ ...walks, 'what stands within sentences': withinSentences }))(
  '%s, as a reader types it',
  { timeout: 180_000 },
  async (page, { start, prints }) => {
    const lines = Object.keys(prints);
    if (page in walks)
      expect(inBlocks.filter((one) => one.page === page).map(({ command }) => command)).toEqual(lines);
    const walk = await start();
    for (const command of lines) {
      const expected = prints[command] ?? '';
      const { status, says } = typeof expected === 'string' ? { status: 0, says: expected } : expected;
      const ran = await walk.type(command, command.endsWith('--watch') ? '\n' : undefined);
      expect(ran, command).toEqual({
        status,
        stdout: expect.stringMatching(asPrinted(says)),
        stderr: expect.stringMatching(NOTHING_WRONG),
      });
    }
    await walk.close();
  },
);

describe('what the commands leave', () => {
  test('a refusal reads as docs/schema-evolution.md says', async () => {
    const walk = await startSales(
      schema(optional(2, 'note', 'string'), optional(4, 'qty', 'long')),
      schema(optional(4, 'qty', 'int'), optional(9, 'note', 'string')),
    );
    const { stdout } = await walk.type(
      'REGISTRAR_CONFIG=registrar.yaml npx iceberg-registrar plan s3://lake/edge/orders/17.parquet --json',
    );
    await walk.close();
    const { segments } = JSON.parse(stdout) as { segments: readonly { message: string }[] };
    expect(segments.map(({ message }) => message)).toEqual([
      sample('docs/schema-evolution.md', 'text', 'Cannot append').trimEnd(),
    ]);
  });
});
