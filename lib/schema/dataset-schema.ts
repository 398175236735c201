import { createHash } from 'node:crypto';
import { RegistrarError } from '../errors.ts';
import type { Schema } from '../spec/schema.ts';
import { type Columns, columnsOf, schemaOf } from './columns.ts';

/** The table property that holds the dataset's own schema, so that its changes can be told from those made by SQL. */
export const datasetSchemaProperty = 'iceberg-registrar.dataset-schema';

/** The schema that the dataset's segments have had so far, whatever happened to the table. */
export interface DatasetSchema {
  /** Cumulative: a column that newer segments lack is kept. */
  readonly columns: Columns;
  /** Names that a field ID had earlier, or had in late segments: no segment renames back to one of them. */
  readonly pastNames: ReadonlyMap<number, readonly string[]>;
  /** Fingerprints of the schemas followed so far, the latest last. */
  readonly followed: readonly string[];
  /** Upload time of the segment that last changed it: anything uploaded earlier is late. */
  readonly changedMs: number;
  /** The same for columns that this segment lacked: upload time of the last change that had them. */
  readonly laggingMs: ReadonlyMap<number, number>;
  /** Columns that others dropped from the table, already reported. */
  readonly dropped: readonly number[];
  /** Table schemas with a lower ID were created by the catalog before ours and never had data. */
  readonly firstSchemaId: number;
}

export const unknownDataset: DatasetSchema = {
  columns: new Map(),
  pastNames: new Map(),
  followed: [],
  changedMs: 0,
  laggingMs: new Map(),
  dropped: [],
  firstSchemaId: 0,
};

/** A fleet hardly ever uses more schemas at once, and the property is part of every metadata file. */
const MAX_FOLLOWED = 500;

/** The dataset's schema as its first segment shows it. */
export function newDataset(schema: Schema, uploadedMs: number): DatasetSchema {
  const columns = columnsOf(schema);
  return withFollowed({ ...unknownDataset, columns, changedMs: uploadedMs }, fingerprint(columns));
}

/** Upload time of the last change that concerned a column: a segment uploaded earlier does not rename it. */
export function columnChangedMs(dataset: DatasetSchema, id: number): number {
  return dataset.laggingMs.get(id) ?? dataset.changedMs;
}

/**
 * Records the date of a change: for the segment's columns its upload time, for those it lacks the previous one. An earlier
 * upload never sets a date back.
 */
export function withChange(
  dataset: DatasetSchema,
  before: DatasetSchema,
  segment: Columns,
  uploadedMs: number,
): DatasetSchema {
  const changedMs = Math.max(before.changedMs, uploadedMs);
  const laggingMs = new Map<number, number>();
  for (const id of dataset.columns.keys()) {
    const earlierMs = before.columns.has(id) ? columnChangedMs(before, id) : 0;
    const ms = segment.has(id) ? Math.max(earlierMs, uploadedMs) : earlierMs;
    if (ms < changedMs) laggingMs.set(id, ms);
  }
  return { ...dataset, changedMs, laggingMs };
}

export function withFollowed(dataset: DatasetSchema, schema: string): DatasetSchema {
  const followed = dataset.followed.filter((other) => other !== schema);
  return { ...dataset, followed: [...followed, schema].slice(-MAX_FOLLOWED) };
}

/** Identifies a schema by its IDs, parents, names and types, regardless of order and nullability. */
export function fingerprint(columns: Columns): string {
  const facts = [...columns.values()]
    .sort((a, b) => a.id - b.id)
    .map(({ id, parentId, role, name, type }) => [id, parentId, role, name, type]);
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 16);
}

/**
 * Reads the dataset's schema from a table's properties; undefined if no registration has set it.
 *
 * @throws `table.unsupported`
 */
export function readDatasetSchema(properties: Readonly<Record<string, string>>): DatasetSchema | undefined {
  const text = properties[datasetSchemaProperty];
  if (text === undefined) return undefined;
  try {
    return fromStored(JSON.parse(text) as StoredDatasetSchema);
  } catch (cause) {
    throw new RegistrarError(
      'table.unsupported',
      `Cannot read the table property ${datasetSchemaProperty} "${text.slice(0, 80)}": a newer registrar wrote it, or it was edited; ` +
        'use that version, or remove the property to take the table as it is',
      { cause },
    );
  }
}

function fromStored(stored: StoredDatasetSchema): DatasetSchema {
  if (stored.v !== 1) throw new TypeError(`it is of version ${stored.v}, and 1 is the newest known`);
  return {
    columns: columnsOf(stored.schema),
    pastNames: byId(stored['past-names']),
    followed: [...stored.followed],
    changedMs: stored['changed-ms'],
    laggingMs: byId(stored['lagging-ms']),
    dropped: stored.dropped ?? [],
    firstSchemaId: stored['first-schema-id'] ?? 0,
  };
}

function byId<T>(values: Readonly<Record<string, T>> = {}): ReadonlyMap<number, T> {
  return new Map(Object.entries(values).map(([id, value]) => [Number(id), value]));
}

/** The property's value. Equal schemas give equal text. */
export function writeDatasetSchema(dataset: DatasetSchema): string {
  const stored: StoredDatasetSchema = {
    v: 1,
    schema: schemaOf(dataset.columns, { type: 'struct', fields: [] }),
    ...(dataset.pastNames.size > 0 && { 'past-names': Object.fromEntries(dataset.pastNames) }),
    followed: dataset.followed,
    'changed-ms': dataset.changedMs,
    ...(dataset.laggingMs.size > 0 && { 'lagging-ms': Object.fromEntries(dataset.laggingMs) }),
    ...(dataset.dropped.length > 0 && { dropped: dataset.dropped }),
    ...(dataset.firstSchemaId > 0 && { 'first-schema-id': dataset.firstSchemaId }),
  };
  return JSON.stringify(stored);
}

interface StoredDatasetSchema {
  readonly v: 1;
  readonly schema: Schema;
  readonly 'past-names'?: Readonly<Record<string, readonly string[]>>;
  readonly followed: readonly string[];
  readonly 'changed-ms': number;
  readonly 'lagging-ms'?: Readonly<Record<string, number>>;
  readonly dropped?: readonly number[];
  readonly 'first-schema-id'?: number;
}
