import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { manifestCount } from '../lib/append/manifest-list.ts';
import { assertions } from '../lib/commit/assertions.ts';
import { registerMessages } from '../lib/jobs/register/register-messages.ts';
import { readList } from '../lib/jobs/register/table-manifests.ts';
import type { Log, LogRecord } from '../lib/ports.ts';
import { stringifyJson } from '../lib/spec/json.ts';
import type { Schema } from '../lib/spec/schema.ts';
import type { TableIdentifier } from '../lib/spec/table-identifier.ts';
import { readTableMetadata } from '../lib/spec/table-metadata.ts';
import { branchHead, type TableState } from '../lib/spec/table-state.ts';
import type { TableUpdate } from '../lib/spec/table-update.ts';
import { wire } from '../lib/wire.ts';
import type { Row as ShippedRow } from '../local/shipper/dataset.ts';
import { writeParquet } from '../local/shipper/segment.ts';
import { s3Event } from '../test/integration/pipeline/s3-event.ts';
import { canonicalRow, type Row } from '../test/integration/readers/canonical.ts';
import type { ForeignStep } from '../test/integration/readers/foreign-writer.ts';
import { installedFolder } from '../test/integration/services/services.ts';
import { storeSettings } from '../test/integration/services/settings.ts';
import { type Program, startProgram } from '../test/soak/python.ts';
import type { Context } from './section.ts';

/** Rows of one segment, and the schema that they were written under. */
export interface ShippedSegment {
  readonly schema: Schema;
  readonly rows: readonly Row[];
}

/** One dataset with its shipper and its registrar, which keeps the table's state from the first segment on. */
export interface Dataset {
  readonly table: TableIdentifier;
  /** The directory of the segments. */
  readonly url: string;
  /** What was shipped and committed, in that order. */
  readonly shipped: readonly ShippedSegment[];
  /** Uploads rows as a Parquet file with field IDs, and registers it. @throws Error when it was not committed */
  ship(schema: Schema, rows: readonly ShippedRow[], key?: string): Promise<void>;
  /** The same with many segments in one batch of messages: one commit. */
  shipMany(schema: Schema, segments: readonly (readonly ShippedRow[])[]): Promise<void>;
  /** The same with a file that another writer made; `rows` are its rows as a reader shows them under `schema`. */
  shipBytes(bytes: Uint8Array, schema: Schema, rows: readonly Row[]): Promise<void>;
  /** Changes the table's metadata, as ALTER TABLE of an engine does. */
  alter(...updates: readonly TableUpdate[]): Promise<void>;
  /** Changes the table as another writer would, through PyIceberg. */
  foreign(...steps: readonly ForeignStep[]): Promise<void>;
  state(): Promise<TableState>;
  /** How many manifests the table has. */
  manifests(): Promise<number>;
}

const PARALLEL_UPLOADS = 16;

/** Opens a new dataset in a new namespace; `settings` are those of the registrar's entry. */
export async function openDataset(
  context: Context,
  name: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Dataset> {
  const { catalog, log } = context;
  const { bucket } = catalog.store;
  const id = `c${randomUUID().slice(0, 8)}`;
  const table = { namespace: [id], name };
  const url = `s3://${bucket}/${id}/${name}`;
  const wiring = await wire(
    {
      REGISTRAR_CONFIG: JSON.stringify({
        url: `s3://${bucket}/${id}`,
        layout: '{url}/{dataset}/…',
        catalog_uri: catalog.uri,
        namespace: id,
        create_table: true,
        retry: { initial: '10ms', max: '200ms' },
        store: storeSettings(catalog.store),
        ...settings,
      }),
    },
    {
      write(line) {
        log(String(line));
        return true;
      },
    },
  );
  const [entry] = wiring.entries;
  if (entry === undefined) throw new Error('the configuration has no entry');
  const { store, catalog: rest } = wiring.portsOf(entry);

  const records: LogRecord[] = [];
  const ports = { ...wiring, log: listening(wiring.log, records), queueUrl: undefined };
  const register = async (uploads: readonly Upload[]): Promise<void> => {
    records.length = 0;
    await registerMessages({ Records: uploads.map(sqsRecord) }, ports, () => 300_000);
    const registered = records.find(({ event }) => event === 'registered');
    if (registered?.['committed'] === uploads.length) return;
    throw new Error(`Cannot certify "${name}": segments were not committed: ${stringifyJson(records)}`);
  };

  const state = async (): Promise<TableState> => {
    const loaded = await rest.load(table);
    if (loaded === undefined) throw new Error(`there is no table "${id}.${name}"`);
    return readTableMetadata(table, loaded);
  };

  const shipped: ShippedSegment[] = [];
  let count = 0;
  const upload = async (bytes: Uint8Array, key?: string): Promise<Upload> => {
    count += 1;
    const file = key ?? `part-${count}.parquet`;
    const written = await store.write(`${url}/${file}`, bytes);
    const etag = written.kind === 'written' ? written.version : '';
    return { bucket, key: `${id}/${name}/${file}`, sizeBytes: bytes.length, etag };
  };
  return {
    table,
    url,
    shipped,
    async ship(schema, rows, key) {
      await register([await upload(writeParquet(schema, rows), key)]);
      shipped.push({ schema, rows: rows.map((row) => canonicalRow(schema, row)) });
    },
    async shipMany(schema, segments) {
      const uploads: Upload[] = [];
      for (let at = 0; at < segments.length; at += PARALLEL_UPLOADS) {
        const some = segments.slice(at, at + PARALLEL_UPLOADS);
        uploads.push(...(await Promise.all(some.map((rows) => upload(writeParquet(schema, rows))))));
      }
      await register(uploads);
      shipped.push(
        ...segments.map((rows) => ({ schema, rows: rows.map((row) => canonicalRow(schema, row)) })),
      );
    },
    async shipBytes(bytes, schema, rows) {
      await register([await upload(bytes)]);
      shipped.push({ schema, rows });
    },
    async alter(...updates) {
      const requirements = assertions(await state(), 'main', updates);
      const { outcome } = await rest.commit(table, { requirements, updates });
      if (outcome !== 'landed') throw new Error(`Cannot alter "${name}": ${outcome}`);
    },
    async foreign(...steps) {
      await writerOf(context).ask({ ...table, catalog, steps });
    },
    state,
    async manifests() {
      const list = await readList(store, branchHead(await state(), 'main'));
      return list === undefined ? 0 : manifestCount(list);
    },
  };
}

interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly etag: string;
}

/** The message that SQS hands to the function for one upload. */
function sqsRecord(object: Upload) {
  return {
    messageId: randomUUID(),
    receiptHandle: 'none',
    body: s3Event({ ...object, sequencer: '00' }),
    attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'certify' },
    eventSource: 'aws:sqs',
  };
}

function listening(log: Log, records: LogRecord[]): Log {
  const heard = (say: (record: LogRecord) => void) => (record: LogRecord) => {
    records.push(record);
    say(record);
  };
  return { info: heard(log.info), warn: heard(log.warn), error: heard(log.error) };
}

const writers = new WeakMap<Context, Program>();

/** Shared by all datasets, since it takes seconds to start. */
function writerOf(context: Context): Program {
  const running = writers.get(context);
  if (running !== undefined) return running;
  const program = join(import.meta.dirname, '../test/integration/readers/pyiceberg_writer.py');
  const writer = startProgram(join(installedFolder, 'readers/bin/python'), [program], {}, context.log);
  context.onClose(writer.stop);
  writers.set(context, writer);
  return writer;
}
