import { isDeepStrictEqual } from 'node:util';
import type { NestedField, Schema, Type } from '../../lib/spec/schema.ts';
import { formatIdentifier, type TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { type Dataset, newestSchema } from '../shipper/dataset.ts';
import { mergeLogs } from '../shipper/segment-log.ts';
import type { Engine } from './engine.ts';
import { fileDifferences, type ShippedSegment } from './file-figures.ts';
import { currentSnapshot, type Lake, loadMetadata, type Metadata, tableSql } from './lake.ts';
import { type LiveFile, liveFiles } from './manifest-entries.ts';
import { differ, differences, readBack } from './read-back.ts';

/** What the shipper uploaded for one table. */
export interface ShippedTable {
  readonly dataset: Dataset;
  readonly table: TableIdentifier;
  readonly segments: readonly ShippedSegment[];
}

/** The contents of a table according to its metadata, its manifests and the engine that read it. */
export interface TableFigures {
  readonly table: string;
  /** The number of shipped segments in the table. */
  readonly segments: number;
  readonly rows: number;
  readonly dataFiles: number;
  readonly snapshots: number;
  /** The number of paths that are in the table more than once. */
  readonly duplicates: number;
  readonly readBackRows: number;
  readonly columns: readonly { readonly id: number; readonly name: string; readonly type: Type }[];
}

export interface TableVerdict {
  readonly figures: TableFigures;
  /** One line per figure that differs from the shipper's log. */
  readonly problems: readonly string[];
}

/** Reads a table from outside and compares everything with the shipper's log. */
export async function judgeTable(engine: Engine, lake: Lake, shipped: ShippedTable): Promise<TableVerdict> {
  const table = formatIdentifier(shipped.table);
  const metadata = await loadMetadata(lake, shipped.table);
  const snapshot = metadata && currentSnapshot(metadata);
  if (metadata === undefined || snapshot === undefined)
    return {
      figures: figuresOf(table, metadata, shipped.segments, []),
      problems: [`${table}: ${metadata ? 'no snapshot' : 'no such table'}`],
    };

  const schema = newestSchema(shipped.dataset);
  const files = await liveFiles(engine, lake, snapshot['manifest-list']);
  const read = await readBack(engine, tableSql(shipped.table), schema).catch(
    (error: Error) => `${table}: cannot be read back: ${error.message.split('\n', 1)}`,
  );
  const figures = figuresOf(table, metadata, shipped.segments, files);
  const log = mergeLogs(
    schema,
    shipped.segments.map((segment) => segment.log),
  );
  return {
    figures: { ...figures, readBackRows: typeof read === 'string' ? 0 : read.rows },
    problems: [
      ...fileDifferences(table, schema, shipped.segments, files),
      ...differ(`${table}: total-records`, snapshot.summary['total-records'], String(log.rows)),
      ...differ(`${table}: total-data-files`, snapshot.summary['total-data-files'], String(files.length)),
      ...schemaDifferences(table, currentSchema(metadata), schema),
      ...(typeof read === 'string' ? [read] : differences(table, schema, log, read)),
    ],
  };
}

function figuresOf(
  table: string,
  metadata: Metadata | undefined,
  shipped: readonly ShippedSegment[],
  files: readonly LiveFile[],
): TableFigures {
  const paths = Map.groupBy(files, ({ uri }) => uri);
  return {
    table,
    segments: shipped.filter(({ uri }) => paths.has(uri)).length,
    rows: files.reduce((rows, file) => rows + file.rows, 0),
    dataFiles: files.length,
    snapshots: metadata?.snapshots?.length ?? 0,
    duplicates: [...paths.values()].filter((entries) => entries.length > 1).length,
    readBackRows: 0,
    columns: currentSchema(metadata)?.fields.map(({ id, name, type }) => ({ id, name, type })) ?? [],
  };
}

function currentSchema(metadata: Metadata | undefined): Schema | undefined {
  return metadata?.schemas.find((schema) => schema['schema-id'] === metadata['current-schema-id']);
}

/** The table must have the dataset's columns under the dataset's own IDs (I5), with its names and types. */
function schemaDifferences(table: string, found: Schema | undefined, expected: Schema): readonly string[] {
  const byId = new Map(found?.fields.map((field) => [field.id, field]));
  const lines = expected.fields.flatMap((field) => {
    const other = byId.get(field.id);
    byId.delete(field.id);
    return isDeepStrictEqual(shape(other), shape(field))
      ? []
      : [
          `${table}: field ${field.id} is ${JSON.stringify(shape(other))}, expected ${JSON.stringify(shape(field))}`,
        ];
  });
  return [
    ...lines,
    ...[...byId.values()].map((field) => `${table}: field ${field.id} "${field.name}" was never shipped`),
  ];
}

function shape(field: NestedField | undefined): unknown {
  return field && { name: field.name, type: field.type };
}
