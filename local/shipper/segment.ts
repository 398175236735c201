import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Schema, Type } from '../../lib/spec/schema.ts';
import { type Dataset, newestSchema, type Row, type Value } from './dataset.ts';
import { seededDice } from './dice.ts';
import { parquetSchema } from './parquet-schema.ts';
import { logRows, type SegmentLog } from './segment-log.ts';

export interface MadeSegment {
  /** Below the shipper's `url`, in the default layout: `thadam/v1/{pipeline}/{dataset}/…`. */
  readonly key: string;
  readonly bytes: Uint8Array;
  /** By the column names of its schema version. */
  readonly rows: readonly Row[];
  readonly log: SegmentLog;
}

/**
 * Segment `index` of a dataset under one of its schemas: the same arguments give the same bytes. The rows of different indexes
 * have different `seq`.
 */
export function makeSegment(
  dataset: Dataset,
  version: number,
  index: number,
  options: { readonly rows?: number; readonly pipeline?: string } = {},
): MadeSegment {
  const schema = dataset.versions[version];
  if (schema === undefined)
    throw new RangeError(
      `Cannot make "${dataset.name}" version ${version}: it has ${dataset.versions.length}`,
    );
  const dice = seededDice(`${dataset.name}/${index}`);
  const firstSeq = BigInt(index * dataset.rowsPerSegment);
  const rows = Array.from({ length: options.rows ?? dataset.rowsPerSegment }, (_, row) =>
    rowUnder(schema, newestSchema(dataset), dataset.row(dice, firstSeq + BigInt(row), version)),
  );
  return {
    key: segmentKey(dataset, index, options.pipeline),
    bytes: writeParquet(schema, rows),
    rows,
    log: logRows(schema, rows),
  };
}

/** Where segment `index` of a dataset lies below the shipper's `url`. */
export function segmentKey(dataset: Dataset, index: number, pipeline = 'plant-7'): string {
  const hour = Math.floor(index / 6)
    .toString()
    .padStart(2, '0');
  return `thadam/v1/${pipeline}/${dataset.name}/2026-01-01/${hour}/${index.toString().padStart(5, '0')}.parquet`;
}

/** Rows as a Parquet file with field IDs, in row groups of a thousand rows. */
export function writeParquet(schema: Schema, rows: readonly Row[]): Uint8Array {
  const columnData = schema.fields.map(({ name, type }) => ({
    name,
    data: rows.map((row) => physicalValue(type, row[name] ?? null)),
  }));
  return new Uint8Array(
    parquetWriteBuffer({
      schema: parquetSchema(schema),
      columnData,
      rowGroupSize: 1000,
      createdBy: 'demo shipper',
    }),
  );
}

/** Converts a row of the newest schema to an older one: only that schema's columns, under their names. */
function rowUnder(schema: Schema, newest: Schema, row: Row): Row {
  const names = new Map(newest.fields.map(({ id, name }) => [id, name]));
  return Object.fromEntries(schema.fields.map(({ id, name }) => [name, row[names.get(id) ?? name] ?? null]));
}

/** The writer accepts int64 only as bigint, but values of a promoted column may still be numbers. */
function physicalValue(type: Type, value: Value): Value {
  return type === 'long' && typeof value === 'number' ? BigInt(value) : value;
}
