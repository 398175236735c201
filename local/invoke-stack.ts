import { formatIdentifier } from '../lib/spec/table-identifier.ts';
import type { SegmentReference } from '../lib/event/segment-reference.ts';
import { datasets } from './shipper/datasets.ts';
import { orders } from './shipper/orders.ts';
import { makeSegment } from './shipper/segment.ts';
import { startStack } from './stack.ts';

/** An embedded stack made for one event: its buckets exist, its segments lie there, its queues wait. */
export interface InvokeStack {
  /** What the functions' environment is on it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly uploaded: readonly string[];
  /** What is there after the invocation: messages for register, tables with their snapshots. */
  outcome(): { readonly messages: readonly string[]; readonly tables: readonly TableOutcome[] };
  close(): Promise<void>;
}

export interface TableOutcome {
  readonly table: string;
  readonly snapshots: number;
  readonly rows: string;
  readonly columns: readonly string[];
}

const DEFAULT_LAYOUT_ROOT = 'thadam/v1/';

/** Starts a stack for the segments that an event names. Keys outside the default layout find no table, as in a deployment. */
export async function startInvokeStack(references: readonly SegmentReference[]): Promise<InvokeStack> {
  const stack = await startStack();
  const registrations = stack.createQueue('registrations', { fifo: true });
  for (const bucket of new Set(['lake', ...references.map((reference) => reference.bucket)])) {
    if (!stack.objects.hasBucket(bucket)) stack.createBucket(bucket);
  }
  for (const [index, { bucket, key }] of references.entries()) {
    const dataset = datasets.find(({ name }) => key.split('/').includes(name)) ?? orders;
    stack.objects.put(bucket, key, Buffer.from(makeSegment(dataset, 0, index, { rows: 1000 }).bytes));
  }
  const { accessKeyId, secretAccessKey } = stack.credentials;
  const entries = [...new Set(references.map(uploadUrl))].map((url) => ({
    url,
    catalog_uri: stack.catalogUri,
    namespace: 'local',
    create_table: true,
    quarantine_url: 's3://lake/quarantine',
    queues: { registrations: registrations.url },
    store: {
      endpoint: stack.s3Endpoint,
      region: stack.region,
      allow_http: true,
      access_key_id: accessKeyId,
      secret_access_key: secretAccessKey,
    },
  }));
  return {
    environment: {
      REGISTRAR_CONFIG: JSON.stringify(entries),
      AWS_REGION: stack.region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    uploaded: references.map(({ bucket, key }) => `s3://${bucket}/${key}`),
    outcome: () => ({
      messages: stack.queues.byUrl(registrations.url).receive(10).map(({ body }) => body),
      tables: stack.tables.list(['local']).map((name) => tableOutcome(stack.tables.load({ namespace: ['local'], name }).metadata, name)),
    }),
    close: () => stack.close(),
  };
}

/** The shipper's `url`: what stands before the default layout in the key. */
function uploadUrl({ bucket, key }: SegmentReference): string {
  const at = key.indexOf(DEFAULT_LAYOUT_ROOT);
  const prefix = at > 0 ? `/${key.slice(0, at - 1)}` : '';
  return `s3://${bucket}${prefix}`;
}
