import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { RegistrarError } from '../../../lib/errors.ts';
import type { SegmentReference } from '../../../lib/event/segment-reference.ts';
import { type Plan, plan } from '../../../lib/jobs/plan/plan.ts';
import { register } from '../../../lib/jobs/register/register.ts';
import type { Catalog } from '../../../lib/ports.ts';
import type { SegmentOutcome } from '../../../lib/report/outcome.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import type { TableIdentifier } from '../../../lib/spec/table-identifier.ts';
import { readTableMetadata } from '../../../lib/spec/table-metadata.ts';
import type { TableState } from '../../../lib/spec/table-state.ts';
import { type Wiring, wire } from '../../../lib/wire.ts';
import type { Row as ShippedRow } from '../../../local/shipper/dataset.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { memoryLog } from '../../fakes/log.ts';
import { canonicalRow, projectRow, type Row, sorted } from '../readers/canonical.ts';
import { readWithDuckDb } from '../readers/duckdb.ts';
import { type ForeignStep, writeWithPyIceberg } from '../readers/foreign-writer.ts';
import { type PyIcebergTable, readWithPyIceberg } from '../readers/pyiceberg.ts';
import type { CatalogService } from '../services/service.ts';
import { storeSettings } from '../services/settings.ts';

/** One dataset, its shipper and its registrar, warm from the first segment on, on a real catalog. */
export interface Lake {
  readonly catalog: Catalog;
  readonly table: TableIdentifier;
  readonly url: string;
  /** Uploads rows as Parquet with the schema's field IDs, and registers them. @throws what kept them from being committed */
  ship(schema: Schema, rows: readonly ShippedRow[], key?: string): Promise<void>;
  /** The same with bytes from elsewhere; `rows` as a reader shows them under `schema`. */
  shipBytes(bytes: Uint8Array, schema: Schema, rows: readonly Row[], key?: string): Promise<void>;
  /** The same, for a segment that may be refused: what became of it. */
  offer(schema: Schema, rows: readonly ShippedRow[], key?: string): Promise<SegmentOutcome>;
  /** Registers what has been uploaded, in one batch. */
  register(keys: readonly string[]): Promise<readonly SegmentOutcome[]>;
  /** Uploads and does not register. */
  upload(schema: Schema, rows: readonly ShippedRow[], key?: string): Promise<string>;
  /** What registering would do. */
  plan(keys: readonly string[]): Promise<Plan>;
  /** Another registrar, cold, on the same dataset, with settings of its own. */
  another(changed?: EntrySettings): Promise<Lake>;
  /** What somebody else does to the table. */
  foreign(...steps: readonly ForeignStep[]): Promise<void>;
  state(): Promise<TableState>;
  /** PyIceberg and DuckDB show every row that was shipped and accepted, under this schema: values, not only counts. */
  expectRows(shown: Schema, options?: ExpectRowsOptions): Promise<PyIcebergTable>;
  /** One column of the rows that PyIceberg and DuckDB find with a predicate, pruning as they do. */
  where(filter: string, column: string): Promise<readonly (readonly Row[string][])[]>;
}

interface ExpectRowsOptions {
  /** Rows that others wrote. */
  readonly more?: readonly Row[];
  /** What PyIceberg is known to show in a row's place. */
  readonly toPyIceberg?: (row: Row) => Row;
  /** What DuckDB is known to say in place of the rows. */
  readonly duckDbRefusal?: string;
}

interface ShippedSegment {
  readonly schema: Schema;
  readonly rows: readonly Row[];
}

type EntrySettings = Readonly<Record<string, unknown>>;

/** Opens a dataset of its own; `settings` are the entry's. */
export async function openLake(service: CatalogService, settings: EntrySettings = {}): Promise<Lake> {
  return lakeAt(service, settings, `r${randomUUID().slice(0, 8)}`, []);
}

async function lakeAt(
  service: CatalogService,
  settings: EntrySettings,
  id: string,
  accepted: ShippedSegment[],
): Promise<Lake> {
  const { bucket } = service.store;
  const url = `s3://${bucket}/${id}`;
  const table = { namespace: [id], name: 'orders' };
  const ports: Wiring = {
    ...(await wire({
      REGISTRAR_CONFIG: JSON.stringify({
        url,
        layout: '{url}/{dataset}/…',
        catalog_uri: service.uri,
        ...(service.warehouse !== undefined && { catalog_warehouse: service.warehouse }),
        ...wayInto(service),
        namespace: id,
        create_table: true,
        retry: { initial: '10ms', max: '200ms' },
        ...service.settings,
        store: storeSettings(service.store),
        ...settings,
      }),
    })),
    log: memoryLog(),
  };
  const [entry] = ports.entries;
  if (entry === undefined) throw new Error('the configuration has no entry');
  const { store, catalog } = ports.portsOf(entry);
  const request = { ...table, catalog: service };
  let uploads = 0;
  const nextKey = () => `part-${randomUUID().slice(0, 4)}-${uploads++}.parquet`;
  const reference = (key: string): SegmentReference => ({ scheme: 's3', bucket, key: `${id}/orders/${key}` });
  const registerKeys = async (keys: readonly string[]) =>
    (await register(keys.map(reference), ports, () => 60_000)).outcomes;
  const waiting = new Map<string, ShippedSegment>();

  const lake: Lake = {
    catalog,
    table,
    url,
    async upload(schema, rows, key = nextKey()) {
      await store.write(`${url}/orders/${key}`, writeParquet(schema, rows));
      waiting.set(key, { schema, rows: rows.map((row) => canonicalRow(schema, row)) });
      return key;
    },
    async register(keys) {
      const outcomes = await registerKeys(keys);
      for (const [index, outcome] of outcomes.entries()) {
        const segment = waiting.get(keys[index] ?? '');
        if (outcome.kind === 'committed' && segment !== undefined) accepted.push(segment);
      }
      return outcomes;
    },
    plan: (keys) => plan({ v: 1, segments: keys.map(reference) }, ports),
    async offer(schema, rows, key) {
      return only(await lake.register([await lake.upload(schema, rows, key)]));
    },
    async ship(schema, rows, key) {
      committed(await lake.offer(schema, rows, key));
    },
    async shipBytes(bytes, schema, rows, key = nextKey()) {
      await store.write(`${url}/orders/${key}`, bytes);
      waiting.set(key, { schema, rows });
      committed(only(await lake.register([key])));
    },
    another: (changed) => lakeAt(service, { ...settings, ...changed }, id, accepted),
    async foreign(...steps) {
      await writeWithPyIceberg(request, steps);
    },
    async state() {
      const loaded = await catalog.load(table);
      if (loaded === undefined) throw new Error(`there is no table "${id}.orders"`);
      return readTableMetadata(table, loaded);
    },
    async expectRows(shown, { more = [], toPyIceberg = (row: Row) => row, duckDbRefusal } = {}) {
      const expected = sorted([
        ...accepted.flatMap(({ schema, rows }) => rows.map((row) => projectRow(schema, shown, row))),
        ...more,
      ]);
      const duckDb = readWithDuckDb(request).catch((error: Error) => error);
      const pyIceberg = await readWithPyIceberg(request);
      expect(sorted(pyIceberg.rows)).toEqual(sorted(expected.map(toPyIceberg)));
      expect(pyIceberg.rowCount).toBe(expected.length);
      const shownByDuckDb = await duckDb;
      if (duckDbRefusal !== undefined) {
        expect(shownByDuckDb).toMatchObject({ message: expect.stringContaining(duckDbRefusal) });
      } else {
        if (shownByDuckDb instanceof Error) throw shownByDuckDb;
        expect(sorted(shownByDuckDb.rows)).toEqual(expected);
        expect(shownByDuckDb.rowCount).toBe(expected.length);
      }
      expect(pyIceberg.schema.fields).toEqual(withoutSpaces(shown).fields);
      // Nessie's last commit, of whatever table.
      const { 'nessie.commit.id': _, ...properties } = pyIceberg.metadata.properties;
      return { ...pyIceberg, metadata: { ...pyIceberg.metadata, properties } };
    },
    async where(filter, column) {
      const found = [
        readWithPyIceberg({ ...request, filter, select: [column] }),
        readWithDuckDb({ ...request, filter, select: [column] }),
      ];
      return (await Promise.all(found)).map(({ rows }) => sorted(rows).map((row) => row[column] ?? null));
    },
  };
  return lake;
}

function wayInto({ wayIn, token }: CatalogService): EntrySettings {
  return wayIn ?? (token === undefined ? {} : { catalog_token: token });
}

function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new Error(`expected one, not ${items.length}`);
  return item;
}

function committed(outcome: SegmentOutcome): void {
  if (outcome.kind === 'committed') return;
  throw 'error' in outcome ? outcome.error : new Error(`the segment was ${outcome.kind}`);
}

/** Java writes `decimal(9, 2)`. */
function withoutSpaces(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll(/(\(\d+), (\d+\))/g, '$1,$2'));
}

/** Code and message of a refused segment. @throws Error when it was not refused */
export function refusal(outcome: SegmentOutcome): RegistrarError {
  if (outcome.kind === 'quarantined') return outcome.error;
  throw new Error(`the segment was ${outcome.kind}`);
}
