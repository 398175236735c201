import { createHash } from 'node:crypto';
import { RegistrarError } from '../errors.ts';
import type { Schema } from '../spec/schema.ts';
import { type Columns, columnsOf, schemaOf } from './columns.ts';

/** The table property that holds the dataset's own schema, so that its changes can be told from those made by SQL. */
export const datasetSchemaProperty = 'iceberg-registrar.dataset-schema';

/** What the dataset's segments said so far, whatever became of the table. */
export interface DatasetSchema {
  /** Cumulative: a column that newer segments lack stays. */
  readonly columns: Columns;
  /** Names that an ID had before or had in late segments: no segment renames back to one. */
  readonly pastNames: ReadonlyMap<number, readonly string[]>;
  /** Fingerprints of the schemas followed, the latest last. */
  readonly followed: readonly string[];
  /** Upload time of the segment that changed it last: what was uploaded before is late. */
  readonly changedMs: number;
  /** Columns that others dropped from the table and that have been reported. */
  readonly dropped: readonly number[];
  /** Table schemas with a lower ID were made by the catalog before ours and never had data. */
  readonly firstSchemaId: number;
}

export const unknownDataset: DatasetSchema = {
  columns: new Map(),
  pastNames: new Map(),
  followed: [],
  changedMs: 0,
  dropped: [],
  firstSchemaId: 0,
};

/** A fleet hardly has more schemas in use at once, and the property is part of every metadata file. */
const MAX_FOLLOWED = 500;

/** The dataset as its first segment shows it. */
export function newDataset(schema: Schema, uploadedMs: number): DatasetSchema {
  const columns = columnsOf(schema);
  return withFollowed({ ...unknownDataset, columns, changedMs: uploadedMs }, fingerprint(columns));
}

export function withFollowed(dataset: DatasetSchema, schema: string): DatasetSchema {
  const followed = dataset.followed.filter((other) => other !== schema);
  return { ...dataset, followed: [...followed, schema].slice(-MAX_FOLLOWED) };
}

/** Names a schema by its IDs, parents, names and types; order and nullability aside. */
export function fingerprint(columns: Columns): string {
  const facts = [...columns.values()]
    .sort((a, b) => a.id - b.id)
    .map(({ id, parentId, role, name, type }) => [id, parentId, role, name, type.replaceAll(/\s/g, '')]);
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 16);
}

/** The dataset's schema as a table's properties have it; undefined when no registration has set it. @throws `table.unsupported` */
export function readDatasetSchema(properties: Readonly<Record<string, string>>): DatasetSchema | undefined {
  const text = properties[datasetSchemaProperty];
  if (text === undefined) return undefined;
  const stored = parseStored(text);
  return {
    columns: columnsOf(stored.schema),
    pastNames: new Map(Object.entries(stored['past-names'] ?? {}).map(([id, names]) => [Number(id), names])),
    followed: stored.followed,
    changedMs: stored['changed-ms'],
    dropped: stored.dropped ?? [],
    firstSchemaId: stored['first-schema-id'] ?? 0,
  };
}

/** The property's value. Equal schemas give equal text. */
export function writeDatasetSchema(dataset: DatasetSchema): string {
  const stored: StoredDatasetSchema = {
    v: 1,
    schema: schemaOf(dataset.columns, { type: 'struct', fields: [] }),
    ...(dataset.pastNames.size > 0 && { 'past-names': Object.fromEntries(dataset.pastNames) }),
    followed: dataset.followed,
    'changed-ms': dataset.changedMs,
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
  readonly dropped?: readonly number[];
  readonly 'first-schema-id'?: number;
}

function parseStored(text: string): StoredDatasetSchema {
  try {
    const stored = JSON.parse(text) as Partial<StoredDatasetSchema>;
    if (stored.v === 1 && Array.isArray(stored.schema?.fields) && Array.isArray(stored.followed)) {
      return stored as StoredDatasetSchema;
    }
  } catch (cause) {
    throw unreadable(text, cause);
  }
  throw unreadable(text);
}

function unreadable(text: string, cause?: unknown): RegistrarError {
  return new RegistrarError(
    'table.unsupported',
    `Cannot read the table property ${datasetSchemaProperty} "${text.slice(0, 80)}": a newer registrar wrote it, or it was edited; ` +
      'use that version, or remove the property to take the table as it is',
    { cause },
  );
}
