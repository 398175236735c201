import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readManifestEntries } from '../../../lib/append/manifest.ts';
import { manifestFiles, readManifestList } from '../../../lib/append/manifest-list.ts';
import type { SegmentReference } from '../../../lib/event/segment-reference.ts';
import { register } from '../../../lib/jobs/register/register.ts';
import { columnsOf } from '../../../lib/schema/columns.ts';
import { readTableMetadata } from '../../../lib/spec/table-metadata.ts';
import { branchHead } from '../../../lib/spec/table-state.ts';
import { type Wiring, wire } from '../../../lib/wire.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { type Stack, startStack } from '../../../local/stack.ts';
import { memoryLog } from '../../fakes/log.ts';
import { lineage, steps } from '../../schema/lineage.ts';
import { bucket } from '../services/service.ts';
import { rowsOf } from './rows.ts';

const DATASETS = 100;
const ORDERS = 3;

let nowMs = Date.now() - 3_600_000;
let stack: Stack;
let ports: Wiring;
let tables = 0;

beforeAll(async () => {
  stack = await startStack({ now: () => nowMs });
  stack.createBucket(bucket);
  const config = {
    url: `s3://${bucket}/in`,
    layout: '{url}/{dataset}/…',
    catalog_uri: stack.catalogUri,
    namespace: 'lake',
    create_table: true,
    store: {
      endpoint: stack.s3Endpoint,
      region: stack.region,
      allow_http: true,
      access_key_id: stack.credentials.accessKeyId,
      secret_access_key: stack.credentials.secretAccessKey,
    },
  };
  const wiring = await wire({ REGISTRAR_CONFIG: JSON.stringify(config) });
  ports = { ...wiring, log: memoryLog(), clock: { now: () => nowMs } };
});
afterAll(() => stack.close());

/** Uploads segments, each a second after the one before, and answers them in that order. */
function upload(segments: readonly Uint8Array[]): readonly SegmentReference[] {
  tables += 1;
  return segments.map((bytes, index) => {
    nowMs += 1000;
    const key = `in/d${tables}/${index}.parquet`;
    stack.objects.put(bucket, key, Buffer.from(bytes));
    return { scheme: 's3', bucket, key };
  });
}

/** Registers batch after batch; nothing may be refused. Answers what the table is, order and nullability aside. */
async function registered(batches: readonly (readonly SegmentReference[])[]) {
  for (const batch of batches) {
    nowMs += 1000;
    const { outcomes } = await register(batch, ports, () => 60_000);
    for (const outcome of outcomes) if ('error' in outcome) throw outcome.error;
  }
  const identifier = { namespace: ['lake'], name: `d${tables}` };
  const loaded = stack.tables.load(identifier);
  const state = readTableMetadata(identifier, {
    metadata: loaded.metadata,
    metadataLocation: loaded.metadataLocation ?? undefined,
  });
  const list = branchHead(state, 'main')?.manifestList ?? '';
  const files = manifestFiles(readManifestList(bytesOf(list), list)).flatMap(({ manifestPath }) => [
    ...readManifestEntries(bytesOf(manifestPath), manifestPath),
  ]);
  const columns = columnsOf(state.currentSchema).values();
  return {
    columns: Object.fromEntries(
      columns.map(({ id, parentId, role, name, type }) => [id, { parentId, role, name, type }]),
    ),
    files: files.map(({ filePath, recordCount }) => [filePath.split('/').at(-1), recordCount]).sort(),
  };
}

function bytesOf(uri: string): Uint8Array {
  return stack.objects.get(bucket, uri.replace(`s3://${bucket}/`, ''))?.bytes ?? new Uint8Array();
}

function shuffled<T>(items: readonly T[], seed: number, size: number): readonly (readonly T[])[] {
  const order =
    fc.sample(fc.shuffledSubarray([...items], { minLength: items.length }), { numRuns: 1, seed })[0] ?? [];
  return Array.from({ length: Math.ceil(order.length / size) }, (_, batch) =>
    order.slice(batch * size, (batch + 1) * size),
  );
}

test(`the same segments in ${DATASETS * ORDERS} orders and batches: the same columns under the same IDs, the same data files, none refused`, async () => {
  for (const [index, changes] of fc.sample(steps, { numRuns: DATASETS, seed: 20260101 }).entries()) {
    const segments = lineage(changes).map((schema, version) => {
      const [rows = []] = fc.sample(rowsOf(schema), { numRuns: 1, seed: 100 * index + version });
      return writeParquet(schema, rows);
    });
    const inOrder = await registered(upload(segments).map((one) => [one]));
    expect(inOrder.files).toHaveLength(segments.length);
    for (let order = 0; order < ORDERS; order++) {
      const references = upload(segments);
      expect(await registered(shuffled(references, ORDERS * index + order, 1 + (index % 4)))).toEqual(
        inOrder,
      );
    }
  }
}, 300_000);
