import { RegistrarError } from '../lib/errors.ts';
import { type SegmentReference, segmentUri } from '../lib/event/segment-reference.ts';
import { formatIdentifier, type TableIdentifier } from '../lib/spec/table-identifier.ts';
import { readTableMetadata } from '../lib/spec/table-metadata.ts';
import { branchHead } from '../lib/spec/table-state.ts';
import { datasets } from './shipper/datasets.ts';
import { orders } from './shipper/orders.ts';
import { makeSegment } from './shipper/segment.ts';
import { type Stack, startStack } from './stack.ts';

/** An embedded stack for one event, with its buckets, its segments and its queues. */
export interface InvokeStack {
  /** The functions' environment on this stack. */
  readonly environment: Readonly<Record<string, string>>;
  readonly uploaded: readonly string[];
  /** The result of the invocation: messages for register, tables with their snapshots. */
  outcome(): { readonly messages: readonly string[]; readonly tables: readonly TableOutcome[] };
  close(): Promise<void>;
}

export interface TableOutcome {
  readonly table: string;
  readonly snapshots: number;
  readonly rows: string;
  readonly columns: readonly string[];
}

const BUCKET = 'lake';
const DEFAULT_LAYOUT_ROOT = 'thadam/v1/';
const NAMESPACE = ['local'];
const ROWS = 1000;

/**
 * Starts a stack for the segments that an event names. Keys outside the default layout find no table, as in a deployment.
 *
 * @throws `config.invalid` for segments of Google Cloud Storage
 */
export async function startInvokeStack(references: readonly SegmentReference[]): Promise<InvokeStack> {
  const google = references.find(({ scheme }) => scheme === 'gs');
  if (google !== undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot generate "${segmentUri(google)}": the embedded stack has S3 only; set REGISTRAR_CONFIG to a configuration whose url holds it`,
    );
  }
  const stack = await startStack();
  stack.tables.createNamespace(NAMESPACE, {});
  const registrations = stack.createQueue('registrations', { fifo: true });
  for (const bucket of new Set([BUCKET, ...references.map((reference) => reference.bucket)])) {
    if (!stack.objects.hasBucket(bucket)) stack.createBucket(bucket);
  }
  for (const [index, { bucket, key }] of references.entries()) {
    const dataset = datasets.find(({ name }) => key.split('/').includes(name)) ?? orders;
    stack.objects.put(bucket, key, Buffer.from(makeSegment(dataset, 0, index, { rows: ROWS }).bytes));
  }
  const { accessKeyId, secretAccessKey } = stack.credentials;
  const urls = new Set(references.map(uploadUrl));
  // A test event or a malformed one names no segment, but the handler does not run without an entry.
  if (urls.size === 0) urls.add(`s3://${BUCKET}`);
  const entries = [...urls].map((url) => ({
    url,
    catalog_uri: stack.catalogUri,
    namespace: NAMESPACE.join('.'),
    create_table: true,
    quarantine_url: `s3://${BUCKET}/quarantine`,
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
      messages: stack.queues
        .byUrl(registrations.url)
        .receive(10)
        .map(({ body }) => body),
      tables: stack.tables.list(NAMESPACE).map((name) => tableOutcome(stack, { namespace: NAMESPACE, name })),
    }),
    close: () => stack.close(),
  };
}

function tableOutcome(stack: Stack, identifier: TableIdentifier): TableOutcome {
  const { metadataLocation, metadata } = stack.tables.load(identifier);
  const state = readTableMetadata(identifier, {
    metadataLocation: metadataLocation ?? undefined,
    metadata,
  });
  return {
    table: formatIdentifier(identifier),
    snapshots: state.snapshots.size,
    rows: branchHead(state, 'main')?.summary['total-records'] ?? '0',
    columns: state.currentSchema.fields.map(({ id, name }) => `${name} (${id})`),
  };
}

/** The shipper's `url`: the part of the key before the default layout. */
function uploadUrl({ bucket, key }: SegmentReference): string {
  const at = key.indexOf(DEFAULT_LAYOUT_ROOT);
  const prefix = at > 0 ? `/${key.slice(0, at - 1)}` : '';
  return `s3://${bucket}${prefix}`;
}
